-- Events: bounds for each kind, and their bytes in the quota. What a restore reads lives in the rows of the account, its keys and webhooks.
ALTER TABLE accounts ADD COLUMN event_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN member_removed_at INTEGER;
ALTER TABLE accounts ADD COLUMN webhook_deleted_at INTEGER;
ALTER TABLE accounts ADD COLUMN keys_deleted_at INTEGER;
ALTER TABLE api_keys ADD COLUMN changed_at INTEGER;
ALTER TABLE webhooks ADD COLUMN changed_at INTEGER;
-- Events of before have no position, and are not counted: counting them would read all of them. They end by their age.
ALTER TABLE audit_events ADD COLUMN position INTEGER;

CREATE TABLE kept_events (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  kind INTEGER NOT NULL,
  position INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  PRIMARY KEY (account_id, kind, position)
) STRICT, WITHOUT ROWID;

DROP TRIGGER IF EXISTS quota_exceeded;
CREATE TRIGGER quota_exceeded BEFORE UPDATE OF stored_bytes ON accounts
WHEN NEW.stored_bytes + 128 * NEW.counted_votes + NEW.event_bytes > NEW.max_bytes AND NEW.stored_bytes > OLD.stored_bytes
BEGIN
  SELECT RAISE(ABORT, 'quota exceeded');
END;

DROP TRIGGER IF EXISTS quota_votes_exceeded;
CREATE TRIGGER quota_votes_exceeded AFTER INSERT ON votes BEGIN
  SELECT RAISE(ABORT, 'quota exceeded') FROM accounts
  WHERE id = NEW.account_id AND stored_bytes + 128 * counted_votes + event_bytes >= max_bytes; END;

DROP TRIGGER IF EXISTS audit_event_added;
CREATE TRIGGER audit_event_added AFTER INSERT ON audit_events
WHEN NEW.number IS NULL
BEGIN
  UPDATE audit_events SET number = coalesce((SELECT max(number) FROM audit_events WHERE account_id = NEW.account_id), 0) + 1,
    position = coalesce((SELECT max(position) FROM kept_events WHERE account_id = NEW.account_id
      AND kind = (NEW.subject_id IS NOT NULL) + (NEW.subject_id IS NOT NULL AND NEW.api_key_id IS NOT NULL)), 0) + 1,
    notice = iif(NEW.notice IS NULL AND (NEW.event IN ('leaked', 'webhook-failed')
      OR NEW.event = 'expiring' AND NEW.changes ->> '$.after.expiresAt' - NEW.created_at <= 604800000
      OR NEW.event = 'changed' AND NEW.changes ->> '$.after.member' IS NOT NULL)
      AND 20 > (SELECT count(*) FROM (SELECT 1 FROM audit_events WHERE account_id = NEW.account_id AND event = NEW.event
        AND created_at > NEW.created_at - 86400000 AND notice IS NOT NULL LIMIT 20)), 1, NULL)
  WHERE id = NEW.id;
  INSERT INTO kept_events (account_id, kind, position, event_id)
  SELECT account_id, (NEW.subject_id IS NOT NULL) + (NEW.subject_id IS NOT NULL AND NEW.api_key_id IS NOT NULL), position, id
  FROM audit_events WHERE id = NEW.id;
  UPDATE accounts SET event_bytes = event_bytes + (400 + octet_length(NEW.api_key_name) + coalesce(octet_length(NEW.actor), 0) + coalesce(octet_length(NEW.address), 0)
    + coalesce(octet_length(NEW.changes), 0))
  WHERE id = NEW.account_id;
  DELETE FROM audit_events WHERE id = (SELECT event_id FROM kept_events WHERE account_id = NEW.account_id
    AND kind = (NEW.subject_id IS NOT NULL) + (NEW.subject_id IS NOT NULL AND NEW.api_key_id IS NOT NULL)
    AND position = (SELECT position FROM audit_events WHERE id = NEW.id) - 10000);
END;

CREATE TRIGGER audit_event_changed AFTER UPDATE OF api_key_name, changes ON audit_events
WHEN NEW.position IS NOT NULL
BEGIN
  UPDATE accounts SET event_bytes = event_bytes + octet_length(NEW.api_key_name) + coalesce(octet_length(NEW.changes), 0)
    - octet_length(OLD.api_key_name) - coalesce(octet_length(OLD.changes), 0)
  WHERE id = NEW.account_id;
END;

CREATE TRIGGER audit_event_removed AFTER DELETE ON audit_events
WHEN OLD.position IS NOT NULL
BEGIN
  DELETE FROM kept_events WHERE account_id = OLD.account_id
    AND kind = (OLD.subject_id IS NOT NULL) + (OLD.subject_id IS NOT NULL AND OLD.api_key_id IS NOT NULL) AND position = OLD.position;
  UPDATE accounts SET event_bytes = event_bytes - (400 + octet_length(OLD.api_key_name) + coalesce(octet_length(OLD.actor), 0) + coalesce(octet_length(OLD.address), 0)
    + coalesce(octet_length(OLD.changes), 0))
  WHERE id = OLD.account_id;
END;
