/** What a session sends, and how its answers are named. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";
import { openSession } from "../../../src/worker/store/session.ts";
import { prepare } from "../../../src/worker/store/statement.ts";
import { sessionOf } from "../../support/databases.ts";

const select = (n: number) => prepare<{ n: number }>("SELECT :n AS n", { n });

it("names the rows of a batch as its statements, also beside a list and what is left out", async () => {
  const rows = await sessionOf(env.DB).batch({
    none: undefined,
    first: select(1),
    list: [select(2), select(3)],
    last: select(4),
  });
  expect(rows).toEqual({ first: [{ n: 1 }], list: undefined, last: [{ n: 4 }] });
});

it("sends a list of nothing beside others, and sends the order of the record", async () => {
  const id = "0dddddddddda";
  const rows = await sessionOf(env.DB).batch({
    empty: [],
    made: prepare("INSERT INTO owners (email, account_id) VALUES (:email, :id)", { email: "a@example.com", id }),
    seen: prepare<{ email: string }>("SELECT email FROM owners WHERE account_id = :id", { id }),
  });
  expect(rows.seen).toEqual([{ email: "a@example.com" }]);
});

it("tells the rows of an attached statement after each round trip, in its transaction", async () => {
  const seen: unknown[] = [];
  const count = prepare<{ n: number }>("SELECT count(*) AS n FROM owners");
  const session = sessionOf(env.DB).with({ after: [count], answered: (rows) => seen.push(rows) });
  const insert = (email: string) =>
    prepare("INSERT INTO owners (email, account_id) VALUES (:email, :email)", { email });
  expect(await session.run(insert("a"))).toBe(1);
  await session.batch({ one: insert("b"), two: insert("c") });
  expect(seen).toEqual([[{ n: 1 }], [{ n: 3 }]]);
});

it("makes one call of a round trip, whatever is in it", async () => {
  let calls = 0;
  const session = openSession(
    () => env.DB,
    (run) => {
      calls += 1;
      return run();
    },
  );
  await session.all(select(1));
  await session.batch({ one: select(1), two: select(2), three: [select(3), select(4)] });
  expect(calls).toBe(2);
});
