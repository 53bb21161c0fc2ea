/** A key that was rotated or revoked while its gate did not answer: what the owner was told is true, to the millisecond. */

import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { gateOf, watchDatabase } from "../../support/gate.ts";
import { hangStores, holdTimers } from "../../support/hang.ts";
import { failStores } from "../../support/intercept.ts";
import { interceptObjects } from "../../support/intercept-binding.ts";
import { createOwner } from "../../support/owner.ts";

const START = 1_900_000_000_000;
type Shown = { key: string; warning: string | null };

/** A key in use, rotated without a grace through an isolate that does not reach the gate. */
async function rotateCutOff() {
  freeze(START);
  const owner = createOwner();
  const { apiKey, key } = await owner.create();
  await owner.whoami(key);
  const cutOff = createOwner(owner.email, failStores(env, "gate"));
  const response = await cutOff.json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds: 0 });
  const { key: rotated, warning } = await response.json<Shown>();
  return { owner, id: apiKey.id, old: key, rotated, warning };
}

describe("a rotation that the gate was not notified of", () => {
  it("holds after the first request that comes a minute later", async () => {
    const { owner, old, rotated, warning } = await rotateCutOff();
    expect(warning).toContain("up to 5 minutes");
    vi.setSystemTime(START + 59_999);
    expect([await owner.whoami(old), await owner.whoami(rotated)]).toEqual([200, 401]);
    vi.setSystemTime(START + 60_000);
    expect(await owner.whoami(old)).toBe(200);
    await vi.waitUntil(async () => (await owner.whoami(old)) === 401);
    vi.setSystemTime(START + 61_000);
    expect(await owner.whoami(rotated)).toBe(200);
  });

  it("holds after five minutes while the gate cannot read the database", async () => {
    const { owner, id, old, rotated, warning } = await rotateCutOff();
    expect(warning).toContain("up to 5 minutes");
    (await watchDatabase(gateOf(id))).down = true;
    vi.setSystemTime(START + 300_000);
    expect([await owner.whoami(old), await owner.whoami(rotated)]).toEqual([200, 401]);
    vi.setSystemTime(START + 300_001);
    expect([await owner.whoami(old), await owner.whoami(rotated)]).toEqual([503, 503]);
  });

  it("is sure once the key is rotated again: only the newest secret is accepted, at once", {
    tags: "slow",
  }, async () => {
    const { owner, id, old, rotated } = await rotateCutOff();
    const again = await (await owner.json("POST", `/keys/${id}/rotate`, { graceSeconds: 0 })).json<Shown>();
    expect(again.warning).toBeNull();
    const statuses = [await owner.whoami(old), await owner.whoami(rotated), await owner.whoami(again.key)];
    expect(statuses).toEqual([401, 401, 200]);
  });
});

it("an isolate that has refused the new secret accepts it as soon as it has notified the gate", async () => {
  freeze(START);
  const owner = createOwner();
  const { apiKey, key } = await owner.create();
  const { isolate } = owner;
  const whoami = async (text: string) =>
    (await isolate.request("/tenant/whoami", { headers: { "X-API-Key": text } })).status;
  const rotate = (bindings: Env) =>
    isolate.request(
      `/account/api/keys/${apiKey.id}/rotate`,
      {
        method: "POST",
        headers: { "Content-Type": "application/json", "Idempotency-Key": "one" },
        body: JSON.stringify({ graceSeconds: 0 }),
      },
      bindings,
    );
  expect(await whoami(key)).toBe(200);
  const { key: rotated } = await (await rotate(failStores(env, "gate"))).json<Shown>();
  expect(await whoami(rotated)).toBe(401);
  expect((await rotate(env)).status).toBe(409);
  expect([await whoami(rotated), await whoami(key)]).toEqual([200, 401]);
});

it("a key that nobody uses meanwhile is refused at its first request, once its gate answers again", async () => {
  const owner = createOwner();
  const { apiKey, key } = await owner.create();
  expect(await owner.whoami(key)).toBe(200);
  let isDown = true;
  const gates = interceptObjects(env.API_KEY_GATE, ["forget"], (_, makeCall) =>
    isDown ? Promise.reject(new Error("Network connection lost.")) : makeCall(),
  );
  const cutOff = createOwner(owner.email, { ...env, API_KEY_GATE: gates });
  expect((await cutOff.json("DELETE", `/keys/${apiKey.id}`)).status).toBe(503);
  await cutOff.isolate.elapse();
  isDown = false;
  await cutOff.isolate.elapse();
  expect(await owner.whoami(key)).toBe(401);
});

describe("the owner's answer, when the gate hangs, comes within ten seconds:", () => {
  it.each([
    ["a revocation is 503, and the key is revoked", "DELETE", "", 503],
    ["a rotation shows the new key", "POST", "/rotate", 201],
  ])("%s", async (_, method, path, status) => {
    const owner = createOwner();
    const { apiKey } = await owner.create();
    holdTimers();
    const hanging = hangStores(env, "gate");
    const body = method === "POST" ? { graceSeconds: 0 } : undefined;
    const answered = vi.fn();
    const answer = createOwner(owner.email, hanging.env)
      .json(method, `/keys/${apiKey.id}${path}`, body)
      .finally(answered);
    await hanging.reached;
    await vi.advanceTimersByTimeAsync(9_999);
    expect(answered).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect((await answer).status).toBe(status);
    expect((await owner.keys())[0]?.state).toBe(status === 503 ? "revoked" : "active");
  });
});
