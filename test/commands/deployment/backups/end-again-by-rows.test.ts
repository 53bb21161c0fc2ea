/** What a restore ends again although nothing of it is in the activity any more. */
import { expect, it } from "vitest";
import { endAgain } from "../../../../src/commands/deployment/backups/end-again.ts";
import { dump, open } from "../../../support/node/two-states.ts";

const FORGOTTEN = "DELETE FROM audit_events";

/** The value of `sql` in a restored database, ended again from a state with an empty activity. Ending twice changes nothing more. */
function after(since: string, sql: string, then = "", later = ""): unknown {
  const restored = open(then);
  const statements = endAgain(open(then, since, FORGOTTEN)).join("\n");
  restored.exec(statements);
  if (later) restored.exec(later);
  const once = dump(restored);
  restored.exec(statements);
  expect(dump(restored)).toEqual(once);
  return restored
    .prepare(sql)
    .all()
    .map((row) => Object.values(row).join());
}

it.each([
  [
    "a removed member stays removed",
    "DELETE FROM members WHERE id = 'm-gone'; UPDATE accounts SET member_removed_at = 460 WHERE id = 'a1'",
    "SELECT id FROM members WHERE account_id = 'a1'",
    ["m-kept"],
  ],
  [
    "a removed creator of the account stays removed",
    "UPDATE accounts SET owner_email = id, member_removed_at = 460 WHERE id = 'a4'",
    "SELECT owner_email FROM accounts WHERE id = 'a4'",
    ["a4"],
  ],
  [
    "a paused and narrowed key stays so",
    `UPDATE api_keys SET paused_at = 450, scopes = '["surveys:read"]', changed_at = 450 WHERE id = 'paused'`,
    "SELECT paused_at, scopes FROM api_keys WHERE id = 'paused'",
    ['450,["surveys:read"]'],
  ],
  [
    "a key whose row was deleted long after its end stays revoked",
    "DELETE FROM api_keys WHERE id = 'revoked'; UPDATE accounts SET keys_deleted_at = 500 WHERE id = 'a1'",
    "SELECT id FROM api_keys WHERE revoked_at IS NOT NULL",
    ["revoked"],
  ],
  [
    "a key stays marked as found in public",
    "UPDATE api_keys SET leaked_at = 500 WHERE id = 'kept'",
    "SELECT id FROM api_keys WHERE leaked_at IS NOT NULL",
    ["kept"],
  ],
  [
    "a deleted webhook stays deleted",
    "DELETE FROM webhooks WHERE id = 'w-deleted'; UPDATE accounts SET webhook_deleted_at = 600 WHERE id = 'a1'",
    "SELECT id FROM webhooks ORDER BY id",
    ["w-kept", "w-moved"],
  ],
  [
    "a webhook keeps its new URL and secret",
    "UPDATE webhooks SET url = 'https://new.example/', secret = 's2', changed_at = 600 WHERE id = 'w-moved'",
    "SELECT url, secret FROM webhooks WHERE id = 'w-moved'",
    ["https://new.example/,s2"],
  ],
])("%s", (_, since, sql, expected) => {
  expect(after(since, sql)).toEqual(expected);
});

it("what was lost and not removed comes back", { tags: "slow" }, () => {
  const lost = "DELETE FROM members WHERE account_id = 'a1'; DELETE FROM webhooks; DELETE FROM api_keys";
  expect(after(lost, "SELECT count(*) FROM members WHERE account_id = 'a1'")).toEqual(["2"]);
  expect(after(lost, "SELECT count(*) FROM webhooks")).toEqual(["3"]);
  expect(after(lost, "SELECT count(*) FROM api_keys WHERE revoked_at IS NULL")).toEqual(["4"]);
});

it("a member who came after the last removal, and a webhook that was made after the last deletion, come back if they are lost", () => {
  const then = `INSERT INTO members (id, account_id, email, added_by, created_at) VALUES ('m-late', 'a1', 'late@example.com', 'x', 900000);
    INSERT INTO webhooks (id, account_id, url, secret, created_at, number) VALUES ('w-late', 'a1', 'https://late.example/', 's', 900000, 0)`;
  const since = `DELETE FROM members WHERE id IN ('m-gone', 'm-late'); DELETE FROM webhooks WHERE id IN ('w-deleted', 'w-late');
    UPDATE accounts SET member_removed_at = 460, webhook_deleted_at = 460 WHERE id = 'a1'`;
  expect(after(since, "SELECT id FROM members WHERE account_id = 'a1' ORDER BY id", then)).toEqual([
    "m-kept",
    "m-late",
  ]);
  expect(after(since, "SELECT id FROM webhooks ORDER BY id", then)).toEqual(["w-kept", "w-late", "w-moved"]);
});

it("what people have done since the restore is left alone", () => {
  const since = `DELETE FROM members WHERE id = 'm-gone'; UPDATE api_keys SET paused_at = 450, changed_at = 450 WHERE id = 'paused';
    UPDATE accounts SET member_removed_at = 460 WHERE id = 'a1'`;
  const later = `INSERT INTO members (id, account_id, email, added_by, created_at) VALUES ('m-again', 'a1', 'gone@example.com', 'x', 400);
    UPDATE api_keys SET paused_at = NULL, changed_at = 900 WHERE id = 'paused'`;
  expect(after(since, "SELECT id FROM members WHERE account_id = 'a1' ORDER BY id", "", later)).toEqual([
    "m-again",
    "m-kept",
  ]);
  expect(after(since, "SELECT id FROM api_keys WHERE paused_at IS NOT NULL", "", later)).toEqual([]);
});

it("events keep their kind: a decision about an idea is not counted among those of keys and members", () => {
  const since = `INSERT INTO audit_events (id, account_id, event, api_key_name, created_at, subject_id, idea_bank_id)
    VALUES ('e-idea', 'a1', 'proposal-changed', 'An idea', 700, 'p1', 'b1')`;
  const restored = open();
  restored.exec(endAgain(open(since)).join("\n"));
  expect(restored.prepare("SELECT kind, position FROM kept_events WHERE event_id = 'e-idea'").get()).toEqual({
    kind: 1,
    position: 1,
  });
});
