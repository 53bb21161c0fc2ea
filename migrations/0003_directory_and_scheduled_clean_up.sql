-- The directory of account owners; indexes for the scheduled job, which deletes what triggers and writes have deleted so far.
CREATE TABLE owners (
  email TEXT PRIMARY KEY,
  account_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO owners (email, account_id) SELECT owner_email, id FROM accounts;

CREATE INDEX api_key_usage_by_hour ON api_key_usage (hour);
CREATE INDEX audit_events_by_creation ON audit_events (created_at);
CREATE INDEX idempotency_keys_by_creation ON idempotency_keys (created_at);
DROP INDEX idempotency_keys_by_age;

DROP TRIGGER revocation_panelist_changed;
DROP TRIGGER revocation_panelist_removed;

CREATE TRIGGER revocation_panelist_changed AFTER UPDATE OF active, tokens_revoked_at ON panelists
WHEN OLD.active < NEW.active OR OLD.tokens_revoked_at IS NOT NEW.tokens_revoked_at
BEGIN
  DELETE FROM token_revocations WHERE panelist_id = NEW.id;
  INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at)
  VALUES (
    NEW.account_id,
    NEW.id,
    iif(NEW.active = 1, coalesce(NEW.tokens_revoked_at, 0), 9007199254740991),
    unixepoch() * 1000
  );
END;

CREATE TRIGGER revocation_panelist_removed AFTER DELETE ON panelists
BEGIN
  DELETE FROM token_revocations WHERE panelist_id = OLD.id;
  INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at)
  VALUES (OLD.account_id, OLD.id, 9007199254740991, unixepoch() * 1000);
END;
