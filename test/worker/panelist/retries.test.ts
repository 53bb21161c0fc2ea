/** `Idempotency-Key` on every POST of the panelist API: a double click submits once. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { takesIdempotencyKey } from "../../../src/worker/http/operation.ts";
import { freeze } from "../../support/clock.ts";
import { selectEverywhere } from "../../support/databases.ts";
import { failStores, interceptStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { createPanel, PROPOSALS, sendWith } from "../../support/panel.ts";
import { dumpDatabases } from "../../support/tenant.ts";
import { addIdeaBank, addProposal, tokenFor } from "../../support/world.ts";

const posts = operationsOf("compoundToken").filter(({ method }) => method === "POST");
const KEY = { "Idempotency-Key": '"8e03978e-40d5-43dd-bc93-6894a57f9324"' };

it("every POST takes the header", () => {
  expect(posts.map(({ name }) => name).toSorted()).toEqual(["addComment", "submitProposal"]);
  for (const { operation } of posts) expect(takesIdempotencyKey(operation)).toBe(true);
});

async function createScene(template: string) {
  const panel = await createPanel();
  const [panelist, other] = [await panel.panelist("Robin"), await panel.panelist("Kim")];
  const proposalId = await panel.propose();
  return { panel, panelist, other, proposalId, path: fillPath(template, { proposalId }) };
}

describe.each(posts)("$name", ({ name, operation, path: template }) => {
  const body = bodyOf(operation);

  it("replays its first answer to the same key and body, and does nothing again", async () => {
    const { panel, panelist, path } = await createScene(template);
    const first = await panelist.send("POST", path, body, KEY);
    expect([first.status, first.headers.get("Idempotency-Replayed")]).toEqual([201, null]);
    const after = await dumpDatabases();
    freeze(Date.now() + 23 * 3_600_000);
    const again = sendWith(panel.isolate, await tokenFor(panel.bank.id, panelist.id));
    const second = await again("POST", path, body, KEY);
    expect([second.status, second.headers.get("Idempotency-Replayed")]).toEqual([201, "true"]);
    expect(await second.text()).toBe(await first.text());
    expect(await dumpDatabases()).toEqual(after);
  });

  it("does it once for requests at the same time, through whatever isolate", async () => {
    const { panel, panelist, path } = await createScene(template);
    const isolates = [panel.isolate, createIsolate()];
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        sendWith(isolates[index % 2] ?? panel.isolate, panelist.token)("POST", path, body, KEY),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(201));
    expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
    expect(answers.filter(({ headers }) => headers.has("Idempotency-Replayed"))).toHaveLength(5);
  });

  it("answers 422 to the same key with another body, and changes nothing", async () => {
    const { panelist, path } = await createScene(template);
    await panelist.send("POST", path, body, KEY);
    const after = await dumpDatabases();
    const [[name, value] = ["", ""]] = Object.entries(Object(body));
    const other = await panelist.send("POST", path, { ...Object(body), [name]: `${value}x` }, KEY);
    expect(other.status).toBe(422);
    expect(await other.json()).toMatchObject({ error: "idempotency-key-reused" });
    expect(await dumpDatabases()).toEqual(after);
  });

  it("does it again after 24 hours, but for a comment that would stand there twice", async () => {
    const { panel, panelist, path } = await createScene(template);
    await panelist.send("POST", path, body, KEY);
    freeze(Date.now() + 24 * 3_600_000);
    const again = sendWith(panel.isolate, await tokenFor(panel.bank.id, panelist.id));
    const answer = await again("POST", path, body, KEY);
    const status = name === "addComment" ? 409 : 201;
    expect([answer.status, answer.headers.get("Idempotency-Replayed")]).toEqual([status, null]);
  });

  it("keeps panelists apart: a key belongs to the panelist who sends it", async () => {
    const { panel, panelist, other, path } = await createScene(template);
    await panelist.send("POST", path, body, KEY);
    const answer = await other.send("POST", path, `${JSON.stringify(body)} `, KEY);
    expect([answer.status, answer.headers.get("Idempotency-Replayed")]).toEqual([201, null]);
    const tenants = await panel.tenant.send("POST", "/tenant/surveys", { title: "T" }, KEY);
    expect([tenants.status, tenants.headers.get("Idempotency-Replayed")]).toEqual([201, null]);
  });

  it("can be retried when the first answer was lost, or the first try never arrived", async () => {
    const { panelist, path } = await createScene(template);
    const lost = interceptStores(env, async (kind, makeCall) => {
      const answer = await makeCall();
      if (kind === "d1") throw new Error("D1_ERROR: Network connection lost.");
      return answer;
    });
    for (const broken of [failStores(env, "d1"), lost]) {
      const answer = await sendWith(createIsolate(broken), panelist.token)("POST", path, body, KEY);
      expect(answer.status).toBe(503);
    }
    const before = await dumpDatabases();
    const retried = await panelist.send("POST", path, body, KEY);
    expect([retried.status, retried.headers.get("Idempotency-Replayed")]).toEqual([201, "true"]);
    expect(await dumpDatabases()).toEqual(before);
  });

  it("keeps idea banks apart: a key belongs to the idea bank of the token", async () => {
    const { panel, panelist, path } = await createScene(template);
    const other = await addIdeaBank({ accountId: panel.bank.accountId });
    const { id } = await (await panelist.send("POST", path, body, KEY)).json<{ id: string }>();
    const there = sendWith(panel.isolate, await tokenFor(other.id, panelist.id));
    const otherPath = fillPath(template, { proposalId: await addProposal(other) });
    const answer = await there("POST", otherPath, body, KEY);
    expect([answer.status, answer.headers.get("Idempotency-Replayed")]).toEqual([201, null]);
    expect(await answer.json()).not.toMatchObject({ id });
    const again = await there("POST", otherPath, body, KEY);
    expect([again.status, again.headers.get("Idempotency-Replayed")]).toEqual([201, "true"]);
  });

  it("stores nothing for a request that is refused: its key can be used again", async () => {
    const { panel, panelist, path } = await createScene(template);
    const off = { submissionsEnabled: false, commentsEnabled: false };
    await panel.manage("PATCH", "", off);
    expect((await panelist.send("POST", path, body, KEY)).status).toBe(403);
    expect((await panelist.send("POST", path, {}, KEY)).status).toBe(400);
    await panel.manage("PATCH", "", { submissionsEnabled: true, commentsEnabled: true });
    const answer = await panelist.send("POST", path, body, KEY);
    expect([answer.status, answer.headers.get("Idempotency-Replayed")]).toEqual([201, null]);
  });

  it.each(["", '""', "a b", "é", "x".repeat(256), '"open'])("refuses the key %j", async (value) => {
    const { panelist, path } = await createScene(template);
    const response = await panelist.send("POST", path, body, { "Idempotency-Key": value });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ errors: [{ path: "Idempotency-Key" }] });
  });

  it("keeps no text of the request twice", async () => {
    const { panelist, path } = await createScene(template);
    const text = { title: "T", description: "A text of its own.", body: "A text of its own." };
    const sent = Object.fromEntries(Object.keys(body ?? {}).map((name) => [name, text[name as keyof typeof text]]));
    await panelist.send("POST", path, sent, KEY);
    const results = await selectEverywhere("SELECT * FROM idempotency_keys");
    expect(results).toHaveLength(1);
    expect(JSON.stringify(results)).not.toContain("A text of its own.");
  });
});

it("the same key and text on another proposal is another request", async () => {
  const { panel, panelist } = await createScene("/");
  const [one, other] = [await panel.propose(), await panel.propose()];
  expect((await panelist.send("POST", `${PROPOSALS}/${one}/comments`, { body: "B" }, KEY)).status).toBe(201);
  expect((await panelist.send("POST", `${PROPOSALS}/${other}/comments`, { body: "B" }, KEY)).status).toBe(422);
});

it.each([
  ["the proposal was merged", "POST", "/merge", 409],
  ["the proposal was deleted", "DELETE", "", 404],
] as const)(
  "a comment is replayed also after %s; another one is refused",
  { tags: "slow" },
  async (_, method, below, status) => {
    const { panel, panelist, proposalId, path } = await createScene(`${PROPOSALS}/{proposalId}/comments`);
    const comment = (key = KEY) => panelist.send("POST", path, { body: "Hi" }, key);
    const first = await comment();
    const into = await panel.propose();
    await panel.manage(method, `/proposals/${proposalId}${below}`, method === "POST" ? { into } : undefined);
    const again = await comment();
    expect([again.status, again.headers.get("Idempotency-Replayed")]).toEqual([201, "true"]);
    expect(await again.json()).toEqual(await first.json());
    expect((await comment({ "Idempotency-Key": "another" })).status).toBe(status);
  },
);

it("a submission is replayed also after submitting was closed, and by nobody whose token was revoked", {
  tags: "slow",
}, async () => {
  const { panel, panelist } = await createScene("");
  const submit = (key = KEY) => panelist.send("POST", PROPOSALS, { title: "T" }, key);
  const first = await submit();
  await panel.manage("PATCH", "", { submissionsEnabled: false });
  const again = await submit();
  expect([again.status, again.headers.get("Idempotency-Replayed")]).toEqual([201, "true"]);
  expect(await again.json()).toEqual(await first.json());
  expect((await submit({ "Idempotency-Key": "another" })).status).toBe(403);
  await panel.manage("PATCH", "", { status: "CLOSED" });
  expect((await submit()).status).toBe(404);
  await panel.tenant.send("DELETE", `/tenant/panelists/${panelist.id}/tokens`);
  expect((await submit()).status).toBe(401);
});
