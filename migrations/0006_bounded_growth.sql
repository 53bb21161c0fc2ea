-- What nothing counted: the revocations of deleted panelists count in the account's stored bytes, and a panelist to whom no token was issued
-- leaves none. API keys that have ended are found by when they ended.

CREATE INDEX api_keys_by_end ON api_keys (account_id, revoked_at, expires_at);

-- Panelists that there are, and those that the previous release creates, may have tokens.
ALTER TABLE panelists ADD COLUMN tokens_issued INTEGER NOT NULL DEFAULT 1 CHECK (tokens_issued IN (0, 1));

-- Counted in a database that may be full: the trigger that refuses growth comes back at the end.
DROP TRIGGER quota_exceeded;
UPDATE accounts SET stored_bytes = stored_bytes + 100 * (
  SELECT count(*) FROM token_revocations r
  WHERE r.account_id = accounts.id AND NOT EXISTS (SELECT 1 FROM panelists WHERE id = r.panelist_id));

DROP TRIGGER revocation_panelist_removed;
DROP TRIGGER quota_panelists_removed;

CREATE TRIGGER revocation_panelist_leaves BEFORE DELETE ON panelists
BEGIN
  DELETE FROM token_revocations WHERE panelist_id = OLD.id;
END;

CREATE TRIGGER revocation_panelist_removed AFTER DELETE ON panelists
WHEN OLD.tokens_issued = 1 OR OLD.created_at <= unixepoch() * 1000 - 3600000
BEGIN
  INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at)
  VALUES (OLD.account_id, OLD.id, 9007199254740991, unixepoch() * 1000);
END;

CREATE TRIGGER quota_panelists_removed AFTER DELETE ON panelists BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (150 + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.display_name), 0))
    + iif(OLD.tokens_issued = 1 OR OLD.created_at <= unixepoch() * 1000 - 3600000, 100, 0)
  WHERE id = OLD.account_id; END;

CREATE TRIGGER quota_token_revocations_removed AFTER DELETE ON token_revocations
WHEN NOT EXISTS (SELECT 1 FROM panelists WHERE id = OLD.panelist_id)
BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - 100 WHERE id = OLD.account_id;
END;

CREATE TRIGGER quota_exceeded BEFORE UPDATE OF stored_bytes ON accounts
WHEN NEW.stored_bytes + 128 * NEW.counted_votes > NEW.max_bytes AND NEW.stored_bytes > OLD.stored_bytes
BEGIN
  SELECT RAISE(ABORT, 'quota exceeded');
END;
