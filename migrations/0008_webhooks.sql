-- Webhooks, and their audit events.

ALTER TABLE audit_events ADD COLUMN webhook TEXT CHECK (json_valid(webhook));

CREATE TABLE webhooks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  types TEXT CHECK (types IS NULL OR json_valid(types)),
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_until INTEGER,
  created_at INTEGER NOT NULL,
  state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'paused', 'failed', 'ended')),
  number INTEGER NOT NULL,
  due_at INTEGER,
  claimed_until INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  failing_since INTEGER,
  missed INTEGER NOT NULL DEFAULT 0,
  recent TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(recent))
) STRICT, WITHOUT ROWID;

CREATE INDEX webhooks_by_account ON webhooks (account_id);
CREATE INDEX webhooks_due ON webhooks (due_at) WHERE due_at IS NOT NULL;

CREATE TRIGGER webhooks_behind AFTER INSERT ON change_log BEGIN
  UPDATE webhooks SET due_at = NEW.changed_at WHERE account_id = NEW.account_id AND state = 'active' AND due_at IS NULL;
END;
