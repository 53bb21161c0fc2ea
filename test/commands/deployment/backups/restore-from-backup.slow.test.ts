/** Restore from a backup, against an account of the stand-in for wrangler: every state that the database and the backup can be in. */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import {
  account,
  addDatabase,
  contentOf,
  inCheckout,
  keys,
  lastLines,
  MOMENT,
  REVOKED,
  refused,
  rows,
  sql,
  useAccount,
  well,
  withoutRows,
} from "../../../support/node/backed-up-account.ts";

useAccount();

describe("npm run restore from a backup", () => {
  beforeEach(() => well("backup", "--output", "backups/b"));

  const DAMAGES: [string, () => void][] = [
    ["is as it was", () => {}],
    ["has lost every row", () => sql("DB", "DELETE FROM accounts")],
    ["has lost a table that others refer to", () => sql("DB", "PRAGMA foreign_keys = off; DROP TABLE proposals")],
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
      "Restored: backups/b (DB: 1 accounts, 1 API keys, 0 panelists, 0 idea banks, 0 proposals).",
      // One for the invitations that were withdrawn since and two for waiting e-mails, where the database has those tables.
      expect.stringMatching(/^Ended again: (nothing; nothing|what) had been ended( \(4 statements\))?\.$/),
      "Next: npm run deploy, which empties the memory of every location.",
    ]);
  });

  it.each(["accounts", "api_keys", "idea_banks"])(
    "when %s is lost, and so what had ended: refuses, and --without-export restores it",
    async (table) => {
      sql("DB", `PRAGMA foreign_keys = off; DROP TABLE ${table}`);
      const { stderr } = await refused("restore", "--from", "backups/b");
      expect(stderr).toContain("what ended there cannot be read");
      const stdout = await well("restore", "--from", "backups/b", "--without-export");
      expect(keys()).toEqual([["k1", null]]);
      expect(lastLines(stdout)[1]).toBe(
        "Ended again: nothing; there is no export. Revoke and suspend again what was revoked or suspended since.",
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
      /To complete the restore: npm run restore -- --from backups\/b\n- .* --end-again \S+\n- to go back: npm run restore -- --from \S+\n/,
    );
    expect(keys()).toEqual([["k1", 500]]);
  });

  const BACKUPS: [string, (whole: string) => string, string][] = [
    ["is empty", () => "", "has no tables: restoring it would leave nothing"],
    ["has no tables", () => "PRAGMA defer_foreign_keys=TRUE;", "has no tables: restoring it would leave nothing"],
    ["has no accounts", withoutRows, "backups/b has no accounts. To restore it anyway: add --as-it-is."],
    ["is cut off in a statement", (whole) => whole.slice(0, whole.indexOf("max_bytes")), "is not a complete export: "],
    [
      "is cut off between two statements",
      (whole) => whole.slice(0, whole.indexOf("CREATE TRIGGER")),
      "backups/b/DB.sql is incomplete: it has no trigger ",
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

  it("that is older than a database says how to keep that database as it is, and that works", async () => {
    addDatabase();
    const { stderr } = await refused("restore", "--from", "backups/b");
    expect(stderr).toContain("backups/b/DB_1.sql is missing. If the backup is older than DB_1");
    expect(stderr).toContain("npm run backup -- --output backups/present");
    const mistyped = await refused("restore", "--from", "backups/bb");
    expect(mistyped.stderr).toContain("There is no folder backups/bb. These are in backups/: b.\n");
    await well("backup", "--output", "backups/present");
    copyFileSync(inCheckout("backups/present/DB_1.sql"), inCheckout("backups/b/DB_1.sql"));
    await well("restore", "--from", "backups/b");
    expect(rows("DB_1", "SELECT id FROM api_keys")).toEqual([["k1"]]);
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
  [["--timestamp", MOMENT, "--on-this-machine"], "use --from"],
  [["--from", "backups/none"], "There is no folder backups/none."],
  [["--end-again", "backups/none"], "There is no folder backups/none."],
  [["--end-again", "x", "--without-export"], "--end-again needs its export"],
])("npm run restore -- %j is refused before a login is asked for", async (args, message) => {
  expect((await refused("restore", ...args)).stderr).toContain(message);
  expect(account.calls()).toEqual([]);
});

it("npm run restore, as an operator types it", async () => {
  await well("backup", "--output", "backups/b");
  sql("DB", REVOKED);
  const { code, stdout, stderr } = await account.runNpm("restore", "--from", "backups/b", "--yes");
  expect([code, stderr]).toEqual([0, ""]);
  expect(lastLines(stdout)[1]).toBe("Ended again: what had been ended (5 statements).");
  expect(keys()).toEqual([["k1", 500]]);
});
