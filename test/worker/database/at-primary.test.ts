/** D1's own session may go on at a replica after its first answer: https://developers.cloudflare.com/d1/best-practices/read-replication/ */
import { expect, it } from "vitest";
import { openAtPrimary } from "../../../src/worker/database/at-primary.ts";
import { Sessions } from "../../../src/worker/database/sessions.ts";
import { databaseOf } from "../../support/databases.ts";
import { addIdeaBank } from "../../support/world.ts";

/** Records with which constraint each session is opened, and how many round trips each made. */
function record(database: D1Database) {
  const sessions: { constraint: string | undefined; roundTrips: number }[] = [];
  const withSession = (constraint?: string) => {
    const session = database.withSession(constraint);
    const opened = { constraint, roundTrips: 0 };
    sessions.push(opened);
    const prepare = (sql: string) => {
      const statement = session.prepare(sql);
      const first = statement.first.bind(statement);
      Object.assign(statement, {
        first: () => {
          opened.roundTrips += 1;
          return first();
        },
      });
      return statement;
    };
    const batch = (statements: D1PreparedStatement[]) => {
      opened.roundTrips += 1;
      return session.batch(statements);
    };
    return { prepare, batch, getBookmark: () => session.getBookmark() } as D1DatabaseSession;
  };
  return { sessions, withSession };
}

const SQL = "SELECT count(*) AS n FROM idea_banks";

it("each round trip is the first of a session at the primary, whose bookmark goes on", async () => {
  const { id } = await addIdeaBank();
  const { sessions, withSession } = record(databaseOf(id));
  const session = openAtPrimary({ ...databaseOf(id), withSession } as D1Database, new Sessions());
  expect(session.getBookmark()).toBe(null);
  const early = session.prepare(SQL);

  await session.prepare(SQL).first();
  const reached = session.getBookmark();
  expect(reached).toEqual(expect.any(String));
  const second = session.prepare(SQL);
  expect(session.getBookmark()).toBe(reached);
  await second.first();
  const [counted] = await session.batch<{ n: number }>([early, session.prepare(SQL)]);
  expect(counted?.results[0]?.n).toBeGreaterThan(0);
  await session.batch([session.prepare(SQL)]);

  expect(sessions.every(({ constraint }) => constraint === "first-primary")).toBe(true);
  expect(sessions.map(({ roundTrips }) => roundTrips)).toEqual([1, 1, 1, 1]);
  expect(session.getBookmark()).toEqual(expect.any(String));
});
