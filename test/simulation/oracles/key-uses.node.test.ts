import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { HistoryEvent, Oracle } from "../history.ts";
import { lastUse } from "./last-use.ts";
import { operationCounts } from "./operation-counts.ts";
import { account, apiKey, asked, fault, history, KEY, KEY_ID, wrote } from "./seen/hand-made.ts";

const hashOf = (text: string) => createHash("sha256").update(text).digest("hex");
const OLD_KEY = KEY.replaceAll("S", "O");
const row = (more = {}) => apiKey({ secret_hash: hashOf(KEY), previous_secret_hash: null, ...more });
const ROTATED = { previous_secret_hash: hashOf(OLD_KEY), previous_expires_at: 3_600_000 };
const rotated = (at: number) => wrote(at, "api_keys", row(ROTATED), row({ secret_hash: hashOf(OLD_KEY) }));
const world = wrote(0, "accounts", account());

const SENDER = { "cf-connecting-ip": "192.0.2.77", "cf-ipcountry": "DE", "user-agent": "crm-sync/2.1" };
type More = { readonly key?: string; readonly headers?: object; readonly operation?: string; readonly reason?: string };
const used = (
  call: number,
  at: number,
  status = 200,
  { key = KEY, headers, operation = "whoami", reason }: More = {},
) =>
  asked(call, [at, at + 5], { operation, headers: { ...SENDER, ...headers, "x-api-key": key } }, status, {
    headers: { ratelimit: '"api-key";r=1;t=60' },
    ...(reason !== undefined && { body: { reason } }),
  });
const seen = (at: number, more = {}) => ({
  at: new Date(at + 2).toISOString(),
  network: "192.0.2.0/24",
  country: "DE",
  userAgent: "crm-sync/2.1",
  operation: "whoami",
  ...more,
});
const NOTHING = { items: [], hours: [], days: [], lastUse: null, lastRefusal: null, previousLastUse: null };
const LOOK = { operation: "getApiKeyUsage", path: `/account/api/keys/${KEY_ID}/usage` };
const looked = (at: number, shown: object) => asked(900, [at, at + 5], LOOK, 200, { body: { ...NOTHING, ...shown } });
const found = (
  oracle: Oracle,
  events: readonly (HistoryEvent | readonly HistoryEvent[])[],
  key: HistoryEvent = wrote(0, "api_keys", row()),
) => oracle.check(history([world, key, ...events])).length;
const uses = (...events: readonly (HistoryEvent | readonly HistoryEvent[])[]) => found(lastUse, events);

