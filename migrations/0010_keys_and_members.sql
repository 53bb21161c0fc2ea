-- API keys can be paused, and limited to addresses. The audit trail says what a change was. Accounts have members.
ALTER TABLE api_keys ADD COLUMN paused_at INTEGER;
ALTER TABLE api_keys ADD COLUMN allowed_addresses TEXT CHECK (json_valid(allowed_addresses));
ALTER TABLE audit_events ADD COLUMN changes TEXT CHECK (json_valid(changes));

CREATE TABLE members (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  added_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, email)
) STRICT, WITHOUT ROWID;

CREATE TABLE memberships (
  email TEXT NOT NULL,
  account_id TEXT NOT NULL,
  PRIMARY KEY (email, account_id)
) STRICT, WITHOUT ROWID;
