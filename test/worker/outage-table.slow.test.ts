/**
 * "What fails, and how" (design section 3), for every operation of the three tables, each store that it uses, and each way in
 * which a store fails; with an isolate that knows the tenant and one that does not.
 *
 * Each: the status, `Retry-After` with 503, never 500, an answer within the deadline, service a second after the repair; and a
 * second tenant's request beside it that has the status, and makes the calls, that it has and makes alone. The tenants of every second operation are in the other database.
 */
import { runInDurableObject } from "cloudflare:test";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type Fault, STORES, type Store, WAYS, type Way, withFault } from "../support/faults.ts";
import { gateOf } from "../support/gate.ts";
import { type OperationCase, operationsOf } from "../support/operations.ts";
import { createOutageIsolate } from "../support/outage-isolate.ts";
import { addTenants, type Tenant } from "../support/outage-world.ts";
import { telling as env } from "../support/told.ts";
import { VirtualTime } from "../support/virtual-time.ts";

const START = 1_900_000_000_000;
const eager: Env = { ...env, FRESHNESS_SECONDS: "0" };
const operations = [...operationsOf("apiKey"), ...operationsOf("compoundToken"), ...operationsOf("access")];
let time: VirtualTime;

beforeEach(() => {
  time = new VirtualTime(START);
  for (const level of ["warn", "error", "debug"] as const) vi.spyOn(console, level).mockImplementation(() => {});
});
afterEach(() => void vi.useRealTimers());

type Row = { readonly status: number; readonly withinMs: number };

/** What the table says. */
function expected(each: OperationCase, { store, way }: Fault, warm: boolean): Row {
  const served = (withinMs: number): Row => ({ status: each.status, withinMs });
  const { kind } = each.operation.credential;
  if (store === "kv" || store === "limiter") return served(1_000);
  if (store === "gate") {
    // The key is checked against D1 instead; a gate that its own key overloads is not.
    if (kind === "apiKey") return way === "overload" ? { status: 503, withinMs: 0 } : served(2_000);
    // A revocation that the gate did not confirm says so. A rotation shows the new key all the same, with a warning.
    const mustBeSure = each.name === "revokeApiKey" || each.name === "changeApiKey";
    return mustBeSure && way !== "a slow answer" ? { status: 503, withinMs: 10_000 } : served(10_000);
  }
  const fromMemory =
    ["getChangelog", "getAtomFeed", "getJsonFeed", "getCapabilities", "whoami"].includes(each.name) && warm;
  if (fromMemory) return served(2_000);
  if (way === "a slow answer") return served(10_000);
  return { status: 503, withinMs: kind === "apiKey" ? 12_000 : 10_000 };
}

/** D1 fails where it is called: in the Worker, and in the key's gate. */
async function faultGate(tenant: Tenant, fault: Fault): Promise<void> {
  if (fault.store !== "d1") return;
  await runInDurableObject(gateOf(tenant.apiKeyId), (instance) => {
    Object.assign(instance, { env: withFault(env, time, { fault, inside: true }).bindings });
  });
}

/** A tenant's request with nothing wrong: its status, and the calls that it makes. */
async function untroubled(each: OperationCase, tenant: Tenant, warm: boolean, isolate = createOutageIsolate(time)) {
  const { bindings, counts } = withFault(eager, time, {});
  if (warm) await isolate.warm(each, tenant, bindings);
  for (const store of STORES) counts[store] = 0;
  const { answer, done } = isolate.call(each, tenant, 0, bindings);
  const { status } = (await time.until(answer)).answer;
  await done();
  return { status, counts };
}

type Untroubled = Awaited<ReturnType<typeof untroubled>>;

async function meet(each: OperationCase, fault: Fault, warm: boolean, [tenant, other]: Tenant[], control: Untroubled) {
  if (tenant === undefined || other === undefined) throw new Error("a case needs two tenants");
  const isolate = createOutageIsolate(time);
  fault.active = false;
  await faultGate(tenant, fault);
  const { bindings } = withFault(eager, time, { fault });
  if (warm) await isolate.warm(each, tenant, bindings);

  fault.active = true;
  const { answer: pending, done } = isolate.call(each, tenant, 0, bindings);
  expect(await untroubled(each, other, warm, isolate)).toEqual(control);
  const { answer, elapsedMs } = await time.until(pending);
  await done();

  const { status, withinMs } = expected(each, fault, warm);
  expect(answer.body).not.toContain("injected");
  expect([answer.status, answer.retryAfter === null]).toEqual([status, status !== 503]);
  expect(elapsedMs).toBeLessThanOrEqual(withinMs);

  // A store that has returned is used again within two seconds.
  fault.active = false;
  vi.setSystemTime(Date.now() + 2_000);
  const repaired = isolate.call(each, tenant, 1, bindings);
  expect((await time.until(repaired.answer)).answer.status).toBe(each.status);
  await repaired.done();
}

const cases = (store: Store) =>
  WAYS.flatMap((way: Way) => [true, false].map((warm) => ({ warm, fault: { store, way, active: false } })));

/** The stores that the operations of each credential call. */
const CALLED = {
  apiKey: ["d1", "gate"],
  compoundToken: ["d1", "kv", "limiter"],
  access: ["d1", "gate"],
  // operator/account-status.test.ts and operator/api-keys.test.ts: their answers say what is certain.
  operator: [],
  // /health, as above; leaks/outages.test.ts.
  none: [],
} as const;

describe.each(operations)("$name", (each) => {
  const digit = operations.indexOf(each) % 2 === 0 ? "1" : "0";

  it.each<Store>([...CALLED[each.operation.credential.kind]])("while %s fails", async (store) => {
    const [first, second] = await addTenants(2, digit);
    if (first === undefined || second === undefined) throw new Error("no tenants");
    const controls = [await untroubled(each, first, false), await untroubled(each, second, true)] as const;
    for (const { status } of controls) expect(status).toBe(each.status);
    // D1 is what a key's gate calls, too.
    if (controls[0].counts[store] === 0 && (store !== "d1" || controls[0].counts.gate === 0)) return;
    const all = cases(store);
    const tenants = await addTenants(2 * all.length, digit);
    for (const [index, { fault, warm }] of all.entries()) {
      const pair = tenants.slice(2 * index, 2 * index + 2);
      await meet(each, fault, warm, pair, controls[warm ? 1 : 0]).catch((error: unknown) => {
        throw new Error(`${fault.way}, ${warm ? "warm" : "cold"}`, { cause: error });
      });
    }
  });
});
