import { expect, test } from "vitest";
import type { History, HistoryEvent, Oracle } from "../history.ts";
import { counts } from "./counts.ts";
import { earlyRefusals, retryAfterRespected } from "./early-refusals.ts";
import { panelistLimit } from "./panelist-limit.ts";
import { rateLimit } from "./rate-limit.ts";
import { apiKey, asked, changelog, fault, history, KEY_ID, stored, whoami, world, wrote } from "./seen/hand-made.ts";

const COUNTED = { headers: { "ratelimit-policy": "", ratelimit: '"api-key";r=1;t=60' } };
const found = (
  oracle: Oracle,
  events: readonly (HistoryEvent | readonly HistoryEvent[])[],
  settled: History["settled"] = {},
): number => oracle.check(history([...world, ...events], settled)).length;
const admitted = (
  count: number,
  from: number,
  each: number,
  first = 1,
  answer: { headers?: Record<string, string> } = COUNTED,
): HistoryEvent[] =>
  Array.from({ length: count }, (_, i) =>
    asked(first + i, [from + i * each, from + i * each + 5], whoami, 200, answer),
  ).flat();
const limited = (call: number, at: number, seconds = "10") =>
  asked(call, [at, at + 5], whoami, 429, { headers: { "retry-after": seconds } });
/** The owner's change of the key, by call 99. */
const changed = asked(
  99,
  [800, 950],
  { operation: "updateApiKey", path: `/account/api/keys/${KEY_ID}`, method: "PATCH" },
  200,
);
const crash = (at: number): HistoryEvent => ({ kind: "gate-ended", at, key: KEY_ID, how: "crash" });

test("20 admissions in a window keep a limit of 20, also when the next comes a window later", () => {
  expect(found(rateLimit, [...admitted(20, 1_000, 10), ...admitted(20, 61_200, 10, 21)])).toBe(0);
});
test("21 admissions in a window break a limit of 20, also through a crash", () => {
  expect(found(rateLimit, admitted(21, 1_000, 2_800))).toBe(1);
  expect(found(rateLimit, [...admitted(21, 1_000, 10), crash(1_100)])).toBe(1);
});
test("a request that may have been decided outside the window explains one more", () => {
  expect(found(rateLimit, [...admitted(20, 2_000, 10), asked(30, [2_100, 70_000], whoami, 200, COUNTED)])).toBe(0);
});
test("what a faulty gate could not count is exempt without RateLimit, and not with it", () => {
  const down = fault("gate", 500, 5_000, KEY_ID);
  expect(found(rateLimit, [...admitted(40, 1_000, 10, 1, {}), down])).toBe(0);
  expect(found(rateLimit, [...admitted(40, 1_000, 10), down])).toBe(1);
});
test("what D1 decided in place of a gate that waits for it is exempt, and not what was answered sooner", () => {
  const slow = fault("d1", 500, 9_000, "0");
  const late = (took: number) => asked(50, [2_000, 2_000 + took], whoami, 200, {});
  expect(found(rateLimit, [...admitted(20, 1_000, 10), late(2_100), slow])).toBe(0);
  expect(found(rateLimit, [...admitted(20, 1_000, 10), late(1_900), slow])).toBe(1);
  expect(found(rateLimit, [...admitted(20, 1_000, 10), late(2_100)])).toBe(1);
});
test("a changed limit takes over the admissions that still count", () => {
  const raised = wrote(900, "api_keys", apiKey({ rate_limit: 30 }), apiKey());
  const lowered = wrote(900, "api_keys", apiKey({ rate_limit: 10 }), apiKey(), 99);
  expect(found(rateLimit, [...admitted(30, 1_000, 10), raised])).toBe(0);
  expect(found(rateLimit, [...admitted(11, 1_000, 10), lowered, changed])).toBe(1);
});

const under = (limit: number) => (events: readonly (HistoryEvent | readonly HistoryEvent[])[]) =>
  earlyRefusals.check(history([wrote(1, "api_keys", apiKey({ rate_limit: limit }), null), ...events])).length;
