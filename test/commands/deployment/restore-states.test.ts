/** Backup and restore against an account of the stand-in for wrangler: what is asked of Cloudflare, and every broken state. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { planSchema, readSchemaSteps } from "../../../src/commands/deployment/schema-steps.ts";
import { openAccount, type StandInAccount } from "../../support/node/stand-in/account.ts";

const schema = planSchema({ ledger: [], objects: [] }, await readSchemaSteps())
  .files.map(({ sql }) => sql)
  .join("\n");
const THEN = `INSERT INTO accounts (id, owner_email, created_at) VALUES ('a1', 'o@example.com', 1);
  INSERT INTO api_keys (id, account_id, name, secret_hash, scopes, created_at) VALUES ('k1', 'a1', 'K', 'h', '[]', 1)`;
const REVOKED = "UPDATE api_keys SET revoked_at = 500 WHERE id = 'k1'";
const MOMENT = "2026-11-20T12:00:00Z";
let account: StandInAccount;

beforeEach(async () => {
  account = await openAccount();
  edit((toml) => toml.replace('binding = "DB"', 'binding = "DB"\ndatabase_id = "d1-id-0"'));
  account.change({ databases: [{ uuid: "d1-id-0", name: "edge-access-api", location: "" }] });
  sql("DB", schema, THEN);
});
afterEach(() => account.close());

function edit(change: (toml: string) => string): void {
  const file = inCheckout("wrangler.toml");
  writeFileSync(file, change(readFileSync(file, "utf8")));
}
const inCheckout = (path: string) => join(account.checkout, path);
const fileOf = (binding: string) => join(account.folder, binding === "DB" ? "d1-id-0.sqlite" : "d1-id-1.sqlite");

function sql(binding: string, ...scripts: string[]): void {
  const database = new DatabaseSync(fileOf(binding));
  database.exec(["PRAGMA synchronous = off", ...scripts].join(";\n"));
  database.close();
}

function rows(binding: string, statement: string): unknown[] {
  const database = new DatabaseSync(fileOf(binding));
  const found = database.prepare(statement).all();
  database.close();
  return found.map((row) => Object.values(row));
}

/** Everything that is in the database. */
const contentOf = (binding: string) => [
  rows(binding, "SELECT name, sql FROM sqlite_master ORDER BY name"),
  rows(binding, "SELECT id, revoked_at FROM api_keys"),
];

const withoutRows = (whole: string) => whole.replaceAll(/^INSERT INTO "(?!d1_migrations).*$/gm, "");
const keys = () => rows("DB", "SELECT id, revoked_at FROM api_keys");
const calls = () =>
  account
    .calls()
    .filter((call) => call.startsWith("d1 "))
    .map((call) => call.replace(/(?<=--command SELECT) .*/, " …"));
const lastLines = (text: string) => text.trimEnd().split("\n").slice(-3);

async function well(...args: Parameters<StandInAccount["run"]>) {
  const ran = await account.run(...args);
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  return ran.stdout;
}

async function refused(...args: Parameters<StandInAccount["run"]>) {
  const ran = await account.run(...args);
  expect([ran.code, ran.stderr]).toEqual([1, expect.not.stringMatching(/^ +at /m)]);
  return ran;
}

describe("npm run backup", () => {
  it("exports every database, as an operator types it", async () => {
    const { code, stdout, stderr } = await account.runNpm("backup", "--output", "backups/b");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^backups\/b\/DB\.sql: \d+ bytes; 1 accounts, 1 API keys, 0 panelists, /);
    expect(stdout).toContain("To restore it: npm run restore -- --from backups/b\n");
    expect(calls()).toEqual(["d1 export DB --remote --output backups…/DB.sql --skip-confirmation"]);
  });

  it("of a database without tables is a failure, and leaves no file", async () => {
    const { stderr } = await refused("backup", "--local", "--output", "backups/none");
    expect(stderr).toContain(
      "DB has no tables: there is nothing to back up, and no backup was kept. `npm run dev` makes",
    );
    expect(readdirSync(inCheckout("backups/none"))).toEqual([]);
  });

  it("is readable for its owner alone, also where the folder and the file were there before", async () => {
    mkdirSync(inCheckout("kept"), { mode: 0o755 });
    writeFileSync(inCheckout("kept/DB.sql"), "old", { mode: 0o644 });
    chmodSync(inCheckout("kept/DB.sql"), 0o644);
    await well("backup", "--output", "kept");
    expect(statSync(inCheckout("kept/DB.sql")).mode & 0o777).toBe(0o600);
    await well("backup", "--output", "new");
    expect(statSync(inCheckout("new")).mode & 0o777).toBe(0o700);
  });
});

