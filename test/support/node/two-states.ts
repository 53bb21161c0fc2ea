/** Two states of one database: then, and with what has happened since. */
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { endAgain } from "../../../src/commands/deployment/backups/end-again.ts";

export const schema = readFileSync("schema.sql", "utf8");
export const THEN = `
  INSERT INTO accounts (id, owner_email, created_at) VALUES ('a1', 'o1@example.com', 1), ('a2', 'o''2@example.com', 1), ('a3', 'o3@example.com', 1),
    ('a4', 'o4@example.com', 1);
  INSERT INTO api_keys (id, account_id, name, secret_hash, last_four, scopes, created_at) VALUES
    ('kept', 'a1', 'K', 'h-kept', 'kept', '[]', 1), ('revoked', 'a1', 'K', 'h', 'last', '[]', 1), ('rotated', 'a1', 'K', 'h-old', 'old4', '[]', 1),
    ('paused', 'a1', 'K', 'h', 'last', '[]', 1);
  INSERT INTO panelists (id, account_id, created_at) VALUES
    ('p-kept', 'a1', 1), ('p-revoked', 'a1', 1), ('p-off', 'a1', 1), ('p-deleted', 'a1', 1), ('p-back', 'a1', 1);
  UPDATE panelists SET active = 0 WHERE id = 'p-back';
  INSERT INTO members (id, account_id, email, added_by, created_at) VALUES ('m-kept', 'a1', 'kept@example.com', 'x', 1), ('m-gone', 'a1', 'gone@example.com', 'x', 1), ('m2', 'a4', 'm@example.com', 'x', 1);
  INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, webhook_id, changes) VALUES ('e1', 'a1', 'created', 'kept', 'K', 'it''s me', NULL, 1, NULL, NULL);
  INSERT INTO sign_ins VALUES ('s1', 'o1@example.com', '/account', 1, 2), ('s2', 'o1@example.com', '/account', 1, 2);
  INSERT INTO webhooks (id, account_id, url, secret, created_at, number) VALUES
    ('w-kept', 'a1', 'https://kept.example/', 's1', 1, 0), ('w-deleted', 'a1', 'https://deleted.example/', 's1', 1, 0),
    ('w-moved', 'a1', 'https://old.example/', 's1', 1, 0);`;
export const SINCE = `
  UPDATE sign_ins SET opened_at = 0 WHERE id = 's2';
  UPDATE accounts SET status = 'suspended' WHERE id = 'a2';
  UPDATE api_keys SET revoked_at = 500 WHERE id = 'revoked';
  UPDATE api_keys SET secret_hash = 'h-new', last_four = 'new4', previous_secret_hash = 'h-old', previous_expires_at = 600, rotated_at = 400
    WHERE id = 'rotated';
  UPDATE api_keys SET paused_at = 450, rate_limit = 7, allowed_addresses = '["203.0.113.0/24"]' WHERE id = 'paused';
  INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, webhook_id, changes) VALUES ('e3', 'a1', 'changed', 'paused', 'K', NULL, NULL, 450, NULL, '{"before":{},"after":{}}');
  DELETE FROM members WHERE id = 'm-gone';
  UPDATE accounts SET owner_email = id WHERE id = 'a4';
  INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, webhook_id, changes) VALUES
    ('e5', 'a1', 'changed', NULL, '', NULL, NULL, 460, NULL, '{"before":{"member":"gone@example.com"},"after":{"member":null}}'),
    ('e6', 'a4', 'changed', NULL, '', NULL, NULL, 470, NULL, '{"before":{"member":"o4@example.com"},"after":{"member":null}}');
  UPDATE panelists SET tokens_revoked_at = 700 WHERE id = 'p-revoked';
  UPDATE panelists SET active = 0 WHERE id = 'p-off';
  UPDATE panelists SET active = 1 WHERE id = 'p-back';
  DELETE FROM panelists WHERE id = 'p-deleted';
  INSERT INTO panelists (id, account_id, created_at) VALUES ('p-new', 'a1', 1);
  UPDATE panelists SET tokens_revoked_at = 800 WHERE id = 'p-new';
  INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, webhook_id, changes) VALUES ('e2', 'a1', 'revoked', 'revoked', 'The "it''s" key', NULL, NULL, 500, NULL, NULL);
  INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, actor, address, created_at, webhook_id, changes) VALUES ('e7', 'a1', 'webhook-deleted', NULL, 'https://deleted.example/', NULL, NULL, 600, 'w-deleted', NULL),
    ('e8', 'a1', 'webhook-changed', NULL, 'https://old.example/', NULL, NULL, 610, 'w-moved', NULL);
  DELETE FROM webhooks WHERE id = 'w-deleted';
  UPDATE webhooks SET url = 'https://new.example/', secret = 's2', previous_secret = 's1', previous_until = 900, older_secrets = '[["s0",800]]', state = 'failed', due_at = NULL WHERE id = 'w-moved';
  DELETE FROM accounts WHERE id = 'a3';`;

export function open(...scripts: string[]): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  for (const sql of [schema, THEN, ...scripts]) database.exec(sql);
  return database;
}

/** A restored database, ended again from the state before. */
export function restore() {
  const statements = endAgain(open(SINCE));
  const restored = open();
  restored.exec(statements.join("\n"));
  return { restored, statements };
}

const TABLES = ["accounts", "api_keys", "panelists", "token_revocations", "webhooks", "audit_events", "members"];
/** What people set: webhooks, members and keys. */
export const settings = (database: DatabaseSync) =>
  ["SELECT id, url, secret, state FROM webhooks", "SELECT * FROM members", "SELECT * FROM api_keys"].map((sql) =>
    database.prepare(`${sql} ORDER BY id`).all(),
  );
export const dump = (database: DatabaseSync) => TABLES.map((table) => database.prepare(`SELECT * FROM ${table}`).all());