test("the last use is one that there was, with its facts", () => {
  const lookAt = (more: object) => uses(used(1, 1_000), looked(5_000, { lastUse: seen(1_000, more) }));
  expect(lookAt({})).toBe(0);
  for (const other of [
    { network: "192.0.3.0/24" },
    { network: "192.0.2.77" },
    { country: null },
    { userAgent: "curl" },
    { operation: "listSurveys" },
    { at: new Date(3_000).toISOString() },
    { at: new Date(900).toISOString() },
  ])
    expect(lookAt(other)).toBe(1);
});
test("an IPv6 address is shown by 48 bits, one that is IPv4 by 24, and of a long User-Agent 100 characters", () => {
  const lookAt = (address: string, network: string) =>
    uses(
      used(1, 1_000, 200, { headers: { "cf-connecting-ip": address, "user-agent": "a".repeat(200) } }),
      looked(5_000, { lastUse: seen(1_000, { network, userAgent: "a".repeat(100) }) }),
    );
  expect(lookAt("2001:db8:12:34::7", "2001:db8:12::/48")).toBe(0);
  expect(lookAt("2001:db8:12::7", "2001:db8:12::/48")).toBe(0);
  expect(lookAt("::ffff:192.0.2.77", "192.0.2.0/24")).toBe(0);
  expect(lookAt("2001:db8:12:34::7", "2001:db8:12:34::/64")).toBe(1);
});
test("a refusal and a forged key are no use", () => {
  const shown = looked(5_000, { lastUse: seen(1_000) });
  expect(uses(used(1, 1_000, 429), shown)).toBe(1);
  expect(uses(used(1, 1_000, 403, { reason: "paused" }), shown)).toBe(1);
  expect(uses(used(1, 1_000, 401, { reason: "revoked" }), shown)).toBe(1);
  expect(uses(used(1, 1_000, 401, { key: `${KEY.slice(0, -1)}x` }), shown)).toBe(1);
  expect(uses(used(1, 1_000, 403), shown)).toBe(0);
});
test("a use is shown within seconds, and later ones instead", () => {
  const both = [used(1, 1_000), used(2, 30_000)];
  expect(uses(used(1, 1_000), looked(16_000, {}))).toBe(0);
  expect(uses(used(1, 1_000), looked(20_000, {}))).toBe(1);
  expect(uses(...both, looked(35_000, { lastUse: seen(1_000) }))).toBe(0);
  expect(uses(...both, looked(50_000, { lastUse: seen(1_000) }))).toBe(1);
  expect(uses(...both, looked(50_000, { lastUse: seen(30_000) }))).toBe(0);
});
test("a gate that does not answer when its owner looks excuses what is older", () => {
  const missing = [used(1, 1_000), looked(99_000, {})];
  expect(uses(...missing, fault("gate", 98_000, 99_004, KEY_ID))).toBe(0);
  expect(uses(...missing, fault("gate", 80_000, 90_000, KEY_ID))).toBe(1);
  expect(uses(...missing, fault("gate", 98_000, 99_004, "0key00000002"))).toBe(1);
});
test("a crash, a fault and the isolate's end excuse what is missing; an eviction does not", () => {
  const end = (how: "crash" | "eviction"): HistoryEvent => ({ kind: "gate-ended", at: 2_000, key: KEY_ID, how });
  const missing = [used(1, 1_000), looked(70_000, {})];
  expect(uses(...missing, end("crash"))).toBe(0);
  expect(uses(...missing, fault("gate", 2_000, 5_000, KEY_ID))).toBe(0);
  expect(uses(...missing, fault("d1", 2_000, 5_000, "0"))).toBe(0);
  expect(uses(...missing, { kind: "isolate-ended", at: 2_000, isolate: "a" })).toBe(0);
  expect(uses(...missing, end("eviction"))).toBe(1);
  expect(uses(...missing, fault("gate", 2_000, 5_000, "0key00000002"))).toBe(1);
});
test("what met a fault of its gate may be a use, whatever was answered", () => {
  const shown = looked(5_000, { lastUse: seen(1_000) });
  expect(uses(used(1, 1_000, 401, { reason: "revoked" }), fault("gate", 900, 1_100, KEY_ID), shown)).toBe(0);
});

test("the last refusal has its true reason", () => {
  const lookAt = (status: number, reason: string | undefined, shown: string) =>
    uses(
      used(1, 1_000, status, reason === undefined ? {} : { reason }),
      looked(5_000, { lastRefusal: seen(1_000, { reason: shown }) }),
    );
  expect(lookAt(429, undefined, "limited")).toBe(0);
  expect(lookAt(403, "paused", "paused")).toBe(0);
  expect(lookAt(401, undefined, "wrong-secret")).toBe(0);
  expect(lookAt(429, undefined, "address")).toBe(1);
  expect(lookAt(403, "paused", "limited")).toBe(1);
  expect(lookAt(200, undefined, "limited")).toBe(1);
});
test("a key over its limit has its last refusal within seconds; one that is only refused has one", () => {
  const first = looked(99_000, { lastRefusal: seen(1_000, { reason: "limited" }) });
  expect(uses(used(1, 1_000, 429), used(2, 20_000, 429), first)).toBe(1);
  expect(uses(used(1, 1_000, 429), used(2, 90_000, 429), first)).toBe(0);
  const paused = [1_000, 20_000].map((at, call) => used(call, at, 403, { reason: "paused" }));
  expect(uses(...paused, looked(99_000, { lastRefusal: seen(1_000, { reason: "paused" }) }))).toBe(0);
  expect(uses(...paused, looked(99_000, {}))).toBe(1);
});

