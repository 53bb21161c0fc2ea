/** `npm run restore`: what it has to find out before it touches a database. */
import { expect, it } from "vitest";
import { calls, keys, REVOKED, refused, sql, useAccount, well } from "../../support/node/backed-up-account.ts";

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
