/** `Idempotency-Key` on the POSTs of Account Settings: what a lost answer has done is not done again, and no key is shown twice. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";
import type { ApiKey } from "../../../src/worker/model/account-key.ts";
import { freeze } from "../../support/clock.ts";
import { type Digit, selectEverywhere } from "../../support/databases.ts";
import { failStores } from "../../support/intercept.ts";
import { membersOf } from "../../support/members.ts";
import { createOwner } from "../../support/owner.ts";

const KEY = { "Idempotency-Key": '"8e03978e-40d5-43dd-bc93-6894a57f9324"' };
type Shown = { apiKey: ApiKey; key: string };

const createScene = (digit: Digit) => {
  const owner = createOwner(undefined, undefined, digit);
  const post = (path: string, body: object, headers: Record<string, string> = KEY, through = owner) =>
    through.isolate.request(`/account/api${path}`, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  return { owner, post };
};

/** A replay: it says which key it was, and shows none. */
async function expectReplay(response: Response, apiKeyId: string): Promise<void> {
  expect([response.status, response.headers.get("Idempotency-Replayed")]).toEqual([409, "true"]);
  const text = await response.text();
  expect(JSON.parse(text)).toMatchObject({ error: "conflict", detail: expect.stringContaining(apiKeyId) });
  expect(text).not.toContain("ibk_");
}

describe.each(["0", "1"] as const)("in database %s", (digit) => {
  it("a creation that is sent again makes no second key, also at the same time", async () => {
    const { owner, post } = createScene(digit);
    const answers = await Promise.all(Array.from({ length: 3 }, () => post("/keys", { name: "CRM" })));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409]);
    const created = await answers.find(({ status }) => status === 201)?.json<Shown>();
    await expectReplay(await post("/keys", { name: "CRM" }), created?.apiKey.id ?? "");
    expect(await owner.keys()).toHaveLength(1);
    expect((await owner.events()).map(({ event }) => event)).toEqual(["created"]);
    expect(await owner.whoami(created?.key ?? "")).toBe(200);
  });

  it("a rotation that is sent again does not end the secret that is in use", { tags: "slow" }, async () => {
    const { owner, post } = createScene(digit);
    const { apiKey } = await owner.create();
    const path = `/keys/${apiKey.id}/rotate`;
    const rotated = await (await post(path, { graceSeconds: 0 })).json<Shown>();
    await expectReplay(await post(path, { graceSeconds: 0 }), apiKey.id);
    expect(await owner.whoami(rotated.key)).toBe(200);
    expect((await owner.events()).map(({ event }) => event)).toEqual(["rotated", "created"]);
  });

  it("a rotation that is sent again while the gate does not answer is 503; sent once more, it makes sure", {
    tags: "slow",
  }, async () => {
    const { owner, post } = createScene(digit);
    const { apiKey, key } = await owner.create();
    expect(await owner.whoami(key)).toBe(200);
    const cutOff = createOwner(owner.email, failStores(env, "gate"), digit);
    const path = `/keys/${apiKey.id}/rotate`;
    const rotated = await (await post(path, { graceSeconds: 0 }, KEY, cutOff)).json<Shown>();
    const answer = await post(path, { graceSeconds: 0 }, KEY, cutOff);
    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "1"]);
    expect(await answer.json()).toMatchObject({
      error: "service-unavailable",
      detail: expect.stringContaining("the key was rotated then, but the key's Durable Object did not answer"),
    });
    expect(await owner.whoami(key)).toBe(200);
    await expectReplay(await post(path, { graceSeconds: 0 }), apiKey.id);
    expect([await owner.whoami(key), await owner.whoami(rotated.key)]).toEqual([401, 200]);
    expect((await owner.events()).map(({ event }) => event)).toEqual(["rotated", "created"]);
  });

  it("the same key with another request is 422, and changes nothing", async () => {
    const { owner, post } = createScene(digit);
    const { apiKey, key } = await (await post("/keys", { name: "CRM" })).json<Shown>();
    for (const path of ["/keys", `/keys/${apiKey.id}/rotate`]) {
      const answer = await post(path, path === "/keys" ? { name: "Other" } : {});
      expect(answer.status).toBe(422);
      expect(await answer.json()).toMatchObject({ error: "idempotency-key-reused" });
    }
    expect(await owner.keys()).toHaveLength(1);
    expect(await owner.whoami(key)).toBe(200);
  });

  it("a member who was added, and removed since, is not added again by the request that comes late", async () => {
    const { owner, post } = createScene(digit);
    const add = () => post("/members", { email: "robin@example.com" });
    const first = await add();
    const member = await first.json<{ id: string }>();
    expect([first.status, await (await add()).json()]).toEqual([201, member]);
    const reused = await post("/members", { email: "other@example.com" });
    expect(reused.status).toBe(422);
    expect((await owner.json("DELETE", `/members/${member.id}`)).status).toBe(204);
    await expectReplay(await add(), member.id);
    expect((await membersOf(owner)).items.map(({ email }) => email)).toEqual([owner.email]);
  });

  it("a test of a webhook that is sent again calls nobody a second time", async () => {
    const called: string[] = [];
    const owner = createOwner(undefined, undefined, digit, async ({ url }) => {
      called.push(url);
      return { status: 204, retryAfter: null };
    });
    const { webhook } = await (await owner.json("POST", "/webhooks", { url: "https://crm.example.com/" })).json<{
      webhook: { id: string };
    }>();
    const test = () =>
      owner.isolate.request(`/account/api/webhooks/${webhook.id}/test`, { method: "POST", headers: KEY });
    expect((await test()).status).toBe(200);
    await expectReplay(await test(), webhook.id);
    expect(called).toHaveLength(1);
  });

  it("it belongs to the account, and ends after 24 hours", async () => {
    freeze(Date.now());
    const { owner, post } = createScene(digit);
    const [first, other] = [
      await post("/keys", { name: "CRM" }),
      await createScene(digit).post("/keys", { name: "CRM" }),
    ];
    expect([first.status, other.status]).toEqual([201, 201]);
    freeze(Date.now() + 24 * 3_600_000);
    expect((await post("/keys", { name: "CRM" })).status).toBe(201);
    expect(await owner.keys()).toHaveLength(2);
  });

  it("a request that was refused can be sent again with it; no secret and no event is stored for it", {
    tags: "slow",
  }, async () => {
    const { owner, post } = createScene(digit);
    const keys: Shown[] = [];
    for (const name of ["a", "b", "c", "d"]) keys.push(await owner.create(name));
    expect((await post("/keys", { name: "e" })).status).toBe(409);
    await owner.json("DELETE", `/keys/${keys[0]?.apiKey.id}`);
    const { key, apiKey } = await (await post("/keys", { name: "e" })).json<Shown>();
    await expectReplay(await post("/keys", { name: "e" }), apiKey.id);
    const stored = JSON.stringify(await selectEverywhere("SELECT * FROM idempotency_keys"));
    expect(stored).toContain(apiKey.id);
    expect(stored).not.toContain(key.slice(-20));
    const events = (await owner.events()).map(({ event }) => event);
    expect(events.filter((event) => event === "refused")).toHaveLength(1);
  });
});
