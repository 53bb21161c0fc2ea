/** `npm run restore`: what it has to find out before it touches a database. */
import { writeFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import {
  calls,
  fileOf,
  inCheckout,
  keys,
  MOMENT,
  REVOKED,
  refused,
  rows,
  schema,
  sql,
  THEN,
  useAccount,
  well,
} from "../../../support/node/backed-up-account.ts";
import { exportOf } from "../../../support/node/stand-in/databases.ts";

const EVENT = `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, created_at, changes)
  VALUES ('e1', 'a1', 'changed', 'k1', 'K', 500, '{"before":{},"after":{}}')`;

useAccount();

it.each([
  ["2026-13-45T12:00:00Z", "a time such as"],
  ["2999-01-01T00:00:00Z", "is not in the past"],
  ["2020-01-01T00:00:00Z", "is more than 30 days ago"],
])("a time to which D1 does not go back, %s: nothing is asked of it, and nothing noted", async (time, message) => {
  const { stderr } = await refused("restore", "--timestamp", time);
  expect([stderr, calls()]).toEqual([expect.stringContaining(message), []]);
});

it("when the table of revocations is lost, nobody can read what had ended: refuses", async () => {
  await well("backup", "--output", "backups/b");
  sql("DB", REVOKED, "PRAGMA foreign_keys = off; DROP TABLE token_revocations");
  const { stderr } = await refused("restore", "--from", "backups/b");
  expect(stderr).toContain("what ended there cannot be read");
  expect(keys()).toEqual([["k1", 500]]);
});

it("to a moment before a schema step that the ending needs: says to deploy, and what completes it then", async () => {
  const step = "ALTER TABLE api_keys ADD COLUMN paused_at INTEGER;\n";
  writeFileSync(inCheckout("migrations/9998_paused.sql"), step);
  sql("DB", "INSERT INTO d1_migrations (name) VALUES ('9998_paused.sql')");
  const then = new DatabaseSync(`${fileOf("DB")}.then`);
  then.exec([schema, "ALTER TABLE api_keys DROP COLUMN paused_at", THEN].join(";\n"));
  then.close();
  sql("DB", REVOKED, EVENT);
  const { stderr } = await refused("restore", "--timestamp", MOMENT);
  const [, folder = ""] = /: npm run deploy\. Then: npm run restore -- --end-again (\S+)$/m.exec(stderr) ?? [];
  await well("deploy", "--wait", "0");
  await well("restore", "--end-again", folder);
  expect(keys()).toEqual([["k1", 500]]);
});

describe("a backup that brings more than the schema", () => {
  const TRIGGER =
    "CREATE TRIGGER extra AFTER UPDATE OF revoked_at ON api_keys BEGIN UPDATE api_keys SET revoked_at = NULL WHERE id = new.id; END";
  const own = () => String(rows("DB", "SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name")[0]);

  it.each([
    ["a trigger", () => TRIGGER, "trigger extra"],
    ["a trigger with the name of the ledger", () => TRIGGER.replace("extra", "d1_migrations"), "trigger d1_migrations"],
    ["a trigger with a name of Cloudflare's", () => TRIGGER.replace("extra", "_cf_extra"), "trigger _cf_extra"],
    ["a view", () => "CREATE VIEW seen AS SELECT id FROM api_keys", "view seen"],
    [
      "a trigger in the place of one of ours",
      () =>
        `DROP TRIGGER ${own()}; CREATE TRIGGER ${own()} BEFORE UPDATE ON api_keys BEGIN SELECT raise(IGNORE) FROM api_keys; END`,
      "trigger ",
    ],
    [
      "an index in the place of one of ours",
      () => {
        const name = rows(
          "DB",
          "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name",
        )[0];
        return `DROP INDEX ${name}; CREATE UNIQUE INDEX ${name} ON api_keys (account_id)`;
      },
      "index ",
    ],
  ])("%s is refused by its name, with --as-it-is too", async (_, more, named) => {
    await well("backup", "--output", "backups/b");
    sql("DB", more());
    writeFileSync(inCheckout("backups/b/DB.sql"), exportOf(fileOf("DB")));
    sql("DB", "DROP TRIGGER IF EXISTS extra");
    for (const args of [[], ["--as-it-is"], ["--without-export"]]) {
      const { stderr } = await refused("restore", "--from", "backups/b", ...args);
      expect(stderr).toContain(`backups/b/DB.sql has objects that are not in this version's schema: ${named}`);
    }
    expect(calls().filter((call) => call.includes("--file"))).toEqual([]);
  });

  it("a backup of a newer version says so", async () => {
    sql("DB", "INSERT INTO d1_migrations (name) VALUES ('0099_newer.sql')", "CREATE VIEW newer AS SELECT 1");
    await well("backup", "--output", "backups/b");
    const { stderr } = await refused("restore", "--from", "backups/b");
    expect(stderr).toContain(
      "view newer. They could undo what the API does, even a revocation. If the backup is from a newer version",
    );
  });
});
