/** The proxy that the budgets are counted with: it counts every kind of D1 call, and changes no answer. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { databaseOf } from "./databases.ts";
import { interceptDatabase } from "./intercept-binding.ts";
import { addAccount } from "./world.ts";

const SELECT = "SELECT id, status FROM accounts WHERE id = ?1";

it.each([
  ["all", async (database: D1Database, id: string) => (await database.prepare(SELECT).bind(id).all()).results],
  ["run", async (database: D1Database, id: string) => (await database.prepare(SELECT).bind(id).run()).results],
  ["first", (database: D1Database, id: string) => database.prepare(SELECT).bind(id).first()],
  ["first of no row", (database: D1Database) => database.prepare(SELECT).bind("nobody").first()],
  ["first of a column", (database: D1Database, id: string) => database.prepare(SELECT).bind(id).first("status")],
  [
    "a batch",
    async (database: D1Database, id: string) => {
      const statement = database.prepare(SELECT);
      return (await database.batch([statement.bind(id), statement.bind("nobody")])).map(({ results }) => results);
    },
  ],
  ["a session", (database: D1Database, id: string) => database.withSession().prepare(SELECT).bind(id).first()],
])("counts one round trip and its rows: %s", async (title, ask) => {
  const id = await addAccount();
  const seen = { calls: 0, roundTrips: 0, rowsRead: 0 };
  const database = interceptDatabase(
    databaseOf(id),
    (_, makeCall) => {
      seen.calls += 1;
      return makeCall();
    },
    (results) => {
      seen.roundTrips += 1;
      for (const { meta } of results) seen.rowsRead += meta.rows_read;
    },
  );
  expect(await ask(database, id)).toEqual(await ask(databaseOf(id), id));
  expect(seen).toEqual({ calls: 1, roundTrips: 1, rowsRead: title === "first of no row" ? 0 : 1 });
});

it("refuses raw(), which does not report rows", () => {
  const database = interceptDatabase(env.DB, (_, makeCall) => makeCall());
  expect(() => database.prepare(SELECT).raw()).toThrow("use all()");
});
