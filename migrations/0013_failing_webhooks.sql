-- A webhook that has failed for a day is told of.
ALTER TABLE webhooks ADD COLUMN failing_told_at INTEGER;
CREATE INDEX webhooks_failing ON webhooks (failing_since) WHERE failing_since IS NOT NULL AND failing_told_at IS NULL;

CREATE TRIGGER webhook_recovered AFTER UPDATE OF failing_since ON webhooks
WHEN NEW.failing_since IS NULL AND NEW.failing_told_at IS NOT NULL
BEGIN
  UPDATE webhooks SET failing_told_at = NULL WHERE id = NEW.id;
END;

DROP TRIGGER IF EXISTS audit_event_added;
CREATE TRIGGER audit_event_added AFTER INSERT ON audit_events
WHEN NEW.number IS NULL
BEGIN
  UPDATE audit_events SET number = coalesce((SELECT max(number) FROM audit_events WHERE account_id = NEW.account_id), 0) + 1,
    position = coalesce((SELECT max(position) FROM kept_events WHERE account_id = NEW.account_id
      AND kind = (NEW.subject_id IS NOT NULL) + (NEW.subject_id IS NOT NULL AND NEW.api_key_id IS NOT NULL)), 0) + 1,
    notice = iif(NEW.notice IS NULL AND (NEW.event IN ('leaked', 'webhook-failing', 'webhook-failed')
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

DROP TRIGGER IF EXISTS log_account_events;
CREATE TRIGGER log_account_events AFTER INSERT ON audit_events
WHEN NEW.notice IS NULL AND (NEW.event IN ('created', 'changed', 'rotated', 'revoked', 'expiring') AND NEW.api_key_id IS NOT NULL
  OR NEW.event IN ('leaked', 'webhook-failing', 'webhook-failed')
  OR NEW.event = 'changed' AND NEW.changes ->> '$.before.member' IS NOT NEW.changes ->> '$.after.member')
BEGIN
  INSERT INTO change_log (account_id, number, type, actor, changed_at, event_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    iif(NEW.api_key_id IS NOT NULL, 'api-key.' || NEW.event, iif(NEW.event GLOB 'webhook-*', replace(NEW.event, '-', '.'),
      iif(NEW.event = 'leaked', 'secret.leaked', iif(NEW.changes ->> '$.after.member' IS NULL, 'member.removed', 'member.added')))),
    iif(NEW.event IN ('expiring', 'leaked', 'webhook-failing', 'webhook-failed'), 'system', 'tenant'), CAST(unixepoch('subsec') * 1000 AS INTEGER), NEW.id
  FROM accounts a WHERE a.id = NEW.account_id; END;
