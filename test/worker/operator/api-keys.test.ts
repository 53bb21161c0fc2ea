/** The operator revokes an API key, or sets its limit: it holds everywhere from the answer on, as when the owner does it. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { ApiKey } from "../../../src/worker/model/account-key.ts";
import { databaseOf } from "../../support/databases.ts";
import { hangStores, holdTimers } from "../../support/hang.ts";
import { countStores, failStores } from "../../support/intercept.ts";
import { createIsolate } from "../../support/isolate.ts";
import { type Bindings, sendAsOperator, withSecret } from "../../support/operator.ts";
import { createOwner } from "../../support/owner.ts";
import { newId } from "../../support/world.ts";

const LOW = { limit: 1, windowSeconds: 3_600 };
type Problem = { readonly error: string; readonly detail: string };

const revoke = (id: string, bindings?: Bindings) =>
  sendAsOperator("DELETE", `/operator/keys/${id}`, undefined, bindings);
const setLimit = (id: string, limit: object | string, bindings?: Bindings) =>
  sendAsOperator("PUT", `/operator/keys/${id}/limit`, limit, bindings);

/** A key whose gate has its record. It is idle: no isolate has a lease. */
async function createIdle() {
  const owner = createOwner();
  const { apiKey, key } = await owner.create("Import", { limit: 600 });
  expect(await owner.whoami(key)).toBe(200);
  return { owner, id: apiKey.id, key };
}

/** A key that an isolate uses by a lease, in real time: a lease's end is a timer's. */
async function createBusy() {
  const owner = createOwner();
  const { apiKey, key } = await owner.create("Busy", { limit: 10_000 });
  const { env: counted, counts } = countStores(env);
  const isolate = createIsolate(counted);
  const send = async () => (await isolate.request("/tenant/whoami", { headers: { "X-API-Key": key } })).status;
  for (let calls = -1; calls !== counts.gate; ) {
    calls = counts.gate;
    expect(await send()).toBe(200);
  }
  return { id: apiKey.id, send };
}

describe("from the answer on", () => {
  it("a revoked key that was idle is 401, although its gate had a record", async () => {
    const { owner, id, key } = await createIdle();
    const response = await revoke(id);
    expect(await response.json()).toMatchObject({ id, state: "revoked", revokedAt: expect.any(String) });
    expect([response.status, await owner.whoami(key)]).toEqual([200, 401]);
  });

  it("a lower limit of a key that was idle holds, with what was admitted before", { tags: "slow" }, async () => {
    const { owner, id, key } = await createIdle();
    const response = await setLimit(id, LOW);
    expect(await response.json()).toMatchObject({ id, state: "active", ...LOW });
    expect([response.status, await owner.whoami(key)]).toEqual([200, 429]);
  });

  describe("in an isolate that held a lease", { tags: "slow" }, () => {
    beforeEach(() => {
      env.LEASE_SECONDS = "1";
    });

    it("a revoked key is 401", async () => {
      const { id, send } = await createBusy();
      await revoke(id, { ...withSecret, LEASE_SECONDS: "1" });
      expect(await send()).toBe(401);
    });

    it("a lower limit holds", async () => {
      const { id, send } = await createBusy();
      await setLimit(id, LOW, { ...withSecret, LEASE_SECONDS: "1" });
      expect(await send()).toBe(429);
    });
  });
});

it("the owner sees it in the activity, once: what was changed, and that the operator did it", {
  tags: "slow",
}, async () => {
  const { owner, id } = await createIdle();
  for (let times = 0; times < 2; times++) {
    await setLimit(id, { limit: 600, windowSeconds: 60 });
    await setLimit(id, LOW);
  }
  await setLimit(id, LOW);
  const first = await (await revoke(id)).json<ApiKey>();
  expect(await (await revoke(id)).json<ApiKey>()).toEqual(first);
  const { items } = await (await owner.json("GET", "/activity")).json<{ items: object[] }>();
  const own = { apiKeyId: id, apiKeyName: "Import", actor: "the operator", address: null };
  const [before, after] = [{ limit: 600, windowSeconds: 60 }, LOW];
  expect(items).toMatchObject([
    { ...own, event: "revoked", changes: null },
    { ...own, event: "changed", changes: { before, after } },
    { ...own, event: "changed", changes: { before: after, after: before } },
    { ...own, event: "changed", changes: { before, after } },
    { event: "created", actor: owner.email },
  ]);
});

