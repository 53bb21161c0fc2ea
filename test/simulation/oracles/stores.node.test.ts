import { expect, test } from "vitest";
import type { HistoryEvent, Oracle } from "../history.ts";
import { available, outlasts, statedRefusals } from "./availability.ts";
import { budgets, forged, refusedAgain } from "./budgets.ts";
import { ORACLES } from "./index.ts";
import {
  ACCOUNT,
  account,
  apiKey,
  asked,
  changelog,
  databaseAnswered,
  fault,
  history,
  IDEA_BANK,
  ideaBank,
  KEY,
  KEY_ID,
  stored,
  TOKEN,
  whoami,
  world,
  wrote,
} from "./seen/hand-made.ts";
import { deadlines, nobodyWaitsInLine } from "./waiting.ts";

const found = (oracle: Oracle, ...events: (HistoryEvent | readonly HistoryEvent[])[]): number =>
  oracle.check(history([...world, ...events])).length;
const view = (call: number, from: number, to: number, status = 200, more: object = {}) =>
  asked(call, [from, to], { ...changelog, ...more }, status, { headers: status === 503 ? { "retry-after": "1" } : {} });
const use = (call: number, from: number, to: number, status = 200, headers: Record<string, string> = {}) =>
  asked(call, [from, to], whoami, status, { headers });