describe("npm run restore to a moment", () => {
  beforeEach(() => {
    copyFileSync(fileOf("DB"), `${fileOf("DB")}.then`);
    sql("DB", REVOKED);
  });

  it("exports, looks again, travels in time, ends again what had ended, and says so in three lines", async () => {
    const stdout = await well("restore", "--timestamp", MOMENT);
    expect(keys()).toEqual([["k1", 500]]);
    expect(calls()).toEqual([
      "d1 export DB --remote --output backups…/DB.sql --skip-confirmation",
      "d1 execute DB --remote --yes --json --command SELECT …",
      `d1 time-travel restore DB --timestamp=${MOMENT}`,
      "d1 execute DB --remote --yes --json --command SELECT …",
      "d1 execute DB --remote --yes --json --command SELECT …",
      "d1 execute DB --remote --yes --file backups…/DB-end-again.sql",
    ]);
    expect(lastLines(stdout)).toEqual([
      `Put back: ${MOMENT} (DB: 1 accounts).`,
      "Ended again: what had been ended (1 statements).",
      "Next: npm run deploy, which empties the memory of every isolate.",
    ]);
  });

  it("that fails after the export says how to complete it", async () => {
    account.change({ failures: ["d1 execute DB --remote --yes --file"] });
    const { stdout } = await refused("restore", "--timestamp", MOMENT);
    expect(keys()).toEqual([["k1", null]]);
    const [, folder = ""] = /npm run restore -- --end-again (\S+)/.exec(stdout) ?? [];
    expect(lastLines(await well("restore", "--end-again", folder))[0]).toBe(
      "Put back: nothing, the databases keep their data.",
    );
    expect(keys()).toEqual([["k1", 500]]);
  });

  it("at which there were no tables says so, and the export brings the present back", async () => {
    new DatabaseSync(`${fileOf("DB")}.then`).exec(
      "DROP TABLE api_keys; DROP TABLE accounts; DROP TABLE token_revocations",
    );
    const { stdout, stderr } = await refused("restore", "--timestamp", MOMENT);
    expect(stderr).toContain(`At ${MOMENT} DB had no tables.`);
    const [, folder = ""] = /npm run restore -- --from (\S+)/.exec(stdout) ?? [];
    await well("restore", "--from", folder);
    expect(keys()).toEqual([["k1", 500]]);
  });
});

describe("what ends between the export and the restore", () => {
  beforeEach(() => {
    edit((toml) =>
      toml.replace(
        "\n# One rendered changelog",
        '\n[[d1_databases]]\nbinding = "DB_1"\ndatabase_id = "d1-id-1"\ndatabase_name = "second"\n\n# One rendered changelog',
      ),
    );
    const databases = ["d1-id-0", "d1-id-1"].map((uuid) => ({ uuid, name: uuid, location: "" }));
    account.change({ databases });
    sql("DB_1", schema, THEN);
    for (const binding of ["DB", "DB_1"]) copyFileSync(fileOf(binding), `${fileOf(binding)}.then`);
  });

  it("is ended again: each database is looked at directly before it is restored", async () => {
    account.before("d1 time-travel restore DB ", () => sql("DB_1", REVOKED));
    const stdout = await well("restore", "--timestamp", MOMENT);
    expect(stdout).toContain("DB_1: something was ended since the export. Exporting it again.");
    expect(rows("DB_1", "SELECT id, revoked_at FROM api_keys")).toEqual([["k1", 500]]);
  });

  it.each([
    ["a suspended account", "UPDATE accounts SET status = 'suspended'", "SELECT status FROM accounts", ["suspended"]],
    [
      "a rotated key",
      "UPDATE api_keys SET secret_hash = 'new', rotated_at = 400",
      "SELECT secret_hash FROM api_keys",
      ["new"],
    ],
    [
      "a deleted panelist",
      "INSERT INTO panelists (id, account_id, created_at) VALUES ('p1', 'a1', 1); DELETE FROM panelists",
      "SELECT panelist_id FROM token_revocations",
      ["p1"],
    ],
  ])("is noticed: %s", async (_, ending, look, expected) => {
    account.before("d1 time-travel restore DB ", () => sql("DB_1", ending));
    await well("restore", "--timestamp", MOMENT);
    expect(rows("DB_1", look)).toEqual([expected]);
  });

  it("all the time: refuses before that database is touched", async () => {
    let revoked = 0;
    account.before("d1 execute DB_1 --remote --yes --json", () =>
      sql("DB_1", `UPDATE api_keys SET revoked_at = ${++revoked} WHERE id = 'k1'`),
    );
    const { stderr } = await refused("restore", "--timestamp", MOMENT);
    expect(stderr).toContain("DB_1 was not restored: keys or tokens are being ended all the time");
    expect(account.calls().filter((call) => call.includes("time-travel restore DB_1"))).toEqual([]);
  });

  it("all are exported before any is restored, the directory's last, and each gets its own data", async () => {
    await well("restore", "--timestamp", MOMENT);
    const kinds = calls().map((call) => call.split(" ").slice(1, 4).join(" "));
    expect(kinds.filter((call) => /^(export|time-travel)/.test(call))).toEqual([
      ...["export DB_1 --remote", "export DB --remote"],
      ...["time-travel restore DB", "time-travel restore DB_1"],
    ]);
  });
});

