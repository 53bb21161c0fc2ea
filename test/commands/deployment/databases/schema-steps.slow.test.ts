/** Which steps a database needs, and the files that apply them: in SQLite, in wrangler's local D1, and under `npm run dev`. */
import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  planSchema,
  readSchemaState,
  readSchemaSteps,
  UnknownSchema,
} from "../../../../src/commands/deployment/databases/schema-steps.ts";
import { withLocalDatabases } from "../../../../src/commands/development/local-database.ts";
import { freePort, makeCheckout } from "../../../support/node/checkout.ts";

const steps = await readSchemaSteps();
const names = steps.map(({ name }) => name);
/** A made-up step. */
const SECOND = {
  name: "9998_language.sql",
  sql: "ALTER TABLE accounts ADD COLUMN language TEXT NOT NULL DEFAULT 'en';",
};

const queryOf = (database: DatabaseSync) => async (sql: string) => database.prepare(sql).all();
const stateOf = (database: DatabaseSync) => readSchemaState(queryOf(database));
const ledgerOf = async (database: DatabaseSync) => (await stateOf(database)).ledger;

function databaseOf(...files: string[]): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  for (const file of files) database.exec(file);
  return database;
}

async function migrate(database: DatabaseSync, wanted = steps): Promise<readonly string[]> {
  const { files } = planSchema(await stateOf(database), wanted);
  for (const { sql } of files) database.exec(sql);
  return files.map(({ name }) => name);
}

describe("a database", () => {
  it("that is empty needs every step, once", async () => {
    const database = databaseOf();
    expect(await migrate(database)).toEqual(names);
    expect(await ledgerOf(database)).toEqual(names);
    expect(await migrate(database)).toEqual([]);
  });

  it("whose ledger is empty, as `wrangler d1 migrations list` makes it, needs every step", async () => {
    const database = databaseOf("CREATE TABLE d1_migrations (id INTEGER PRIMARY KEY, name TEXT UNIQUE)");
    expect(await migrate(database)).toEqual(names);
  });

  it("that has had the first of two steps needs the second, and keeps its data", async () => {
    const database = databaseOf();
    await migrate(database, steps);
    database.exec("INSERT INTO accounts (id, owner_email, created_at) VALUES ('a', 'a@example.com', 1)");
    expect(await migrate(database, [...steps, SECOND])).toEqual([SECOND.name]);
    expect(await ledgerOf(database)).toEqual([...names, SECOND.name]);
    expect(database.prepare("SELECT language FROM accounts").all()).toEqual([{ language: "en" }]);
    expect(await migrate(database, [...steps, SECOND])).toEqual([]);
  });

  it("that schema.sql made has every step", async () => {
    const database = databaseOf(await readFile("schema.sql", "utf8"));
    expect(await migrate(database)).toEqual(["the ledger"]);
    expect((await stateOf(database)).objects).toHaveLength((await stateOf(databaseOf(...sqlOf(steps)))).objects.length);
    expect(await migrate(database)).toEqual([]);
  });

  it.each([
    ["a table of its own", [...sqlOf(steps), "CREATE TABLE other (id TEXT)"]],
    ["a table less", [...sqlOf(steps), "DROP TABLE votes"]],
    ["a column more", [...sqlOf(steps), "ALTER TABLE surveys ADD COLUMN language TEXT"]],
    ["an index less", [...sqlOf(steps), "DROP INDEX surveys_by_account"]],
    ["a trigger less", [...sqlOf(steps), "DROP TRIGGER vote_added"]],
  ])("without a ledger, with %s, is refused", async (_, files) => {
    await expect(migrate(databaseOf(...files))).rejects.toThrow(UnknownSchema);
  });

  it("that a newer version has changed needs nothing, and its step is named", async () => {
    const database = databaseOf();
    await migrate(database);
    database.exec("INSERT INTO d1_migrations (name) VALUES ('9999_later.sql')");
    expect(planSchema(await stateOf(database), steps)).toEqual({ files: [], unknown: ["9999_later.sql"] });
  });

  it("that has had a step which no release has, and lacks one, is refused", async () => {
    const database = databaseOf();
    await migrate(database, [...steps.slice(0, -1), SECOND]);
    await expect(migrate(database)).rejects.toThrow(UnknownSchema);
  });
});

function sqlOf(all: typeof steps) {
  return all.map(({ sql }) => sql);
}

describe("on this machine", () => {
  let folder: string;
  const wrangler = async (...args: string[]) => {
    const all = ["d1", ...args, "--local", "--persist-to", folder];
    const { stdout } = await promisify(execFile)("node_modules/.bin/wrangler", all, {
      env: { ...process.env, CI: "true", CREDENTIAL_SECRETS: "only-for-this-test" },
    });
    return stdout;
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "schema-steps-"));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("npm run dev adopts a database that wrangler made from schema.sql, and keeps its data; wrangler finds its own ledger", async () => {
    await wrangler("execute", "DB", "--file", "schema.sql");
    const insert = "INSERT INTO accounts (id, owner_email, created_at) VALUES ('0Account0001', 'a@example.com', 1)";
    await wrangler("execute", "DB", "--command", insert);
    await withLocalDatabases("wrangler.toml", folder, async ([first]) => {
      expect(await first?.database.prepare("SELECT count(*) AS n FROM accounts").first("n")).toBe(1);
    });
    expect(await wrangler("migrations", "list", "DB")).toContain("No migrations to apply!");
  });

  it("a step's file, as it is sent to Cloudflare, goes through wrangler's splitter", async () => {
    const file = join(folder, "step.sql");
    const { files } = planSchema({ ledger: [], objects: [] }, steps);
    await writeFile(file, files.map(({ sql }) => sql).join("\n"));
    await rm(join(folder, "v3"), { recursive: true, force: true });
    await wrangler("execute", "DB", "--yes", "--file", file);
    expect(await wrangler("migrations", "list", "DB")).toContain("No migrations to apply!");
  });

  it("npm run dev refuses a database of an unknown schema in one line, with the way out", async () => {
    await wrangler("execute", "DB", "--command", "DELETE FROM d1_migrations");
    await wrangler("execute", "DB", "--command", "CREATE TABLE other (id TEXT)");
    const port = String(await freePort());
    const checkout = await makeCheckout();
    const args = ["src/commands/development/dev.ts", "--persist-to", folder, "--port", port];
    const dev = promisify(execFile)("node", args, { cwd: checkout.folder }).finally(checkout.remove);
    await expect(dev).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`To start over without its data: rm -rf ${folder}\n`),
    });
  });
});