it("a key of an account whose owner was removed can be revoked", async () => {
  const { owner, id, key } = await createIdle();
  await databaseOf(id).prepare("UPDATE accounts SET owner_email = id WHERE owner_email = ?1").bind(owner.email).run();
  expect([(await revoke(id)).status, await owner.whoami(key)]).toEqual([200, 401]);
});

it("nothing happens to the account's other keys", { tags: "slow" }, async () => {
  const { owner, id } = await createIdle();
  const { apiKey, key } = await owner.create("Other");
  await setLimit(id, LOW);
  await revoke(id);
  expect(await owner.whoami(key)).toBe(200);
  expect((await owner.keys()).find((each) => each.id === apiKey.id)).toMatchObject({ state: "active", limit: 600 });
});

it("an unknown key is 404, a limit for a key that has ended 409, a wrong limit 400", { tags: "slow" }, async () => {
  const { id } = await createIdle();
  for (const unknown of [newId("0"), newId("1"), newId("z"), "nothing"])
    for (const response of [await revoke(unknown), await setLimit(unknown, LOW)]) {
      const { error, detail } = await response.json<Problem>();
      expect([response.status, error, detail]).toEqual([404, "not-found", "There is no such API key."]);
    }
  for (const wrong of ["{", {}, { limit: 5 }, { limit: 0, windowSeconds: 60 }, { ...LOW, windowSeconds: 3_601 }])
    expect((await setLimit(id, wrong)).status).toBe(400);
  await revoke(id);
  const ended = await setLimit(id, LOW);
  expect([ended.status, (await ended.json<Problem>()).error]).toEqual([409, "conflict"]);
});

describe("when the gate", () => {
  it("fails, the answer is 503 and says what is certain; sending it again completes it", { tags: "slow" }, async () => {
    const { owner, id, key } = await createIdle();
    vi.spyOn(console, "error").mockImplementation(() => {});
    const cutOff = failStores(withSecret, "gate");
    for (const [send, done, again] of [
      [() => setLimit(id, LOW, cutOff), "The key is changed, but", "Change it again to be sure."],
      [() => revoke(id, cutOff), "The key is revoked, but", "Revoke it again to be sure."],
    ] as const) {
      const response = await send();
      expect([response.status, response.headers.get("Retry-After")]).toEqual([503, "1"]);
      const { detail } = await response.json<Problem>();
      expect(detail).toContain(`${done} the key's Durable Object did not answer`);
      expect(detail).toContain(again);
    }
    expect(await owner.whoami(key)).toBe(200);
    expect([(await revoke(id)).status, await owner.whoami(key)]).toEqual([200, 401]);
  });

  it("hangs, the answer comes within ten seconds", async () => {
    const { id } = await createIdle();
    vi.spyOn(console, "error").mockImplementation(() => {});
    holdTimers();
    const hanging = hangStores(withSecret, "gate");
    const answered = vi.fn();
    const answer = revoke(id, hanging.env).finally(answered);
    await hanging.reached;
    await vi.advanceTimersByTimeAsync(9_999);
    expect(answered).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect((await answer).status).toBe(503);
  });
});

it("while the database is down the answer is 503, and nothing is changed", async () => {
  const { owner, id, key } = await createIdle();
  vi.spyOn(console, "error").mockImplementation(() => {});
  const down = failStores(withSecret, "d1");
  expect([(await setLimit(id, LOW, down)).status, (await revoke(id, down)).status]).toEqual([503, 503]);
  expect(await owner.whoami(key)).toBe(200);
});
