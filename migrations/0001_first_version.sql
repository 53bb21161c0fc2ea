-- The schema of the first published version. A database that this version made, without a ledger, has all of it: every statement
-- has IF NOT EXISTS. Do not change this file: databases exist that it made.
-- Times are Unix milliseconds; identifiers are 12 base62 characters; every row carries its tenant (account_id).

CREATE TABLE IF NOT EXISTS accounts (
  id TEXT PRIMARY KEY,
  owner_email TEXT NOT NULL UNIQUE,
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'suspended')),
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- A key itself is never stored: secret_hash is the hex SHA-256 of the whole key, last_four its last characters, and scopes a
-- JSON array. After a rotation the secret before it lives on as previous_secret_hash until previous_expires_at.
CREATE TABLE IF NOT EXISTS api_keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  secret_hash TEXT NOT NULL,
  last_four TEXT NOT NULL DEFAULT '',
  previous_secret_hash TEXT,
  previous_expires_at INTEGER,
  previous_last_used_at INTEGER,
  rotated_at INTEGER,
  scopes TEXT NOT NULL CHECK (json_valid(scopes)),
  rate_limit INTEGER NOT NULL DEFAULT 600 CHECK (rate_limit BETWEEN 1 AND 10000),
  rate_window_seconds INTEGER NOT NULL DEFAULT 60 CHECK (rate_window_seconds BETWEEN 1 AND 3600),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS api_keys_by_account ON api_keys (account_id, created_at, id);

-- One row per key and hour (the hour's first millisecond), written by the key's gate as totals, so that writing twice counts once.
CREATE TABLE IF NOT EXISTS api_key_usage (
  api_key_id TEXT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  hour INTEGER NOT NULL,
  admitted INTEGER NOT NULL,
  limited INTEGER NOT NULL,
  PRIMARY KEY (api_key_id, hour)
) STRICT, WITHOUT ROWID;

-- What happened to an account's API keys, who did it and from where. Written in the transaction of the change, where there is one.
CREATE TABLE IF NOT EXISTS audit_events (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  event TEXT NOT NULL CHECK (event IN ('created', 'rotated', 'renamed', 'revoked', 'refused', 'used-after-revocation')),
  api_key_id TEXT,
  api_key_name TEXT NOT NULL,
  actor TEXT,
  address TEXT,
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS audit_events_by_account ON audit_events (account_id, created_at, id);

-- Answers to POSTs that carried an Idempotency-Key, for 24 hours. outcome is a JSON object of what the answer is made of;
-- it never holds a credential.
CREATE TABLE IF NOT EXISTS idempotency_keys (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  outcome TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS idempotency_keys_by_age ON idempotency_keys (account_id, created_at);

CREATE TABLE IF NOT EXISTS surveys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'OPEN', 'CLOSED')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS surveys_by_account ON surveys (account_id, created_at, id);

CREATE TABLE IF NOT EXISTS panelists (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  external_id TEXT,
  active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  tokens_revoked_at INTEGER,
  created_at INTEGER NOT NULL,
  UNIQUE (account_id, external_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS panelists_by_account ON panelists (account_id, created_at, id);

-- The exceptions among an account's panelists: tokens issued at or before revoked_at are dead. Kept by the triggers below,
-- so that one snapshot answers for every panelist. seq only grows: a reader asks for what came after the last it saw.
CREATE TABLE IF NOT EXISTS token_revocations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  panelist_id TEXT NOT NULL UNIQUE,
  revoked_at INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS token_revocations_by_account ON token_revocations (account_id, seq);

CREATE TABLE IF NOT EXISTS idea_banks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'OPEN', 'CLOSED')),
  internal INTEGER NOT NULL DEFAULT 0 CHECK (internal IN (0, 1)),
  changelog_enabled INTEGER NOT NULL DEFAULT 0 CHECK (changelog_enabled IN (0, 1)),
  changelog_max_entries INTEGER NOT NULL DEFAULT 20 CHECK (changelog_max_entries BETWEEN 1 AND 100),
  changelog_version INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER)),
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS idea_banks_by_account ON idea_banks (account_id, created_at, id);

