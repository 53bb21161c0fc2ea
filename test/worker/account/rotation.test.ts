/** Rotation: the same key id, a new secret, and a grace for the old one. */

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { failStores } from "../../support/intercept.ts";
import { interceptObjects } from "../../support/intercept-binding.ts";
import { createOwner } from "../../support/owner.ts";

const START = 1_900_000_000_000;

describe("rotating a key", () => {
  const rotate = async (owner: ReturnType<typeof createOwner>, id: string, graceSeconds: number) =>
    (await owner.json("POST", `/keys/${id}/rotate`, { graceSeconds })).json<{ key: string; apiKey: { id: string } }>();

  it("gives the same id a new secret; the old one is valid during its grace and does not count as a key", async () => {
    freeze(START);
    const owner = createOwner();
    const old = await owner.create();
    expect(await owner.whoami(old.key)).toBe(200);
    const rotated = await rotate(owner, old.apiKey.id, 3_600);
    expect(rotated.apiKey).toMatchObject({
      id: old.apiKey.id,
      lastFour: rotated.key.slice(-4),
      previous: { expiresAt: new Date(START + 3_600_000).toISOString(), lastUsedAt: null },
    });
    expect([await owner.whoami(old.key), await owner.whoami(rotated.key)]).toEqual([200, 200]);
    vi.setSystemTime(START + 3_600_000);
    expect([await owner.whoami(old.key), await owner.whoami(rotated.key)]).toEqual([401, 200]);
    expect((await owner.keys())[0]?.previous).toBeNull();
  });

  it("without grace makes the old secret invalid at once", async () => {
    const owner = createOwner();
    const old = await owner.create();
    expect(await owner.whoami(old.key)).toBe(200);
    const rotated = await rotate(owner, old.apiKey.id, 0);
    expect([await owner.whoami(old.key), await owner.whoami(rotated.key)]).toEqual([401, 200]);
  });

  it("again keeps only the latest secret for the new grace, and makes any older one invalid", async () => {
    freeze(START);
    const owner = createOwner();
    const first = await owner.create();
    const second = await rotate(owner, first.apiKey.id, 604_800);
    const third = await rotate(owner, first.apiKey.id, 3_600);
    expect(third.apiKey).toMatchObject({ previous: { expiresAt: new Date(START + 3_600_000).toISOString() } });
    expect([await owner.whoami(first.key), await owner.whoami(second.key), await owner.whoami(third.key)]).toEqual([
      401, 200, 200,
    ]);
  });

  it("happens once when a form is sent twice", async () => {
    const owner = createOwner();
    const { apiKey, key } = await owner.create();
    const submit = () =>
      owner.submit(`/api-keys/${apiKey.id}/rotate`, { graceSeconds: "3600", lastFour: apiKey.lastFour });
    const answers = await Promise.all([submit(), submit()]);
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    expect(await owner.whoami(key)).toBe(200);
    expect((await owner.events()).map(({ event }) => event)).toEqual(["rotated", "created"]);
    const json = await owner.json("POST", `/keys/${apiKey.id}/rotate`, { lastFour: apiKey.lastFour });
    expect(await json.json()).toMatchObject({ status: 409, error: "conflict" });
  });

  it("that a form has done before notifies the key's gate again: the first answer was perhaps lost on the way to it", async () => {
    vi.spyOn(console, "error").mockImplementation(() => {});
    let isDown = false;
    const gates = interceptObjects(env.API_KEY_GATE, ["forget"], (_kind, makeCall) =>
      isDown ? Promise.reject(new Error("injected fault: gate")) : makeCall(),
    );
    const owner = createOwner(undefined, { ...env, API_KEY_GATE: gates });
    const { apiKey } = await owner.create();
    const submit = () =>
      owner.submit(`/api-keys/${apiKey.id}/rotate`, { graceSeconds: "0", lastFour: apiKey.lastFour });
    expect((await submit()).status).toBe(201);
    isDown = true;
    expect((await submit()).status).toBe(503);
    isDown = false;
    expect((await submit()).status).toBe(409);
  });

  it("shows when the old secret was last used", async () => {
    freeze(START);
    const owner = createOwner();
    const old = await owner.create();
    const rotated = await rotate(owner, old.apiKey.id, 86_400);
    vi.setSystemTime(START + 1_000);
    await owner.whoami(rotated.key);
    const gate = env.API_KEY_GATE.getByName(old.apiKey.id);
    await gate.forget();
    await runDurableObjectAlarm(gate);
    expect((await owner.keys())[0]?.previous?.lastUsedAt).toBeNull();
    vi.setSystemTime(START + 2_000);
    await owner.whoami(old.key);
    await gate.forget();
    // Counts go to D1 once a minute.
    vi.setSystemTime(START + 62_000);
    await runDurableObjectAlarm(gate);
    expect((await owner.keys())[0]?.previous?.lastUsedAt).toBe(new Date(START + 2_000).toISOString());
  });

  it("applies one rate limit to both secrets", async () => {
    const owner = createOwner();
    const old = await owner.create("small", { limit: 2 });
    const rotated = await rotate(owner, old.apiKey.id, 86_400);
    expect([await owner.whoami(old.key), await owner.whoami(rotated.key), await owner.whoami(old.key)]).toEqual([
      200, 200, 429,
    ]);
  });

  it("and revoking makes both invalid at once", async () => {
    const owner = createOwner();
    const old = await owner.create();
    const rotated = await rotate(owner, old.apiKey.id, 604_800);
    await owner.json("DELETE", `/keys/${old.apiKey.id}`);
    expect([await owner.whoami(old.key), await owner.whoami(rotated.key)]).toEqual([401, 401]);
    const ended = await owner.json("POST", `/keys/${old.apiKey.id}/rotate`, {});
    expect([ended.status, await ended.json()]).toEqual([
      409,
      expect.objectContaining({ detail: expect.stringContaining("This key is revoked or expired") }),
    ]);
  });

  it("returns the new key even when the gate does not answer", async () => {
    const owner = createOwner("o@example.com");
    const { apiKey } = await owner.create();
    const cutOff = createOwner("o@example.com", failStores(env, "gate"));
    const response = await cutOff.json("POST", `/keys/${apiKey.id}/rotate`, {});
    expect(response.status).toBe(201);
    expect(await owner.whoami((await response.json<{ key: string }>()).key)).toBe(200);
  });

  it("without a grace: the answer says when an ended secret may still work, and rotating again makes sure", async () => {
    const owner = createOwner("o@example.com");
    const { apiKey, key } = await owner.create();
    expect(await owner.whoami(key)).toBe(200);
    const cutOff = createOwner("o@example.com", failStores(env, "gate"));
    const rotateBy = async (each: typeof owner) =>
      (await each.json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds: 0 })).json<{
        key: string;
        warning: string | null;
      }>();
    const { warning } = await rotateBy(cutOff);
    expect(warning).toContain("its older record for up to 5 minutes");
    expect(warning).toContain("Rotate it again to be sure");
    const sure = await rotateBy(owner);
    expect(sure.warning).toBeNull();
    expect([await owner.whoami(key), await owner.whoami(sure.key)]).toEqual([401, 200]);
  });

  it("says on the page that the gate did not answer, and only then", async () => {
    const owner = createOwner("o@example.com");
    const { apiKey } = await owner.create();
    const cutOff = createOwner("o@example.com", failStores(env, "gate"));
    const shownTo = async (each: typeof owner) =>
      (await each.submit(`/api-keys/${apiKey.id}/rotate`, { graceSeconds: "0" })).text();
    expect(await shownTo(cutOff)).toContain("gate did not answer");
    expect(await shownTo(owner)).not.toContain("gate did not answer");
  });

  it.each([1, -1, 3_601, "1 h"])("refuses a grace of %j", async (graceSeconds) => {
    const owner = createOwner();
    const { apiKey } = await owner.create();
    expect((await owner.json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds })).status).toBe(400);
  });
});
