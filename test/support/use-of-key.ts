/** Requests with an API key through an isolate, and what its gate has counted. */
import { runDurableObjectAlarm } from "cloudflare:test";
import { expect, vi } from "vitest";
import { databaseOf } from "./databases.ts";
import { gateOf } from "./gate.ts";
import type { Isolate } from "./isolate.ts";

export const whoami = (isolate: Isolate, key: string) =>
  isolate.request("/tenant/whoami", { headers: { "X-API-Key": key } });

/** `times` requests at `perSecond`, in frozen time, with what is due at the end of each lease. */
export async function use(isolate: Isolate, key: string, times: number, perSecond: number) {
  const remaining: number[] = [];
  for (let each = 0; each < times; each++) {
    const response = await whoami(isolate, key);
    expect(response.status).toBe(200);
    remaining.push(Number(/r=(\d+)/.exec(response.headers.get("RateLimit") ?? "")?.[1]));
    vi.setSystemTime(Date.now() + 1_000 / perSecond);
  }
  return remaining;
}

/** Ways of a call to a gate. */
export const BROKEN: [string, () => Promise<unknown>][] = [
  ["fails", () => Promise.reject(new Error("injected fault: gate"))],
  ["hangs", () => new Promise(() => {})],
];

let alarms = 0;

const DAY_MS = 86_400_000;

/** What the gate has saved in D1 by now: each alarm comes a day later than the last. */
export const usageOf = async (id: string) => {
  const now = Date.now();
  alarms += 1;
  vi.setSystemTime(now + alarms * DAY_MS);
  await runDurableObjectAlarm(gateOf(id));
  vi.setSystemTime(now);
  const sums = "SELECT SUM(admitted) AS admitted, SUM(limited) AS limited FROM api_key_usage WHERE api_key_id = ?1";
  return databaseOf(id).prepare(sums).bind(id).first();
};