CREATE TABLE IF NOT EXISTS proposals (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  idea_bank_id TEXT NOT NULL REFERENCES idea_banks (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'submitted'
    CHECK (status IN ('submitted', 'under-review', 'planned', 'in-progress', 'implemented', 'declined')),
  created_at INTEGER NOT NULL,
  last_activity_at INTEGER NOT NULL
) STRICT;

-- The changelog in its own order: reading the first N rows of an idea bank reads N entries, however many proposals there are.
CREATE INDEX IF NOT EXISTS proposals_changelog ON proposals (idea_bank_id, last_activity_at DESC, id DESC)
  WHERE status = 'implemented';

CREATE INDEX IF NOT EXISTS proposals_by_idea_bank ON proposals (idea_bank_id, created_at, id);
CREATE INDEX IF NOT EXISTS proposals_by_status ON proposals (idea_bank_id, status, created_at, id);

CREATE TABLE IF NOT EXISTS comments (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  proposal_id TEXT NOT NULL REFERENCES proposals (id) ON DELETE CASCADE,
  panelist_id TEXT REFERENCES panelists (id) ON DELETE SET NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS comments_by_proposal ON comments (proposal_id, created_at, id);
-- Removing a panelist finds the comments that name it, and nobody else's.
CREATE INDEX IF NOT EXISTS comments_by_panelist ON comments (panelist_id);

-- The changelog's version moves in the transaction that changes what the changelog shows, whoever writes. (SQLite runs no
-- triggers for the rows that INSERT OR REPLACE throws out: write with UPDATE or an upsert.)
-- It starts at, and keeps above, the clock: a database restored from a backup never reuses a version that a cache may hold.

CREATE TRIGGER IF NOT EXISTS changelog_proposal_added AFTER INSERT ON proposals
WHEN NEW.status = 'implemented'
BEGIN
  UPDATE idea_banks SET changelog_version = max(changelog_version + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER))
  WHERE id = NEW.idea_bank_id;
END;

CREATE TRIGGER IF NOT EXISTS changelog_proposal_changed
AFTER UPDATE OF idea_bank_id, title, description, status, last_activity_at ON proposals
WHEN (OLD.status = 'implemented' OR NEW.status = 'implemented') AND (
  OLD.idea_bank_id <> NEW.idea_bank_id OR OLD.title <> NEW.title OR OLD.description <> NEW.description
  OR OLD.status <> NEW.status OR OLD.last_activity_at <> NEW.last_activity_at
)
BEGIN
  UPDATE idea_banks SET changelog_version = max(changelog_version + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER))
  WHERE id IN (OLD.idea_bank_id, NEW.idea_bank_id);
END;

CREATE TRIGGER IF NOT EXISTS changelog_proposal_removed AFTER DELETE ON proposals
WHEN OLD.status = 'implemented'
BEGIN
  UPDATE idea_banks SET changelog_version = max(changelog_version + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER))
  WHERE id = OLD.idea_bank_id;
END;

CREATE TRIGGER IF NOT EXISTS changelog_maximum_changed AFTER UPDATE OF changelog_max_entries ON idea_banks
WHEN OLD.changelog_max_entries <> NEW.changelog_max_entries
BEGIN
  UPDATE idea_banks SET changelog_version = max(changelog_version + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER))
  WHERE id = NEW.id;
END;

-- A comment is activity on its proposal (a vote is not).
CREATE TRIGGER IF NOT EXISTS activity_comment_added AFTER INSERT ON comments
BEGIN
  UPDATE proposals SET last_activity_at = max(last_activity_at, NEW.created_at) WHERE id = NEW.proposal_id;
END;

-- A panelist who is switched off, removed, or whose tokens are revoked becomes an exception; one switched on again stops being one.
-- Each record also drops the account's two oldest once no token that old can be alive (90 days), so the table stays small.
CREATE TRIGGER IF NOT EXISTS revocation_panelist_changed AFTER UPDATE OF active, tokens_revoked_at ON panelists
WHEN OLD.active <> NEW.active OR OLD.tokens_revoked_at IS NOT NEW.tokens_revoked_at
BEGIN
  DELETE FROM token_revocations WHERE panelist_id = NEW.id;
  DELETE FROM token_revocations
  WHERE seq IN (SELECT seq FROM token_revocations WHERE account_id = NEW.account_id ORDER BY seq LIMIT 2)
    AND recorded_at < (unixepoch() - 91 * 86400) * 1000;
  INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at)
  VALUES (
    NEW.account_id,
    NEW.id,
    iif(NEW.active = 1, coalesce(NEW.tokens_revoked_at, 0), 9007199254740991),
    unixepoch() * 1000
  );
END;

CREATE TRIGGER IF NOT EXISTS revocation_panelist_removed AFTER DELETE ON panelists
BEGIN
  DELETE FROM token_revocations WHERE panelist_id = OLD.id;
  DELETE FROM token_revocations
  WHERE seq IN (SELECT seq FROM token_revocations WHERE account_id = OLD.account_id ORDER BY seq LIMIT 2)
    AND recorded_at < (unixepoch() - 91 * 86400) * 1000;
  INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at)
  VALUES (OLD.account_id, OLD.id, 9007199254740991, unixepoch() * 1000);
END;

CREATE TRIGGER IF NOT EXISTS revocation_account_removed AFTER DELETE ON accounts
BEGIN
  DELETE FROM token_revocations WHERE account_id = OLD.id;
END;
