/** What is ended again after a restore, and what is left alone because it was changed since. */
import { expect, it } from "vitest";
import { endAgain } from "../../../../src/commands/deployment/backups/end-again.ts";
import { dump, open, restore, SINCE, settings } from "../../../support/node/two-states.ts";

it.each([
  ["", "ended", "ended"],
  [
    "INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, webhook_id, changes) VALUES ('e9', 'a1', 'webhook-changed', NULL, '', NULL, NULL, 900, 'w-kept', NULL)",
    "ended",
    "active",
  ],
])(
  "a webhook that its receiver had ended is ended, unless its owner has changed it since: %s",
  (since, state, expected) => {
    const restored = open(since);
    restored.exec(
      endAgain(open(SINCE, `UPDATE webhooks SET state = '${state}', due_at = NULL WHERE id = 'w-kept'`)).join("\n"),
    );
    expect(restored.prepare("SELECT state FROM webhooks WHERE id = 'w-kept'").get()).toEqual({ state: expected });
  },
);

it("deletes a webhook whose deletion is older than the audit trail", () => {
  const restored = open();
  restored.exec(
    endAgain(open("DELETE FROM webhooks WHERE id = 'w-deleted'", "UPDATE audit_events SET created_at = 500")).join(
      "\n",
    ),
  );
  expect(restored.prepare("SELECT id FROM webhooks ORDER BY id").all()).toEqual([{ id: "w-kept" }, { id: "w-moved" }]);
});

it("deletes a webhook whose deletion has left a full audit trail, though another account's trail is older", () => {
  const since = `DELETE FROM webhooks WHERE id = 'w-deleted'; DELETE FROM audit_events;
    INSERT INTO audit_events (id, account_id, event, api_key_name, created_at, number) VALUES
      ('e11', 'a2', 'created', 'K', 0, 1), ('e12', 'a1', 'created', 'K', 500, 10001)`;
  const restored = open();
  restored.exec(endAgain(open(since)).join("\n"));
  expect(restored.prepare("SELECT id FROM webhooks ORDER BY id").all()).toEqual([{ id: "w-kept" }, { id: "w-moved" }]);
});

it("leaves alone what people have done to webhooks and members since", () => {
  const { restored, statements } = restore();
  restored.exec(`INSERT INTO webhooks (id, account_id, url, secret, created_at, number) VALUES ('w-new', 'a1', 'https://new.example/', 's', 900, 0);
    UPDATE webhooks SET url = 'https://newest.example/', secret = 's3', state = 'active' WHERE id = 'w-moved';
    INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, webhook_id, changes) VALUES ('e9', 'a1', 'webhook-changed', NULL, '', NULL, NULL, 900, 'w-moved', NULL);
    INSERT INTO members (id, account_id, email, added_by, created_at) VALUES ('m-again', 'a1', 'gone@example.com', 'x', 900);
    UPDATE accounts SET owner_email = 'o4@example.com' WHERE id = 'a4'`);
  const before = dump(restored);
  restored.exec(statements.join("\n"));
  expect(dump(restored)).toEqual(before);
});

it("the way back keeps what was made after the moment that was restored", () => {
  const since = `INSERT INTO webhooks (id, account_id, url, secret, created_at, number) VALUES ('w-new', 'a1', 'https://new.example/', 's', 300, 0);
    INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, webhook_id, changes) VALUES ('e10', 'a1', 'webhook-created', NULL, '', NULL, NULL, 300, 'w-new', NULL);`;
  const present = open(since, SINCE);
  const restored = open();
  restored.exec(endAgain(present).join("\n"));
  const before = settings(present);
  for (const state of [open(), restored]) present.exec(endAgain(state).join("\n"));
  expect(settings(present)).toEqual(before);
});

it("what two restores that stopped had found is ended, the older first", () => {
  const statements = [open(SINCE), open()].flatMap((state) => endAgain(state));
  const restored = open();
  restored.exec(statements.join("\n"));
  expect(settings(restored)).toEqual(settings(restore().restored));
});