describe("npm run restore from a backup", () => {
  beforeEach(() => well("backup", "--output", "backups/b"));

  const DAMAGES: [string, () => void][] = [
    ["is as it was", () => {}],
    ["has lost every row", () => sql("DB", "DELETE FROM accounts")],
    ["has lost a table that others refer to", () => sql("DB", "PRAGMA foreign_keys = off; DROP TABLE idea_banks")],
    ["has tables that are not ours, with names to quote", () => sql("DB", 'CREATE TABLE "a ""b" (id TEXT)')],
    ["has views", () => sql("DB", "CREATE VIEW all_keys AS SELECT * FROM api_keys")],
    [
      "has tables that refer to each other in a circle",
      () =>
        sql(
          "DB",
          "CREATE TABLE x (id TEXT PRIMARY KEY, y TEXT REFERENCES y (id)); CREATE TABLE y (id TEXT PRIMARY KEY, x TEXT REFERENCES x (id))",
          "PRAGMA foreign_keys = off; INSERT INTO x VALUES ('1', '2'); INSERT INTO y VALUES ('2', '1')",
        ),
    ],
    ["has no tables, and once had some", () => sql("DB", ...dropAll())],
    ["has the schema of no step", () => sql("DB", ...dropAll(), "CREATE TABLE other (id TEXT)")],
  ];

  function dropAll(): string[] {
    const names = rows("DB", "SELECT type, name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'");
    return ["PRAGMA foreign_keys = off", ...names.map((row) => `DROP TABLE ${String(row).split(",")[1]}`)];
  }

  it.each(DAMAGES)("when the database %s: it is as it was at the backup", async (_, damage) => {
    const before = contentOf("DB");
    damage();
    const stdout = await well("restore", "--from", "backups/b");
    expect(contentOf("DB")).toEqual(before);
    expect(stdout.trimEnd().split("\n").length).toBeLessThan(12);
    expect(lastLines(stdout)).toEqual([
      "Put back: backups/b (DB: 1 accounts, 1 API keys, 0 panelists, 0 idea banks, 0 proposals).",
      "Ended again: nothing, for nothing had been ended.",
      "Next: npm run deploy, which empties the memory of every isolate.",
    ]);
  });

  it.each(["accounts", "api_keys"])(
    "when %s is lost, and so what had ended: refuses, and --without-export restores it",
    async (table) => {
      sql("DB", `PRAGMA foreign_keys = off; DROP TABLE ${table}`);
      const { stderr } = await refused("restore", "--from", "backups/b");
      expect(stderr).toContain("what ended there cannot be read");
      const stdout = await well("restore", "--from", "backups/b", "--without-export");
      expect(keys()).toEqual([["k1", null]]);
      expect(lastLines(stdout)[1]).toBe(
        "Ended again: nothing, for there is no export. What was revoked or suspended since has to be so again.",
      );
    },
  );

  it("when the present state cannot be exported: nothing is restored, and it prints the way on", async () => {
    sql("DB", REVOKED);
    account.change({ failures: ["d1 export"] });
    const { stderr } = await refused("restore", "--from", "backups/b");
    expect(keys()).toEqual([["k1", 500]]);
    expect(stderr).toContain("\nnpm run restore -- --from backups/b --without-export");
    await well("restore", "--from", "backups/b", "--without-export");
    expect(keys()).toEqual([["k1", null]]);
  });

  it("when an export is cut off: nothing is restored", async () => {
    account.before("d1 execute DB", () => expect.unreachable("nothing may be asked of the database"));
    account.cutExports(3_000);
    expect((await refused("restore", "--from", "backups/b")).stderr).toContain("is not a complete export");
  });

  it("when the import fails: the database is as before, and both ways on were printed", async () => {
    sql("DB", REVOKED);
    account.change({ failures: ["d1 execute DB --remote --yes --file"] });
    const { stdout } = await refused("restore", "--from", "backups/b");
    expect(stdout).toMatch(
      /To complete it: npm run restore -- --end-again \S+\n- or to go back: npm run restore -- --from \S+\n/,
    );
    expect(keys()).toEqual([["k1", 500]]);
  });

  const BACKUPS: [string, (whole: string) => string, string][] = [
    ["is empty", () => "", "has no tables: restoring it would leave nothing"],
    ["has no tables", () => "PRAGMA defer_foreign_keys=TRUE;", "has no tables: restoring it would leave nothing"],
    ["has no accounts", withoutRows, "backups/b holds no account. To restore it all the same: add --as-it-is."],
    ["is cut off in a statement", (whole) => whole.slice(0, whole.indexOf("max_bytes")), "is not a complete export: "],
    [
      "is cut off between two statements",
      (whole) => whole.slice(0, whole.indexOf("CREATE TRIGGER")),
      "backups/b/DB.sql is not whole: it has no trigger ",
    ],
    ["is no SQL", () => "<html>", "is not a complete export: "],
    [
      "attaches a file",
      (whole) => `${whole}; ATTACH 'stolen.sqlite' AS x;`,
      "is not a complete export: not authorized",
    ],
    ["writes a file", (whole) => `${whole}; VACUUM INTO 'stolen.sqlite';`, "is not a complete export: "],
    ["loads a library", (whole) => `${whole}; SELECT load_extension('x');`, "is not a complete export: not authorized"],
    [
      "changes settings",
      (whole) => `${whole}; PRAGMA writable_schema = on;`,
      "is not a complete export: not authorized",
    ],
  ];

  it.each(BACKUPS)("that %s: refuses before a login is asked for", async (_, change, message) => {
    account.change({ loggedIn: false });
    account.calls();
    const file = inCheckout("backups/b/DB.sql");
    writeFileSync(file, change(readFileSync(file, "utf8")));
    expect((await refused("restore", "--from", "backups/b")).stderr).toContain(message);
    expect(account.calls()).toEqual([]);
    expect([existsSync("stolen.sqlite"), existsSync(inCheckout("stolen.sqlite"))]).toEqual([false, false]);
  });

  it("without accounts restores it with --as-it-is", async () => {
    const file = inCheckout("backups/b/DB.sql");
    writeFileSync(file, withoutRows(readFileSync(file, "utf8")));
    await well("restore", "--from", "backups/b", "--as-it-is");
    expect(keys()).toEqual([]);
  });
});

it.each([
  [[], "Give one of --timestamp"],
  [["--timestamp", MOMENT, "--from", "x"], "Give one of --timestamp"],
  [["--timestamp", "yesterday"], "a time such as 2026-11-20T12"],
  [["--timestamp", MOMENT, "--local"], "use --from"],
  [["--from", "backups/none"], "backups/none/DB.sql is missing."],
  [["--end-again", "backups/none"], "DB.sql is missing"],
  [["--end-again", "x", "--without-export"], "--end-again needs its export"],
])("npm run restore -- %j is refused before a login is asked for", async (args, message) => {
  expect((await refused("restore", ...args)).stderr).toContain(message);
  expect(account.calls()).toEqual([]);
});

it("npm run restore, as an operator types it", async () => {
  await well("backup", "--output", "backups/b");
  sql("DB", REVOKED);
  const { code, stdout, stderr } = await account.runNpm("restore", "--from", "backups/b");
  expect([code, stderr]).toEqual([0, ""]);
  expect(lastLines(stdout)[1]).toBe("Ended again: what had been ended (1 statements).");
  expect(keys()).toEqual([["k1", 500]]);
});
