/** `npm run restore`: what it has to find out before it touches a database. */
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { planSchema, readSchemaSteps } from "../../../src/commands/deployment/schema-steps.ts";
import {
  calls,
  fileOf,
  keys,
  MOMENT,
  REVOKED,
  refused,
  sql,
  THEN,
  useAccount,
  well,
} from "../../support/node/backed-up-account.ts";

const EVENT = `INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, created_at, changes)
  VALUES ('e1', 'a1', 'renamed', 'k1', 'K', 500, '{"before":{},"after":{}}')`;

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
  const older = (await readSchemaSteps()).filter(({ name }) => name < "0010");
  const then = new DatabaseSync(`${fileOf("DB")}.then`);
  for (const { sql: step } of planSchema({ ledger: [], objects: [] }, older).files) then.exec(step);
  then.exec(THEN);
  then.close();
  sql("DB", REVOKED, EVENT);
  const { stderr } = await refused("restore", "--timestamp", MOMENT);
  const [, folder = ""] = /: npm run deploy\. Then: npm run restore -- --end-again (\S+)$/m.exec(stderr) ?? [];
  await well("deploy", "--wait", "0");
  await well("restore", "--end-again", folder);
  expect(keys()).toEqual([["k1", 500]]);
});
