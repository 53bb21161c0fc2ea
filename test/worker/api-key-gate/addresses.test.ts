/** Keys that are limited to addresses and decided without a call where that can be. */
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { KeyUse } from "../../../src/worker/api-key-gate/key-use.ts";
import type { Admission } from "../../../src/worker/model/api-key.ts";
import { freeze } from "../../support/clock.ts";
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

  it("is refused elsewhere at the cost of a call a second at most, and nothing of its limit", {
    tags: "slow",
  }, async () => {
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

  it("with a wrong secret is told nothing of it", { tags: "slow" }, async () => {
    const { owner, id, key, isolate } = await limited(["203.0.113.0/24"]);
    await owner.json("POST", `/keys/${id}/rotate`, { graceSeconds: 0 });
    expect([await whoami(isolate, key, OUTSIDE), await whoami(isolate, key, INSIDE)]).toEqual([401, 401]);
  });
});

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
  use.receive(after, answer("narrow", [INSIDE], []), START);
  use.receive(before, answer("wide", null, ["surveys:read"]), START);
  // The narrow lease is used up first, by what it allows; then the wide one, until its own end.
  expect(use.decide(from(START + 2, INSIDE))).toMatchObject({ outcome: "admitted", tenant: { scopes: [] } });
  expect(use.decide(from(START + 3, OUTSIDE))).toMatchObject({
    outcome: "admitted",
    tenant: { scopes: ["surveys:read"] },
  });
  use.receive(use.ask(START + 4), answer("narrow again", [INSIDE], []), START + 4);
  expect(use.decide(from(START + 5, OUTSIDE))).toEqual({ outcome: "refused", reason: "address" });
});
