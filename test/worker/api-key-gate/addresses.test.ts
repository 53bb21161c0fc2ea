/** Keys that are limited to addresses: decided without a call where that can be, and the first address that a key takes is one. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { KeyUse } from "../../../src/worker/api-key-gate/key-use.ts";
import type { Admission } from "../../../src/worker/model/api-key.ts";
import type { AuditEvent } from "../../../src/worker/model/audit-event.ts";
import { freeze } from "../../support/clock.ts";
import { gateOf, watchDatabase } from "../../support/gate.ts";
import { countStores, failStores } from "../../support/intercept.ts";
import { createIsolate, type Isolate } from "../../support/isolate.ts";
import { createOwner } from "../../support/owner.ts";

// Leases that can be used are what these tests are about.
beforeEach(() => {
  env.LEASE_SECONDS = "1";
});

const START = 1_900_000_000_000;
const INSIDE = "203.0.113.7";
const OUTSIDE = "198.51.100.9";

const whoami = async (isolate: Isolate, key: string, address?: string) =>
  (
    await isolate.request("/tenant/whoami", {
      headers: { "X-API-Key": key, ...(address && { "CF-Connecting-IP": address }) },
    })
  ).status;

async function limited(allowedAddresses: string[], more: object = {}) {
  const owner = createOwner();
  const { apiKey, key } = await owner.create("Limited", { allowedAddresses, ...more });
  const { env: counted, counts } = countStores(env);
  return { owner, id: apiKey.id, key, isolate: createIsolate(counted), counts };
}

describe("a key that is limited to addresses", () => {
  it("is used from those, however they are written, and from no other; a missing address is no allowed one", async () => {
    const { key, isolate } = await limited(["203.0.113.0/24", "2001:db8::/32"]);
    for (const address of [INSIDE, `::ffff:${INSIDE}`, "::FFFF:cb00:7107", "2001:db8::1", "2001:0db8:0:0::1"])
      expect([address, await whoami(isolate, key, address)]).toEqual([address, 200]);
    for (const address of [
      OUTSIDE,
      `::ffff:${OUTSIDE}`,
      "2001:db9::1",
      "fe80::1%eth0",
      `${INSIDE}%eth0`,
      "x",
      undefined,
    ])
      expect([address, await whoami(isolate, key, address)]).toEqual([address, 403]);
  });

  it("is refused elsewhere at the cost of a call a second at most, and nothing of its limit", async () => {
    freeze(START);
    const { key, isolate, counts } = await limited(["203.0.113.0/24"], { limit: 2 });
    for (let times = 0; times < 50; times++) expect(await whoami(isolate, key, `198.51.100.${times}`)).toBe(403);
    expect(counts.gate).toBe(1);
    expect([await whoami(isolate, key, INSIDE), await whoami(isolate, key, INSIDE)]).toEqual([200, 200]);
    vi.setSystemTime(START + 1_000);
    expect(await whoami(isolate, key, OUTSIDE)).toBe(403);
    expect(counts.gate).toBe(4);
  });

  it("on a lease is decided without a call, inside and outside", async () => {
    freeze(START);
    const { key, isolate, counts } = await limited(["203.0.113.0/24"], { limit: 10_000 });
    for (let times = 0; times < 40; times++) {
      expect(await whoami(isolate, key, INSIDE)).toBe(200);
      vi.setSystemTime(Date.now() + 20);
    }
    counts.gate = 0;
    expect([await whoami(isolate, key, OUTSIDE), await whoami(isolate, key, INSIDE)]).toEqual([403, 200]);
    expect(counts.gate).toBe(0);
  });

  it("is refused by D1 too, when its gate is down", async () => {
    const { key } = await limited(["203.0.113.0/24"]);
    const isolate = createIsolate(failStores(env, "gate"));
    expect([await whoami(isolate, key, OUTSIDE), await whoami(isolate, key, INSIDE)]).toEqual([403, 200]);
  });

  it("with a wrong secret is told nothing of it", async () => {
    const { owner, id, key, isolate } = await limited(["203.0.113.0/24"]);
    await owner.json("POST", `/keys/${id}/rotate`, { graceSeconds: 0 });
    expect([await whoami(isolate, key, OUTSIDE), await whoami(isolate, key, INSIDE)]).toEqual([401, 401]);
  });
});

describe("a key that takes the first address", () => {
  const listOf = async (owner: ReturnType<typeof createOwner>) => (await owner.keys())[0]?.allowedAddresses;

  it("takes one, though many isolates ask at the same moment, through its gate and past it", async () => {
    const { owner, key } = await limited(["first-use"]);
    expect(await listOf(owner)).toEqual(["first-use"]);
    const addresses = Array.from({ length: 12 }, (_, index) => `203.0.113.${index}`);
    const cutOff = failStores(env, "gate");
    const statuses = await Promise.all(
      addresses.map((address, index) => whoami(createIsolate(index % 3 === 0 ? cutOff : env), key, address)),
    );
    const admitted = addresses.filter((_, index) => statuses[index] === 200);
    expect(statuses.filter((status) => status !== 200)).toEqual(new Array(11).fill(403));
    expect(await listOf(owner)).toEqual(admitted);
    const { items } = await (await owner.json("GET", "/activity")).json<{ items: AuditEvent[] }>();
    expect(items.map(({ event }) => event)).toEqual(["changed", "created"]);
    expect(items[0]).toMatchObject({
      actor: null,
      address: admitted[0],
      changes: { before: { allowedAddresses: ["first-use"] }, after: { allowedAddresses: admitted } },
    });
    const isolate = createIsolate();
    for (const address of addresses)
      expect(await whoami(isolate, key, address)).toBe(address === admitted[0] ? 200 : 403);
  });

  it("takes none of a wrong secret, of a paused key, and none that is missing", async () => {
    const { owner, id, key, isolate } = await limited(["first-use"]);
    const { key: next } = await (await owner.json("POST", `/keys/${id}/rotate`, { graceSeconds: 0 })).json<{
      key: string;
    }>();
    expect(await whoami(isolate, key, INSIDE)).toBe(401);
    expect(await whoami(isolate, next)).toBe(403);
    await owner.json("PATCH", `/keys/${id}`, { paused: true });
    expect(await whoami(createIsolate(), next, OUTSIDE)).toBe(403);
    expect(await listOf(owner)).toEqual(["first-use"]);
    await owner.json("PATCH", `/keys/${id}`, { paused: false });
    expect(await whoami(createIsolate(), next, INSIDE)).toBe(200);
    expect(await listOf(owner)).toEqual([INSIDE]);
  });

  it("takes none while D1 does not take it: 503, and the next request takes it", async () => {
    const { owner, id, key } = await limited(["first-use"]);
    vi.spyOn(console, "warn").mockImplementation(() => {});
    await runInDurableObject(gateOf(id), () => {});
    const watched = await watchDatabase(gateOf(id));
    // The gate has the record, and D1 goes down then.
    expect(await whoami(createIsolate(), key)).toBe(403);
    watched.down = true;
    expect(await whoami(createIsolate(), key, INSIDE)).toBe(503);
    watched.down = false;
    expect(await whoami(createIsolate(), key, OUTSIDE)).toBe(200);
    expect(await listOf(owner)).toEqual([OUTSIDE]);
  });

  it("can be set again, and then takes another", async () => {
    const { owner, id, key, isolate } = await limited(["first-use"]);
    expect(await whoami(isolate, key, INSIDE)).toBe(200);
    await owner.json("PATCH", `/keys/${id}`, { allowedAddresses: ["first-use"] });
    expect([await whoami(isolate, key, OUTSIDE), await whoami(isolate, key, INSIDE)]).toEqual([200, 403]);
  });

  it("is not opened to another by who makes sure of the gate: an empty change leaves the one that came first", async () => {
    const owner = createOwner();
    const { apiKey, key } = await owner.create();
    const cutOff = createOwner(owner.email, failStores(env, "gate"));
    const failed = await cutOff.json("PATCH", `/keys/${apiKey.id}`, { allowedAddresses: ["first-use"] });
    const detail = expect.stringContaining("Send an empty change (`{}`)");
    expect([failed.status, await failed.json()]).toMatchObject([503, { detail }]);
    const isolate = createIsolate();
    expect(await whoami(isolate, key, INSIDE)).toBe(200);
    expect((await owner.json("PATCH", `/keys/${apiKey.id}`, {})).status).toBe(200);
    expect([await whoami(isolate, key, OUTSIDE), await whoami(isolate, key, INSIDE)]).toEqual([403, 200]);
  });

  it("is granted no lease before it has one", async () => {
    const { id, key } = await limited(["first-use"], { limit: 10_000 });
    const gate = gateOf(id);
    const { secretHash } = await secretOf(key);
    expect(await gate.report(secretHash, { limited: 0 }, 100)).toBeUndefined();
    await gate.admit(secretHash, 0, INSIDE);
    expect(await gate.report(secretHash, { limited: 0 }, 100)).toMatchObject({
      lease: { admissions: 150 },
      tenant: { allowedAddresses: [INSIDE] },
    });
  });
});

const secretOf = async (text: string) => {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return { secretHash: Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("") };
};

it("what was granted holds for its own lease: an answer that comes late gives nothing to the leases after it", () => {
  const use = new KeyUse("hash");
  const answer = (id: string, allowedAddresses: string[] | null, scopes: ["surveys:read"] | []): Admission => ({
    outcome: "admitted",
    tenant: { accountId: "a", accountSuspended: false, scopes, allowedAddresses },
    rateLimit: { limit: 100, windowMs: 60_000 },
    lease: { id, admissions: 1, forMs: 1_000 },
  });
  const sent = new Request("https://api.example/tenant/whoami");
  const from = (now: number, address: string) => ({ now, address, operation: "whoami", sent });
  const [before, after] = [use.ask(START), use.ask(START + 1)];
  use.take(after, answer("narrow", [INSIDE], []), START);
  use.take(before, answer("wide", null, ["surveys:read"]), START);
  // The narrow lease is used up first, by what it allows; then the wide one, until its own end.
  expect(use.decide(from(START + 2, INSIDE))).toMatchObject({ outcome: "admitted", tenant: { scopes: [] } });
  expect(use.decide(from(START + 3, OUTSIDE))).toMatchObject({
    outcome: "admitted",
    tenant: { scopes: ["surveys:read"] },
  });
  use.take(use.ask(START + 4), answer("narrow again", [INSIDE], []), START + 4);
  expect(use.decide(from(START + 5, OUTSIDE))).toEqual({ outcome: "refused", reason: "address" });
});
