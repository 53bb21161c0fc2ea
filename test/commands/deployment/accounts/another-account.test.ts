/** `npm run account -- another`: who has left the account that they have made can make another one. Two databases, on this machine. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { openAccount, type StandInAccount } from "../../../support/node/stand-in/account.ts";

const schema = readFileSync("schema.sql", "utf8");
const PERSON = "o'neil@example.com";
const BINDINGS = ["DB", "DB_1"] as const;
let standIn: StandInAccount;
let databases: Record<(typeof BINDINGS)[number], DatabaseSync>;

beforeAll(async () => {
  standIn = await openAccount();
  const toml = join(standIn.checkout, "wrangler.toml");
  const more = '\n[[d1_databases]]\nbinding = "DB_1"\ndatabase_name = "second"\n';
  writeFileSync(toml, readFileSync(toml, "utf8") + more);
  const open = (binding: string) => {
    const database = new DatabaseSync(join(standIn.folder, `local-${binding}.sqlite`));
    database.exec(`PRAGMA synchronous = off; ${schema}`);
    return database;
  };
  databases = { DB: open("DB"), DB_1: open("DB_1") };
});
afterAll(async () => {
  for (const database of Object.values(databases)) database.close();
  await standIn.close();
});
beforeEach(() => {
  for (const database of Object.values(databases))
    database.exec("DELETE FROM owners; DELETE FROM memberships; DELETE FROM accounts;");
});

/** An account that somebody has made, as a first visit does; `left`: the other members have removed them. */
function makeAccount(id: string, left: boolean, email = PERSON) {
  const binding = id.startsWith("0") ? "DB" : "DB_1";
  for (const each of new Set(["DB", binding] as const))
    databases[each].prepare("INSERT INTO owners (email, account_id) VALUES (?, ?)").run(email, id);
  databases[binding]
    .prepare("INSERT INTO accounts (id, owner_email, created_at) VALUES (?, ?, 1)")
    .run(id, left ? id : email);
}
const run = (...args: string[]) => standIn.run("account", "another", ...args, "--on-this-machine");
const entries = () =>
  BINDINGS.map((binding) =>
    databases[binding]
      .prepare("SELECT email FROM owners")
      .all()
      .map(({ email }) => email),
  );

it.each(["0Account0001", "1Account0001"])(
  "of an account that was left, %s: the entry goes, and nobody else's",
  async (id) => {
    makeAccount(id, true);
    makeAccount("1Account0002", false, "other@example.com");
    expect(await run(PERSON.toUpperCase())).toEqual({
      code: 0,
      stdout: `The next sign-in of ${PERSON} creates a new account. Their first one, ${id}, stays with its members.\n`,
      stderr: "",
    });
    expect(entries()).toEqual([["other@example.com"], ["other@example.com"]]);
    expect(
      databases[id.startsWith("0") ? "DB" : "DB_1"].prepare("SELECT owner_email FROM accounts WHERE id = ?").get(id),
    ).toEqual({ owner_email: id });
  },
);

it("says where a visit leads who is a member of another account: it makes none", async () => {
  makeAccount("0Account0001", true);
  databases.DB.prepare("INSERT INTO memberships VALUES (?, '1Account0002')").run(PERSON);
  expect((await run(PERSON)).stdout).toContain(
    `While ${PERSON} is a member of 1Account0002, a sign-in leads there instead.`,
  );
});

it.each([
  ["whose account is theirs", "0Account0001"],
  ["whose account is theirs, in another database", "1Account0001"],
])("of somebody %s changes nothing: they would lose it", async (_, id) => {
  makeAccount(id, false);
  const before = entries();
  expect(await run(PERSON)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      `${PERSON} still has the account ${id}, so they get no other one. Nothing was changed.`,
    ),
  });
  expect(entries()).toEqual(before);
});

it("of somebody whose first visit was cut off changes nothing: the next one completes it", async () => {
  databases.DB.prepare("INSERT INTO owners (email, account_id) VALUES (?, '1Account0001')").run(PERSON);
  expect(await run(PERSON)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("still has the account 1Account0001"),
  });
  expect(entries()).toEqual([[PERSON], []]);
});

it("that is cut off between the databases is completed by running it again", async () => {
  makeAccount("1Account0001", true);
  standIn.change({ failures: ["d1 execute DB --local --yes --json --command DELETE"] });
  expect((await run(PERSON)).code).toBe(1);
  // The directory decides: until its entry is gone, no visit makes an account.
  expect(entries()).toEqual([[PERSON], []]);
  expect((await run(PERSON)).code).toBe(0);
  expect(entries()).toEqual([[], []]);
});

it.each([
  [[], "another: <address> is missing."],
  [["nobody@example.com"], "nobody@example.com has never created an account. Nothing was changed."],
  [["0Account0001"], "an owner's e-mail address"],
  [["x' OR '1'='1"], "an owner's e-mail address"],
  [["x'OR'1'='1@example.com"], "has never created an account"],
])("npm run account -- another %j is refused, and changes nothing", async (args, message) => {
  makeAccount("0Account0001", true);
  expect(await run(...args)).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  expect(entries()).toEqual([[PERSON], []]);
});
