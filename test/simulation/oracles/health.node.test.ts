import { expect, test } from "vitest";
import type { HistoryEvent } from "../history.ts";
import { health } from "./health.ts";
import { asked, fault, history, stored } from "./seen/hand-made.ts";

const found = (...events: (HistoryEvent | readonly HistoryEvent[])[]): number => health.check(history(events)).length;
const OK = { DB: "ok", DB_1: "ok", CHANGELOGS: "ok", API_KEY_GATE: "ok" };
const ask = (from: number, to: number, status: number, more: object = {}) =>
  asked(from, [from, to], { operation: "getHealth", path: "/health" }, status, {
    body: { stores: { ...OK, ...more } },
  });

test("an answer names what is down, in time", () => {
  expect(found(ask(100, 200, 200))).toBe(0);
  expect(found(ask(100, 200, 503))).toBe(1);
  expect(found(ask(100, 200, 503, { DB: "down" }))).toBe(1);
  const down = fault("d1", 1_000, 60_000, "0");
  expect(found(down, ask(20_000, 22_000, 503, { DB: "down" }))).toBe(0);
  expect(found(down, ask(20_000, 22_000, 200))).toBe(1);
  expect(found(down, ask(2_000, 2_100, 200))).toBe(0);
  expect(found(down, ask(20_000, 23_000, 503, { DB: "down" }))).toBe(1);
  expect(found(down, ask(20_000, 22_000, 503, { DB: "down", DB_1: "down" }))).toBe(1);
});

test("an isolate asks a store once in five seconds", () => {
  const asks = (second: number, isolate = "a") => [
    ...ask(100, 200, 200),
    ...asked(second, [second, second + 50], { operation: "getHealth", path: "/health", isolate }, 200, {
      body: { stores: OK },
    }),
    stored(100, 110, "kv", "CHANGELOGS"),
    stored(second, second + 10, "kv", "CHANGELOGS"),
  ];
  expect(found(asks(5_100))).toBe(0);
  expect(found(asks(3_000))).toBe(1);
  expect(found(asks(3_000, "b"))).toBe(0);
});
