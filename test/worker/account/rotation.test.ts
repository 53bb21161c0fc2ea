/** Rotation: the same key id, a new secret, and a grace for the old one. */

import { runDurableObjectAlarm } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";
import { freeze } from "../../support/clock.ts";
import { failStores } from "../../support/intercept.ts";
import { interceptObjects } from "../../support/intercept-binding.ts";
import { createOwner } from "../../support/owner.ts";
import { readForm } from "../../support/read-forms.ts";

const START = 1_900_000_000_000;

describe("rotating a key", () => {
  const rotate = async (owner: ReturnType<typeof createOwner>, id: string, graceSeconds: number) =>
    (await owner.json("POST", `/keys/${id}/rotate`, { graceSeconds })).json<{ key: string; apiKey: { id: string } }>();

  it("gives the same id a new secret; the old one is valid during its grace and does not count as a key", {
    tags: "slow",
  }, async () => {
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

  it("without grace makes the old secret invalid at once", { tags: "slow" }, async () => {
    const owner = createOwner();
    const old = await owner.create();
    expect(await owner.whoami(old.key)).toBe(200);
    const rotated = await rotate(owner, old.apiKey.id, 0);
    expect([await owner.whoami(old.key), await owner.whoami(rotated.key)]).toEqual([401, 200]);
  });

  const statuses = (owner: ReturnType<typeof createOwner>, ...keys: string[]) => Promise.all(keys.map(owner.whoami));

  it("again, when the newest secret was used, gives that one the new grace, and makes any older one invalid", {
    tags: "slow",
  }, async () => {
    freeze(START);
    const owner = createOwner();
    const first = await owner.create();
    const second = await rotate(owner, first.apiKey.id, 604_800);
    expect(await owner.whoami(second.key)).toBe(200);
    const third = await rotate(owner, first.apiKey.id, 3_600);
    expect(third.apiKey).toMatchObject({ previous: { expiresAt: new Date(START + 3_600_000).toISOString() } });
    expect(await statuses(owner, first.key, second.key, third.key)).toEqual([401, 200, 200]);
  });

  it.each([
    ["shorter", 3_600, 604_800],
    ["longer", 604_800, 604_800],
  ])(
    "again, when nothing has used the newest secret, replaces it; a %s grace leaves the one in use the longer one",
    { tags: "slow" },
    async (_, again, left) => {
      freeze(START);
      const owner = createOwner();
      const first = await owner.create();
      expect(await owner.whoami(first.key)).toBe(200);
      const lost = await rotate(owner, first.apiKey.id, again === 604_800 ? 3_600 : 604_800);
      const second = await rotate(owner, first.apiKey.id, again);
      expect(second.apiKey).toMatchObject({ previous: { expiresAt: new Date(START + left * 1_000).toISOString() } });
      expect(await statuses(owner, first.key, lost.key, second.key)).toEqual([200, 401, 200]);
      // It is used now.
      const third = await rotate(owner, first.apiKey.id, 3_600);
      expect(await statuses(owner, first.key, second.key, third.key)).toEqual([401, 200, 200]);
    },
  );

  it("again without a grace ends all that were before, used or not", { tags: "slow" }, async () => {
    const owner = createOwner();
    const first = await owner.create();
    const second = await rotate(owner, first.apiKey.id, 604_800);
    const third = await rotate(owner, first.apiKey.id, 0);
    expect(await statuses(owner, first.key, second.key, third.key)).toEqual([401, 401, 200]);
  });

  it("again after its grace has ended keeps the newest secret, which somebody may be installing", {
    tags: "slow",
  }, async () => {
    freeze(START);
    const owner = createOwner();
    const first = await owner.create();
    const second = await rotate(owner, first.apiKey.id, 3_600);
    vi.setSystemTime(START + 3_600_000);
    const third = await rotate(owner, first.apiKey.id, 3_600);
    expect(await statuses(owner, first.key, second.key, third.key)).toEqual([401, 200, 200]);
  });

  it("by two scripts at once leaves the secret in use, and the newest", { tags: "slow" }, async () => {
    const owner = createOwner();
    const { apiKey, key } = await owner.create();
    expect(await owner.whoami(key)).toBe(200);
    const answers = await Promise.all([rotate(owner, apiKey.id, 604_800), rotate(owner, apiKey.id, 604_800)]);
    const [newest] = await owner.keys();
    const made = await statuses(owner, ...answers.map((answer) => answer.key));
    expect(made.toSorted()).toEqual([200, 401]);
    expect(answers[made.indexOf(200)]?.key.slice(-4)).toBe(newest?.lastFour);
    expect(await owner.whoami(key)).toBe(200);
  });

  it("again while the gate cannot be reached goes by what D1 knows of the newest secret's use", {
    tags: "slow",
  }, async () => {
    freeze(START);
    const owner = createOwner("o@example.com");
    const cutOff = createOwner("o@example.com", failStores(env, "gate"));
    const first = await owner.create();
    const second = await rotate(owner, first.apiKey.id, 604_800);
    const third = await rotate(cutOff, first.apiKey.id, 3_600);
    const gate = env.API_KEY_GATE.getByName(first.apiKey.id);
    await gate.forget();
    expect(await statuses(owner, first.key, second.key, third.key)).toEqual([200, 401, 200]);
    vi.setSystemTime(START + 62_000);
    await runDurableObjectAlarm(gate);
    const fourth = await rotate(cutOff, first.apiKey.id, 3_600);
    await gate.forget();
    expect(await statuses(owner, first.key, third.key, fourth.key)).toEqual([401, 200, 200]);
  });

  it.each([
    ["was shorter", { expiresInDays: 1 }, undefined],
    ["is made shorter", {}, new Date(START + 86_400_000).toISOString()],
  ])("shows no grace beyond the key's own end, which %s", { tags: "slow" }, async (_, more, expiresAt) => {
    freeze(START);
    const owner = createOwner();
    const { apiKey } = await owner.create("Short", more);
    await rotate(owner, apiKey.id, 604_800);
    if (expiresAt) await owner.json("PATCH", `/keys/${apiKey.id}`, { expiresAt });
    const [key] = await owner.keys();
    expect(key?.previous?.expiresAt).toBe(new Date(START + 86_400_000).toISOString());
    vi.setSystemTime(START + 86_400_000);
    expect((await owner.keys())[0]?.previous).toBeNull();
  });

  it("happens once when a form is sent twice", { tags: "slow" }, async () => {
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

  it("that a form has done before notifies the key's gate again: the first answer was perhaps lost on the way to it", {
    tags: "slow",
  }, async () => {
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

  it("shows when the old secret was last used", { tags: "slow" }, async () => {
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
    // D1 is asked once a minute at most.
    vi.setSystemTime(START + 62_000);
    await runDurableObjectAlarm(gate);
    expect((await owner.keys())[0]?.previous?.lastUsedAt).toBe(new Date(START + 2_000).toISOString());
  });

  it("applies one rate limit to both secrets", { tags: "slow" }, async () => {
    const owner = createOwner();
    const old = await owner.create("small", { limit: 2 });
    const rotated = await rotate(owner, old.apiKey.id, 86_400);
    expect([await owner.whoami(old.key), await owner.whoami(rotated.key), await owner.whoami(old.key)]).toEqual([
      200, 200, 429,
    ]);
  });

  it("and revoking makes both invalid at once", { tags: "slow" }, async () => {
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

  it("without a grace: the answer says when an ended secret may still work, and an empty change makes sure, by its page too", {
    tags: "slow",
  }, async () => {
    const owner = createOwner("o@example.com");
    const { apiKey, key } = await owner.create();
    expect(await owner.whoami(key)).toBe(200);
    const cutOff = createOwner("o@example.com", failStores(env, "gate"));
    const answer = await cutOff.json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds: 0 });
    const rotated = await answer.json<{ key: string; warning: string | null }>();
    expect(rotated.warning).toContain("its older record for up to 5 minutes");
    expect(rotated.warning).toContain("save the key's form without a change, or send {} by PATCH, to be sure");
    const { action, fields } = await readForm(await owner.page(`/api-keys/${apiKey.id}/change`), "Save");
    const scopes = fields.getAll("scopes");
    const unchanged = { ...Object.fromEntries(fields), scopes };
    expect((await cutOff.submit(action.replace("/account", ""), unchanged)).status).toBe(503);
    expect((await owner.submit(action.replace("/account", ""), unchanged)).status).toBe(303);
    expect(await statuses(owner, key, rotated.key)).toEqual([401, 200]);
    expect((await owner.json("PATCH", `/keys/${apiKey.id}`, {})).status).toBe(200);
  });

  it("says on the page that the gate did not answer, and only then", { tags: "slow" }, async () => {
    const owner = createOwner("o@example.com");
    const { apiKey } = await owner.create();
    const cutOff = createOwner("o@example.com", failStores(env, "gate"));
    const shownTo = async (each: typeof owner) =>
      (await each.submit(`/api-keys/${apiKey.id}/rotate`, { graceSeconds: "0" })).text();
    expect(await shownTo(cutOff)).toContain("Durable Object did not answer");
    expect(await shownTo(owner)).not.toContain("Durable Object did not answer");
  });

  it.each([1, -1, 3_601, "1 h"])("refuses a grace of %j", async (graceSeconds) => {
    const owner = createOwner();
    const { apiKey } = await owner.create();
    expect((await owner.json("POST", `/keys/${apiKey.id}/rotate`, { graceSeconds })).status).toBe(400);
  });
});
