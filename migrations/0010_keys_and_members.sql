-- API keys can be paused, and limited to addresses. The audit trail says what was changed, and takes events of any name: it is copied, since
-- SQLite cannot take a CHECK away from a table that exists. Nothing refers to it.
ALTER TABLE api_keys ADD COLUMN paused_at INTEGER;
ALTER TABLE api_keys ADD COLUMN allowed_addresses TEXT CHECK (json_valid(allowed_addresses));

CREATE TABLE audit_events_2 (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  api_key_id TEXT,
  api_key_name TEXT NOT NULL,
  actor TEXT,
  address TEXT,
  created_at INTEGER NOT NULL,
  changes TEXT CHECK (json_valid(changes))
) STRICT, WITHOUT ROWID;

INSERT INTO audit_events_2 (id, account_id, event, api_key_id, api_key_name, actor, address, created_at)
SELECT id, account_id, event, api_key_id, api_key_name, actor, address, created_at FROM audit_events;

DROP TABLE audit_events;
ALTER TABLE audit_events_2 RENAME TO audit_events;

CREATE INDEX audit_events_by_account ON audit_events (account_id, created_at, id);
CREATE INDEX audit_events_by_creation ON audit_events (created_at);