test("a 429 within a twentieth of the limit is explained by leases, and within two by a crash more", () => {
  expect(under(80)([...admitted(76, 1_000, 10), limited(150, 2_000)])).toBe(0);
  expect(under(80)([...admitted(72, 1_000, 10), crash(1_900), limited(150, 2_000)])).toBe(0);
});
test("a 429 further from the limit is not", () => {
  expect(under(80)([...admitted(75, 1_000, 10), limited(150, 2_000)])).toBe(1);
  expect(under(80)([...admitted(71, 1_000, 10), crash(1_900), limited(150, 2_000)])).toBe(1);
  expect(under(80)([...admitted(80, 1_000, 10), limited(150, 70_000)])).toBe(1);
});
test("what was reserved under a higher limit counts after a crash also when the limit is lowered", () => {
  const lowered = wrote(1_500, "api_keys", apiKey({ rate_limit: 30 }), apiKey({ rate_limit: 400 }));
  expect(under(400)([...admitted(10, 1_000, 10), crash(1_200), lowered, limited(150, 2_000)])).toBe(0);
  expect(under(400)([...admitted(9, 1_000, 10), lowered, limited(150, 2_000)])).toBe(1);
});
test("below a limit of 80 there are no leases", () => {
  expect(under(79)([...admitted(79, 1_000, 10), limited(150, 2_000)])).toBe(0);
  expect(under(79)([...admitted(78, 1_000, 10), limited(150, 2_000)])).toBe(1);
});
test("a request that met a fault of its gate may count twice, and later when the gate did not decide it", () => {
  const slow = fault("gate", 900, 5_000, KEY_ID);
  const answer = { headers: {} };
  expect(found(earlyRefusals, [...admitted(10, 1_000, 10), slow, limited(50, 2_000)])).toBe(0);
  expect(found(earlyRefusals, [...admitted(9, 1_000, 10), slow, limited(50, 2_000)])).toBe(1);
  expect(found(earlyRefusals, [...admitted(10, 1_000, 10, 1, answer), slow, limited(50, 100_000)])).toBe(0);
  expect(found(earlyRefusals, [...admitted(10, 1_000, 10), slow, limited(50, 100_000)])).toBe(1);
});

test("after Retry-After a request passes, if nothing else used the key", () => {
  expect(found(retryAfterRespected, [limited(1, 1_000), limited(2, 10_000)])).toBe(0);
  expect(found(retryAfterRespected, [limited(1, 1_000), ...admitted(1, 10_500, 1, 3), limited(2, 11_100)])).toBe(0);
  expect(found(retryAfterRespected, [limited(1, 1_000), limited(2, 11_100)])).toBe(1);
  // An isolate may remember for a minute that the limit from before was reached.
  const lowered = wrote(900, "api_keys", apiKey({ rate_limit: 10 }), apiKey(), 99);
  expect(found(retryAfterRespected, [changed, lowered, limited(1, 2_000), limited(2, 12_100)])).toBe(0);
  expect(found(retryAfterRespected, [changed, lowered, limited(1, 70_000), limited(2, 80_100)])).toBe(1);
});

const chart = (admissions: number, refusals: number): History["settled"] => ({
  "0": {
    api_keys: [apiKey()],
    api_key_usage: [{ api_key_id: KEY_ID, hour: 0, admitted: admissions, limited: refusals }],
  },
});
test("the chart says what the answers say", () => {
  const events = [...admitted(3, 1_000, 10), ...limited(9, 3_000)];
  expect(found(counts, events, chart(3, 1))).toBe(0);
  expect(found(counts, events, chart(2, 1))).toBe(1);
  expect(found(counts, events, chart(4, 1))).toBe(1);
  expect(found(counts, events, chart(3, 0))).toBe(1);
});
test("an isolate's end and a crash explain too few, and no more than were made", () => {
  const events = admitted(3, 1_000, 10);
  expect(found(counts, [...events, { kind: "isolate-ended", at: 2_000, isolate: "a" }], chart(1, 0))).toBe(0);
  expect(found(counts, [...events, { kind: "isolate-ended", at: 2_000, isolate: "a" }], chart(4, 0))).toBe(1);
  expect(found(counts, [...events, crash(2_000)], chart(0, 0))).toBe(0);
  expect(found(counts, [...events, crash(2_000)], chart(9, 0))).toBe(1);
});

test("a panelist is refused after four requests, and not while the binding gives no answer", () => {
  const listed = { ...changelog, operation: "listProposals", path: "/ideabank/proposals" };
  const counted = (call: number, [at, until]: readonly [number, number], status: number) => [
    ...asked(call, [at, until], listed, status),
    stored(call, at, "limiter", "PANELIST_READS"),
  ];
  const asks = [1, 2, 3].flatMap((call) => counted(call, [call * 10, call * 10 + 5], 200));
  const refused = counted(4, [1_000, 1_800], 429);
  expect(found(panelistLimit, [asks.slice(3), refused])).toBe(1);
  expect(found(panelistLimit, [asks, refused])).toBe(0);
  const down = fault("limiter", 500, 9_000);
  expect(found(panelistLimit, [asks, refused, down])).toBe(1);
  // Of two faults one may let it answer, late.
  const slow = fault("limiter", 400, 8_000).map((event) =>
    event.kind === "fault-began" ? { ...event, how: "slow" as const } : event,
  );
  expect(found(panelistLimit, [asks, refused, down, slow])).toBe(0);
});