test("every oracle has a name of its own, and finds nothing in an empty history", () => {
  expect(new Set(ORACLES.map((oracle) => oracle.name)).size).toBe(ORACLES.length);
  expect(ORACLES.flatMap((oracle) => oracle.check(history([])))).toEqual([]);
  expect(ORACLES.flatMap((oracle) => oracle.check(history(world)))).toEqual([]);
});
test("a forged credential costs nothing", () => {
  const shown = asked(1, [10, 20], { operation: "createApiKey", path: "/account/api/keys", method: "POST" }, 201, {
    body: { key: KEY },
  });
  const other = asked(2, [100, 110], { headers: { "x-api-key": KEY.replaceAll("T", "U") } }, 401);
  expect(found(forged, shown, other, use(3, 200, 210), stored(3, 205, "gate", KEY_ID))).toBe(0);
  expect(found(forged, shown, other, stored(2, 105, "gate", KEY_ID))).toBe(1);
  expect(found(forged, asked(2, [100, 110], {}, 401), stored(2, 105, "d1", "0"))).toBe(1);
});
test("whoami calls its gate once, a changelog D1 once, and once more at the primary", () => {
  expect(found(budgets, use(1, 100, 110), stored(1, 105, "gate", KEY_ID), stored(1, 120, "d1", "0"))).toBe(0);
  expect(found(budgets, use(1, 100, 110), stored(1, 105, "d1", "0"))).toBe(1);
  expect(found(budgets, use(1, 100, 110), stored(1, 105, "gate", KEY_ID), stored(1, 106, "gate", KEY_ID))).toBe(1);
  expect(
    found(
      budgets,
      view(1, 100, 110),
      stored(1, 102, "d1", "0", { to: "replica" }),
      stored(1, 104, "d1", "0", { to: "primary" }),
    ),
  ).toBe(0);
  expect(found(budgets, view(1, 100, 110), stored(1, 102, "d1", "0"), stored(1, 104, "d1", "0"))).toBe(1);
  expect(found(budgets, view(1, 100, 110), stored(1, 102, "gate", KEY_ID))).toBe(1);
});
test("whoami may ask for a sign of life of a database that did not answer; what Account Settings has asked is none", () => {
  const down = fault("d1", 1_000, 2_000);
  const asks = [
    ...use(2, 9_000, 9_010),
    stored(2, 9_001, "gate", KEY_ID),
    // After a fault it may be asked by a session and without one, too.
    ...[9_002, 9_003, 9_004].map((at) => stored(2, at, "d1", "0", { to: "primary" })),
  ];
  const earlier = (path: string) => [
    ...asked(1, [7_000, 7_010], { path }, 200),
    stored(1, 7_001, "d1", "0", { to: "primary" }),
  ];
  expect(found(budgets, down, asks)).toBe(0);
  expect(found(budgets, down, earlier("/account/api/keys"), asks)).toBe(0);
  expect(found(budgets, down, earlier("/leaks/reports"), asks)).toBe(0);
  expect(found(budgets, down, earlier("/tenant/surveys"), asks)).toBe(1);
});
test("where there is no replica, what panelists read may ask the primary for a sign of life twice", () => {
  const down = fault("d1", 1_000, 2_000);
  const primary = (call: number, at: number) => stored(call, at, "d1", "0", { to: "primary" });
  // After a fault it may be asked by a session and without one, too.
  const asks = [...view(2, 60_000, 60_010), ...[60_001, 60_002, 60_003, 60_004].map((at) => primary(2, at))];
  const tenant = [...asked(1, [50_000, 50_010], { path: "/tenant/surveys" }, 200), primary(1, 50_001)];
  const panelist = (call: number, at: number, name = "0") => [
    ...view(call, at, at + 10),
    stored(call, at + 1, "d1", name, { to: "primary" }),
    stored(call, at + 2, "d1", name, { to: "primary" }),
  ];
  const far = [...view(3, 49_000, 49_010), stored(3, 49_001, "d1", "0", { to: "replica" })];
  expect(found(budgets, down, tenant, asks)).toBe(0);
  expect(found(budgets, down, panelist(1, 50_000), asks)).toBe(0);
  expect(found(budgets, down, panelist(1, 50_000), panelist(3, 51_000), asks)).toBe(1);
  expect(found(budgets, down, panelist(1, 50_000, "1"), panelist(3, 51_000), asks)).toBe(0);
  expect(found(budgets, down, far, tenant, asks)).toBe(1);
});
test("a new token is refused after one read more, at the primary", () => {
  const issue = { operation: "issueToken", method: "POST", path: `/tenant/ideabanks/${IDEA_BANK}/tokens` };
  const issued = asked(1, [100, 110], issue, 201, { body: { token: TOKEN } });
  const reads = (call: number, at: number, many: number) => [
    ...view(call, at, at + 10, 404),
    ...Array.from({ length: many }, (_, i) => stored(call, at + i, "d1", "0", { to: "primary" })),
  ];
  expect(found(budgets, issued, reads(2, 12_000, 2))).toBe(0);
  expect(found(budgets, issued, reads(2, 12_000, 3))).toBe(1);
  expect(found(budgets, issued, reads(2, 12_200, 2))).toBe(1);
  // A visitor's, too; where it was issued in the second in which visitors' tokens ended, it belongs to the next second.
  const visitor = `ibv_${IDEA_BANK}${"v".repeat(28)}`;
  const shown = asked(1, [100, 110], issue, 201, { body: { token: visitor } });
  const later = reads(2, 12_200, 2).map((event) =>
    event.kind === "sent" ? { ...event, headers: { authorization: visitor } } : event,
  );
  const ended = wrote(50, "idea_banks", ideaBank({ visitor_tokens_ended_at: 50 }), ideaBank());
  expect(found(budgets, shown, later)).toBe(1);
  expect(found(budgets, ended, shown, later)).toBe(0);
});
test("a key that was refused calls nothing again", () => {
  const revoked = wrote(10_000, "api_keys", apiKey({ revoked_at: 1 }), apiKey());
  const first = [...use(1, 200_000, 200_010, 401), stored(1, 200_005, "gate", KEY_ID)];
  const dead = [revoked, ...first, ...use(2, 230_000, 230_010, 401)];
  expect(found(refusedAgain, dead)).toBe(0);
  const again = (at: number) => [...use(2, at, at + 10, 401), stored(2, at + 5, "gate", KEY_ID)];
  expect(found(refusedAgain, first, again(201_100))).toBe(0);
  expect(found(refusedAgain, first, again(200_500))).toBe(1);
  expect(found(refusedAgain, dead, stored(2, 230_005, "gate", KEY_ID))).toBe(1);
  const over = [
    ...use(1, 200_000, 200_010, 429, { "retry-after": "10" }),
    ...use(2, 205_000, 205_010, 429, { "retry-after": "5" }),
  ];
  expect(found(refusedAgain, over)).toBe(0);
  expect(found(refusedAgain, over, stored(2, 205_005, "gate", KEY_ID))).toBe(1);
});
test("a 503 needs a store that the request needs to be down", () => {
  expect(found(available, view(1, 100, 110, 503), fault("d1", 50, 200, "0"))).toBe(0);
  expect(found(available, view(1, 100, 110, 503))).toBe(1);
  expect(found(available, view(1, 100, 110, 503), fault("d1", 50, 200, "1"))).toBe(1);
  expect(found(available, view(1, 100, 110, 503), fault("kv", 50, 200))).toBe(1);
  expect(found(available, use(1, 100, 110, 503), fault("gate", 50, 200, "0key00000009"))).toBe(1);
});
test("a 503 of Account Settings may be due to the removal of whoever made the account", () => {
  const removed = wrote(150, "accounts", account({ owner_email: ACCOUNT }), account());
  const remove = (path: string) => asked(1, [100, 200], { operation: "removeMember", method: "DELETE", path }, 503);
  expect(found(available, remove("/account/api/members/x"), removed)).toBe(0);
  expect(
    found(
      available,
      remove("/account/api/members/x"),
      wrote(150, "accounts", account({ status: "suspended" }), account()),
    ),
  ).toBe(1);
  expect(found(available, remove("/account/api/members/x"))).toBe(1);
  expect(found(available, view(1, 100, 200, 503), removed)).toBe(1);
});
test("refusals are stated", () => {
  expect(found(statedRefusals, view(1, 100, 110, 503))).toBe(0);
  expect(found(statedRefusals, use(1, 100, 110, 429))).toBe(1);
  expect(found(statedRefusals, use(1, 100, 110, 500))).toBe(1);
});
test("while D1 does not answer memory does, for 5 minutes", () => {
  const down = fault("d1", 50_000, 900_000);
  expect(found(outlasts, view(1, 30_000, 30_010), down, view(2, 320_000, 320_010, 503))).toBe(0);
  expect(found(outlasts, view(1, 30_000, 30_010), down, view(2, 310_000, 310_010, 503))).toBe(1);
  expect(found(outlasts, view(1, 30_000, 30_010), down, view(2, 310_000, 310_010, 503, { isolate: "b" }))).toBe(0);
  // It was closed when memory read it, and is open: a token from since then is not refused by memory, and an older one is.
  const shut = wrote(20_000, "idea_banks", ideaBank({ status: "CLOSED" }), ideaBank());
  const opened = wrote(40_000, "idea_banks", ideaBank(), ideaBank({ status: "CLOSED" }));
  const issue = { operation: "issueToken", method: "POST", path: `/tenant/ideabanks/${IDEA_BANK}/tokens` };
  const issued = (at: number) => asked(3, [at, at + 10], issue, 201, { body: { token: TOKEN } });
  const access = view(1, 30_000, 30_010, 200, { operation: "getCapabilities" });
  const late = view(2, 60_000, 60_010, 503);
  expect(found(outlasts, shut, access, opened, issued(55_000), down, late)).toBe(0);
  expect(found(outlasts, shut, access, opened, issued(45_000), down, late)).toBe(1);
  expect(found(outlasts, access, issued(55_000), down, late)).toBe(1);
  const known = use(1, 40_000, 40_010).map((event) => ({ ...event, at: event.at + 60_000 }));
  const later = fault("d1", 120_000, 900_000);
  expect(found(outlasts, known, later, use(2, 200_000, 200_010, 503))).toBe(1);
  expect(found(outlasts, known, later, use(2, 350_000, 350_010, 503))).toBe(0);
});
test("while D1 does not answer memory says nothing of an idea bank that was deleted", () => {
  const down = fault("d1", 50_000, 900_000);
  const deleted = (at: number) => wrote(at, "idea_banks", null, ideaBank());
  const late = view(2, 60_000, 60_010, 503);
  expect(found(outlasts, view(1, 30_000, 30_010), deleted(35_000), down, late)).toBe(0);
  expect(found(outlasts, view(1, 30_000, 30_010), down, late, deleted(61_000))).toBe(1);
});
test("no answer comes after a request's 12 seconds, and the longest lease when a key is ended", () => {
  expect(found(deadlines, view(1, 0, 12_000), use(2, 0, 12_500))).toBe(0);
  expect(found(deadlines, view(1, 0, 13_000), use(2, 0, 13_000))).toBe(2);
  const step = (where: string): HistoryEvent => ({ kind: "clock-stepped", at: 500, where, by: -1_000 });
  expect(found(deadlines, step("1.1"), view(1, 1_000, 14_400, 503, { isolate: "1.1" }))).toBe(0);
  expect(found(deadlines, step("1.1"), view(1, 1_000, 14_600, 503, { isolate: "1.1" }))).toBe(1);
  expect(found(deadlines, step("0.1"), view(1, 1_000, 14_400, 503, { isolate: "1.1" }))).toBe(1);
});
test("a fault of a gate or of D1 gives a request no more time", () => {
  const list = (to: number) =>
    asked(2, [0, to], { operation: "listSurveys", path: "/tenant/surveys", headers: { "x-api-key": KEY } }, 200);
  for (const down of [fault("gate", 0, 30_000, KEY_ID), fault("d1", 0, 30_000, "0")]) {
    expect(found(deadlines, down, list(12_500))).toBe(0);
    expect(found(deadlines, down, list(13_000))).toBe(1);
  }
});
test("nobody waits in line for a database that is known to hang", () => {
  const hang = fault("d1", 1_000, 70_000);
  const first = view(1, 1_100, 3_200);
  expect(found(nobodyWaitsInLine, hang, first, view(2, 4_000, 4_010, 503), view(3, 5_000, 6_000))).toBe(0);
  expect(found(nobodyWaitsInLine, hang, first, view(2, 4_000, 6_100))).toBe(1);
  // A slow gate says nothing of the database.
  const slow = fault("gate", 900, 3_000);
  expect(found(nobodyWaitsInLine, hang, slow, first, view(2, 9_000, 11_100))).toBe(0);
});
test("an answer that comes while a database hangs says that it answers", () => {
  const hang = fault("d1", 1_000, 70_000);
  const first = view(1, 1_100, 3_200);
  const late = databaseAnswered(950, 3_210);
  const waits = view(3, 4_000, 6_100);
  expect(found(nobodyWaitsInLine, hang, first, late, waits)).toBe(0);
  expect(found(nobodyWaitsInLine, hang, first, { ...late, isolate: "b" }, waits)).toBe(1);
  expect(found(nobodyWaitsInLine, hang, first, { ...late, name: "1" }, waits)).toBe(1);
});
