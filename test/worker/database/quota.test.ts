/** An account's storage quota, counted by triggers for every write. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import { freeze } from "../../support/clock.ts";
import { databaseOf } from "../../support/databases.ts";
import { runJob } from "../../support/job.ts";
import { addVoters, addVotes, findMiscounts } from "../../support/many-rows.ts";
import { bodyOf, fillPath, operationsOf } from "../../support/operations.ts";
import { createOwner } from "../../support/owner.ts";
import { createPanel, PROPOSALS } from "../../support/panel.ts";
import { addOneOfEverything, createTenant, dumpDatabases } from "../../support/tenant.ts";

const storedBytes = (accountId: string) =>
  databaseOf(accountId)
    .prepare("SELECT stored_bytes FROM accounts WHERE id = ?1")
    .bind(accountId)
    .first<number>("stored_bytes");
const fillUp = (accountId: string) =>
  databaseOf(accountId).prepare("UPDATE accounts SET max_bytes = stored_bytes WHERE id = ?1").bind(accountId).run();

const writes = operationsOf("apiKey").filter(({ operation, method }) => operation.body && method !== "GET");
const notGrowing = ["mergeProposal", "voteFor", "rotateSigningSecret", "introspectToken"];
const growing = writes.filter(({ method, name }) => method === "POST" && !notGrowing.includes(name));

describe("an account's stored bytes", () => {
  it("grow when a row is created and shrink by the same bytes when it is deleted", { tags: "slow" }, async () => {
    const ids = await addOneOfEverything();
    const tenant = await createTenant({ accountId: ids.accountId });
    const before = await storedBytes(ids.accountId);
    const created: [string, string][] = [];
    for (const { operation, path, name } of growing.filter(
      ({ name }) => !["issueToken", "revokeTokensOf", "createComments", "copySurvey"].includes(name),
    )) {
      const here = await storedBytes(ids.accountId);
      const collection = fillPath(path, ids);
      const answer = await tenant.send("POST", collection, bodyOf(operation, ids));
      created.unshift([name, `${collection}/${(await answer.json<{ id: string }>()).id}`]);
      expect(await storedBytes(ids.accountId), name).toBeGreaterThan(here ?? 0);
    }
    for (const [name, path] of created) expect((await tenant.send("DELETE", path)).status, name).toBe(204);
    // The revocation of the panelist with an `externalId`: a token may have been signed for it.
    expect(await storedBytes(ids.accountId)).toBe((before ?? 0) + 100);
  });

  it("change by exactly the bytes of an edit", async () => {
    const ids = await addOneOfEverything();
    const tenant = await createTenant({ accountId: ids.accountId });
    const path = `/tenant/ideabanks/${ids.ideaBankId}/proposals/${ids.proposalId}`;
    await tenant.send("PATCH", path, { title: "short" });
    const before = (await storedBytes(ids.accountId)) ?? 0;
    await tenant.send("PATCH", path, { title: "short, and 8 more: é", response: { text: "12345" } });
    expect(await storedBytes(ids.accountId)).toBe(before + 16 + 5);
  });

  it("are only those of rows outside the idea bank after it is deleted", { tags: "slow" }, async () => {
    const ids = await addOneOfEverything();
    const tenant = await createTenant({ accountId: ids.accountId });
    for (const { method, path, parameters } of operationsOf("apiKey")) {
      const isOutside = parameters.length === 1 && path.endsWith("}");
      if (method === "DELETE" && isOutside) await tenant.send(method, fillPath(path, ids));
    }
    await runJob(env);
    // The revocation of the panelist's tokens, which is kept for 91 days.
    expect(await storedBytes(ids.accountId)).toBe(100);
    freeze(Date.now() + 92 * 86_400_000);
    await runJob(env);
    expect(await storedBytes(ids.accountId)).toBe(0);
  });
});

describe.each(growing)("a full account: $name", ({ operation, path }) => {
  it("answers 409 quota-exceeded and writes nothing", async () => {
    const ids = await addOneOfEverything();
    const tenant = await createTenant({ accountId: ids.accountId });
    await fillUp(ids.accountId);
    const before = await dumpDatabases();
    for (const headers of [{}, { "Idempotency-Key": "k" }]) {
      const response = await tenant.send("POST", fillPath(path, ids), bodyOf(operation, ids), headers);
      expect(response.status).toBe(409);
      expect(await response.json()).toMatchObject({ error: "quota-exceeded" });
    }
    expect(await dumpDatabases()).toEqual(before);
  });
});

it.each([
  ["a full account", "stored_bytes"],
  ["an account over its maximum, which was lowered,", "1"],
])("%s can read, shorten, delete and revoke, also with an Idempotency-Key", async (_, maxBytes) => {
  const ids = await addOneOfEverything();
  const tenant = await createTenant({ accountId: ids.accountId });
  await databaseOf(ids.accountId)
    .prepare(`UPDATE accounts SET max_bytes = ${maxBytes} WHERE id = ?1`)
    .bind(ids.accountId)
    .run();
  const proposal = `/tenant/ideabanks/${ids.ideaBankId}/proposals/${ids.proposalId}`;
  expect((await tenant.send("GET", proposal)).status).toBe(200);
  expect((await tenant.send("PATCH", proposal, { title: "T" })).status).toBe(200);
  expect((await tenant.send("DELETE", `/tenant/panelists/${ids.panelistId}/tokens`)).status).toBe(204);
  const revoke = { "Idempotency-Key": "revoke" };
  expect((await tenant.send("DELETE", `/tenant/panelists/${ids.panelistId}/tokens`, undefined, revoke)).status).toBe(
    204,
  );
  expect((await tenant.send("PATCH", `/tenant/panelists/${ids.panelistId}`, { active: false })).status).toBe(200);
  expect((await tenant.send("DELETE", proposal, undefined, { "Idempotency-Key": "delete" })).status).toBe(204);
  expect((await tenant.send("DELETE", `/tenant/panelists/${ids.panelistId}`)).status).toBe(204);
});

it("the owner of a full account can do everything in Account Settings, each with an Idempotency-Key", {
  tags: "slow",
}, async () => {
  const owner = createOwner();
  const { apiKey } = await owner.create();
  const post = (path: string, body: object) =>
    owner.isolate.request(`/account/api${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "Idempotency-Key": crypto.randomUUID() },
      body: JSON.stringify(body),
    });
  const url = "https://crm.example.com/hooks";
  const { webhook } = await (await post("/webhooks", { url })).json<{ webhook: { id: string } }>();
  await databaseOf(apiKey.id).prepare("UPDATE accounts SET max_bytes = 0").run();
  const before = await databaseOf(apiKey.id).prepare("SELECT stored_bytes FROM accounts").all();
  const answers = [
    await post(`/keys/${apiKey.id}/rotate`, {}),
    await post("/keys", { name: "Another" }),
    await post(`/webhooks/${webhook.id}/rotate`, {}),
    await post("/webhooks", { url }),
    await post("/members", { email: "colleague@example.com" }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
  expect((await databaseOf(apiKey.id).prepare("SELECT stored_bytes FROM accounts").all()).results).toEqual(
    before.results,
  );
});

it("a full account does not affect another one", async () => {
  const [full, other] = [await addOneOfEverything(), await addOneOfEverything()];
  await fillUp(full.accountId);
  const tenant = await createTenant({ accountId: other.accountId });
  expect((await tenant.send("POST", "/tenant/surveys", { title: "T" })).status).toBe(201);
});

describe("votes", () => {
  const counted = (accountId: string) =>
    databaseOf(accountId)
      .prepare("SELECT counted_votes FROM accounts WHERE id = ?1")
      .bind(accountId)
      .first("counted_votes");

  it("are counted by sixteen of a proposal, and no longer when they or their proposal are gone", async () => {
    const { bank, propose, manage } = await createPanel();
    const [id, other] = [await propose(), await propose()];
    await addVoters(bank, 1, 50);
    await addVotes(bank, id, 1, 15);
    expect(await counted(bank.accountId)).toBe(0);
    await addVotes(bank, id, 16, 33);
    await addVotes(bank, other, 1, 20);
    expect(await counted(bank.accountId)).toBe(48);
    await databaseOf(bank.id).prepare("DELETE FROM votes WHERE proposal_id = ?1 AND created_at > 31").bind(id).run();
    expect(await counted(bank.accountId)).toBe(32);
    await manage("DELETE", `/proposals/${id}`);
    expect(await counted(bank.accountId)).toBe(16);
    await databaseOf(bank.id).prepare("DELETE FROM proposals").run();
    expect(await counted(bank.accountId)).toBe(0);
  });

  it("of a full account are refused, and written nowhere; taking one back and merging work", {
    tags: "slow",
  }, async () => {
    const panel = await createPanel();
    const { bank, propose, manage } = panel;
    const [voter, other] = [await panel.panelist(), await panel.panelist()];
    const [id, into] = [await propose(), await propose()];
    await addVoters(bank, 1, 47);
    await addVotes(bank, id, 1, 16);
    await addVotes(bank, into, 17, 47);
    await voter.send("PUT", `${PROPOSALS}/${id}/vote`);
    await databaseOf(bank.id)
      .prepare("UPDATE accounts SET max_bytes = stored_bytes + 128 * counted_votes WHERE id = ?1")
      .bind(bank.accountId)
      .run();
    const before = await dumpDatabases();
    const refused = await other.send("PUT", `${PROPOSALS}/${id}/vote`);
    expect([refused.status, await refused.json()]).toEqual([409, expect.objectContaining({ error: "quota-exceeded" })]);
    expect((await voter.send("PUT", `${PROPOSALS}/${id}/vote`)).status).toBe(200);
    expect(await manage("POST", "/proposals", { title: "T" }).catch((error: unknown) => error)).toBeInstanceOf(Error);
    expect(await dumpDatabases()).toEqual(before);
    await manage("POST", `/proposals/${id}/merge`, { into });
    expect(await findMiscounts(bank)).toEqual([]);
    expect(await voter.read(`${PROPOSALS}/${into}`)).toMatchObject({ votes: 48, voted: true });
    expect((await voter.send("DELETE", `${PROPOSALS}/${into}/vote`)).status).toBe(200);
  });
});

it("the quota adds at most one written row to a write", async () => {
  const { accountId } = await addOneOfEverything();
  const insert = () =>
    databaseOf(accountId).prepare(
      "INSERT INTO surveys (id, account_id, title, description, created_at, updated_at) VALUES (?1, ?2, 'T', '', 1, 1)",
    );
  const counted = (await insert().bind(crypto.randomUUID(), accountId).run()).meta.rows_written;
  await databaseOf(accountId).prepare("DROP TRIGGER quota_surveys_added").run();
  const uncounted = (await insert().bind(crypto.randomUUID(), accountId).run()).meta.rows_written;
  expect(counted - uncounted).toBe(1);
});
