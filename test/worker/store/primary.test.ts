/** D1's own session may go on at a replica after its first answer: https://developers.cloudflare.com/d1/best-practices/read-replication/ */
import { env } from "cloudflare:workers";
import { afterEach, expect, it, vi } from "vitest";
import { Anchors } from "../../../src/worker/store/anchors.ts";
import { PrimarySession } from "../../../src/worker/store/databases.ts";
import { Sessions } from "../../../src/worker/store/hanging-sessions.ts";
import { prepare } from "../../../src/worker/store/statement.ts";
import { openDatabase } from "../../support/databases.ts";
import { hangSessions, withFault } from "../../support/faults.ts";
import { interceptDatabase } from "../../support/intercept-binding.ts";
import { VirtualTime } from "../../support/virtual-time.ts";

afterEach(() => void vi.useRealTimers());

/** Records with which constraint each D1 session is opened, and how many round trips each made. */
function record(database: D1Database) {
  const sessions: { constraint: string | undefined; roundTrips: number }[] = [];
  const withSession = (constraint?: string) => {
    const opened = { constraint, roundTrips: 0 };
    sessions.push(opened);
    return interceptDatabase(database.withSession(constraint), (_, makeCall) => {
      opened.roundTrips += 1;
      return makeCall();
    });
  };
  const recorded: D1Database = Object.assign(Object.create(database), { withSession });
  return { sessions, recorded };
}

const COUNT = prepare<{ n: number }>("SELECT count(*) AS n FROM idea_banks");

it("each round trip is the first of a session at the primary, whose bookmark goes on", async () => {
  const { sessions, recorded } = record(env.DB);
  const primary = openDatabase(recorded).primary();
  expect(primary.bookmark).toBe(undefined);

  await primary.session.first(COUNT);
  const reached = primary.bookmark;
  expect(reached).toEqual(expect.any(String));
  await primary.session.all(COUNT);
  const { one, two } = await primary.session.batch({ one: COUNT, two: COUNT });
  expect([one, two]).toEqual([[{ n: 0 }], [{ n: 0 }]]);
  await primary.session.batch({ one: COUNT });

  expect(sessions.every(({ constraint }) => constraint === "first-primary")).toBe(true);
  expect(sessions.map(({ roundTrips }) => roundTrips)).toEqual([1, 1, 1, 1]);
  expect(primary.bookmark).toEqual(expect.any(String));
});

it("what the binding answered has no bookmark, also when sessions answer again before the bookmark is read", async () => {
  const time = new VirtualTime(1_900_000_000_000);
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const fault = { active: false };
  const { DB } = hangSessions(withFault(env, time, {}).bindings, fault);
  const sessions = new Sessions();
  const open = () => new PrimarySession(DB, { sessions, anchors: new Anchors(6_000), call: (run) => run() });
  const both = open();
  await time.until(both.session.first(COUNT));
  sessions.note(both.bookmark);
  fault.active = true;
  await time.until(sessions.ping(DB));
  const primary = open();
  await time.until(primary.session.first(COUNT));
  await time.until(both.session.first(COUNT));
  const known = sessions.open(DB, "first-primary");
  const before = known.getBookmark?.();
  sessions.note("f");
  expect([before, known.getBookmark?.()]).toEqual([expect.stringMatching(/^0/), before]);

  fault.active = false;
  await time.until(sessions.ping(DB));
  expect(sessions.areHanging).toBe(false);
  expect([primary.bookmark, both.bookmark]).toEqual([undefined, undefined]);
});