test("the last use of the old secret was made with the secret before the last rotation, while that works", () => {
  const old = used(1, 1_000, 200, { key: OLD_KEY });
  const shown = looked(5_000, { lastUse: seen(1_000), previousLastUse: seen(1_000) });
  expect(found(lastUse, [old, shown], rotated(0))).toBe(0);
  expect(found(lastUse, [used(1, 1_000), shown], rotated(0))).toBe(1);
  expect(found(lastUse, [old, shown, wrote(2_000, "api_keys", row(), row(ROTATED))], rotated(0))).toBe(1);
  const ended = wrote(2_000, "api_keys", row({ ...ROTATED, revoked_at: 2_000 }), row(ROTATED));
  expect(found(lastUse, [old, shown, ended], rotated(0))).toBe(1);
});
test("a use of the old secret is shown within seconds, one from before the rotation never", () => {
  const old = used(1, 1_000, 200, { key: OLD_KEY });
  const none = looked(70_000, { lastUse: seen(1_000) });
  expect(found(lastUse, [old, none], rotated(0))).toBe(1);
  expect(found(lastUse, [old, none, rotated(2_000)])).toBe(0);
  const rotation = (to: number) => asked(2, [400, to], { operation: "rotateApiKey" }, 201);
  const byCall = wrote(500, "api_keys", row(ROTATED), row({ secret_hash: hashOf(OLD_KEY) }), 2);
  expect(found(lastUse, [old, none, byCall, rotation(1_100)])).toBe(0);
  expect(found(lastUse, [old, none, byCall, rotation(900)])).toBe(1);
  const notNotified = asked(2, [400, 900], { operation: "rotateApiKey" }, 201, { body: { warning: "not reached" } });
  expect(found(lastUse, [old, none, byCall, notNotified])).toBe(0);
  const step = { kind: "clock-stepped", at: 10, where: "b", by: 277 } as const;
  expect(found(lastUse, [old, none, step, byCall, rotation(900)])).toBe(0);
});

const HOUR = new Date(0).toISOString();
const DAY = HOUR;
const admitted = (requests: number, operation = "whoami") => ({ operation, admitted: requests });
const chart = (rows: readonly object[], admitted: number, limited = 0) => ({
  items: [{ hour: HOUR, admitted, limited }],
  hours: rows.map((each) => ({ ...each, start: HOUR })),
  days: rows.map((each) => ({ ...each, start: DAY })),
});
const counts = (...events: readonly (HistoryEvent | readonly HistoryEvent[])[]) => found(operationCounts, events);

test("counts by operation add up to the totals, and days to hours", () => {
  const requests = [used(1, 1_000), used(2, 2_000, 429)];
  expect(counts(...requests, looked(80_000, chart([admitted(1)], 1, 1)))).toBe(0);
  expect(counts(...requests, looked(80_000, chart([admitted(1)], 2, 1)))).toBe(1);
  expect(counts(...requests, looked(80_000, { ...chart([admitted(1)], 1, 1), days: [] }))).toBe(1);
});
test("each operation has what was admitted", () => {
  const listed = { operation: "listSurveys" };
  const shown = (...rows: readonly object[]) => looked(80_000, chart(rows, 2));
  const requests = [used(1, 1_000, 403, listed), used(2, 2_000)];
  expect(counts(...requests, shown(admitted(1), admitted(1, "listSurveys")))).toBe(0);
  expect(counts(...requests, shown(admitted(2)))).toBe(2);
  expect(counts(...requests, shown(admitted(1), admitted(1, "createSurvey")))).toBe(2);
});
test("a fault excuses what is missing, and one too many only of a request that met it", () => {
  const gate = fault("gate", 1_500, 1_900, KEY_ID);
  const asks: HistoryEvent = { kind: "store-called", at: 1_001, store: "gate", call: 1, isolate: "a", name: KEY_ID };
  const twice = (at: number) => counts(gate, asks, used(1, at), looked(80_000, chart([admitted(2)], 2)));
  expect(counts(gate, used(1, 1_000), looked(80_000, chart([], 1)))).toBe(0);
  expect(twice(1_000)).toBe(1);
  expect(twice(1_600)).toBe(0);
});
