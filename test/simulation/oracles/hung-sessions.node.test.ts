import { expect, test } from "vitest";
import type { HistoryEvent, Oracle } from "../history.ts";
import { available } from "./availability.ts";
import { changelogFresh } from "./freshness.ts";
import { health } from "./health.ts";
import { hungSessions } from "./hung-sessions.ts";
import { consistencyTokens } from "./read-your-writes.ts";
import {
  asked,
  changelog,
  fault,
  history,
  ideaBank,
  PANELIST,
  proposal,
  sessionsHang,
  stored,
  TOKEN,
  world,
  wrote,
} from "./seen/hand-made.ts";

const found = (oracle: Oracle, ...events: (HistoryEvent | readonly HistoryEvent[])[]): number =>
  oracle.check(history([...world, ...events])).length;
const view = (call: number, from: number, to: number, status: number, body?: object, isolate = "a") =>
  asked(call, [from, to], { ...changelog, isolate }, status, { body });
const inSession = (call: number, at: number) => stored(call, at, "d1", "0", { inSession: true });

const hang = sessionsHang(10_000, 100_000);
/** Isolate a waits for the first time at 20 s. */
const waits = [view(1, 20_000, 22_000, 503), inSession(1, 20_001)].flat();

test("503 is excused until nine seconds after the isolate's first wait: that is when a failure of the fifth was told last", () => {
  expect(found(available, hang, waits, view(2, 28_900, 28_910, 503))).toBe(0);
  expect(found(available, hang, waits, view(2, 29_100, 29_110, 503))).toBe(1);
  // Another isolate has not waited yet.
  expect(found(available, hang, waits, view(2, 29_100, 29_110, 503, {}, "b"))).toBe(0);
  // While something else is wrong with the database nobody can tell that its sessions alone hang.
  expect(found(available, hang, waits, fault("d1", 15_000, 60_000, "0"), view(2, 29_100, 29_110, 503))).toBe(0);
  // Of a database whose sessions answer.
  expect(found(available, sessionsHang(10_000, 100_000, "1"), view(2, 29_100, 29_110, 503))).toBe(1);
});

test("a wait is a call in a session that was not answered in two seconds, or refused", () => {
  const late = view(2, 29_100, 29_110, 503);
  expect(found(available, hang, view(1, 20_000, 20_100, 200), inSession(1, 20_001), late)).toBe(0);
  expect(found(available, hang, view(1, 20_000, 22_000, 503), stored(1, 20_001, "d1", "0"), late)).toBe(0);
  expect(found(available, hang, view(1, 20_000, 22_100, 200), inSession(1, 20_001), late)).toBe(1);
});

test("from the fifth second on nobody waits", () => {
  const slow = (at: number) => view(2, at, at + 2_000, 200);
  expect(found(hungSessions, hang, waits, slow(24_900))).toBe(0);
  expect(found(hungSessions, hang, waits, slow(25_100))).toBe(1);
  expect(found(hungSessions, hang, waits, view(2, 25_100, 26_500, 200))).toBe(0);
  expect(found(hungSessions, hang, waits, fault("kv", 20_000, 21_000), slow(25_100))).toBe(0);
  expect(found(hungSessions, sessionsHang(10_000, 26_000), waits, slow(25_100))).toBe(0);
});

test("an old view is excused as long as 503 is", () => {
  const [before, after] = [proposal("0prop0000001"), proposal("0prop0000001", { title: "New" })];
  const [opened, edited] = [wrote(1, "proposals", before), wrote(5_000, "proposals", after, before)];
  const shows = (at: number) =>
    view(2, at, at + 10, 200, { items: [{ title: before.title, description: "Text", lastModified: 1 }] });
  const events = [wrote(0, "idea_banks", ideaBank()), opened, edited, hang, waits].flat();
  expect(found(changelogFresh, ...events, shows(28_900))).toBe(0);
  expect(found(changelogFresh, ...events, shows(29_100))).toBe(1);
});

test("a write has no Consistency-Token while sessions hang, and until the isolate has tried them again", () => {
  const vote = (at: number) => [
    ...asked(
      2,
      [at, at + 20],
      {
        operation: "vote",
        method: "PUT",
        path: "/ideabank/proposals/0prop0000001/vote",
        headers: { authorization: TOKEN },
      },
      200,
    ),
    wrote(at + 5, "votes", { proposal_id: "0prop0000001", panelist_id: PANELIST }, null, 2),
  ];
  const asks = (at: number) => stored(3, at, "d1", "0");
  expect(found(consistencyTokens, hang, vote(9_000))).toBe(1);
  expect(found(consistencyTokens, hang, asks(50_000), vote(50_000))).toBe(0);
  expect(found(consistencyTokens, hang, asks(50_000), vote(110_000))).toBe(0);
  expect(found(consistencyTokens, hang, asks(50_000), asks(109_900), vote(112_000))).toBe(0);
  expect(found(consistencyTokens, hang, asks(50_000), asks(110_900), vote(112_000))).toBe(1);
});

test("/health names the database all the time", () => {
  const says = (DB: string) =>
    asked(2, [40_000, 40_010], { operation: "getHealth", path: "/health" }, DB === "ok" ? 200 : 503, {
      body: { stores: { DB, DB_1: "ok", CHANGELOGS: "ok", API_KEY_GATE: "ok" } },
    });
  expect(found(health, sessionsHang(10_000, 100_000, "0"), says("down"))).toBe(0);
  expect(found(health, sessionsHang(10_000, 100_000, "0"), says("ok"))).toBe(1);
});
