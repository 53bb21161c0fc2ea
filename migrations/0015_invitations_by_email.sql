-- An invited person gets an e-mail: at most 20 in a day from an account, which take no place from those to its members.
DROP TRIGGER audit_event_added;
CREATE TRIGGER audit_event_added AFTER INSERT ON audit_events
WHEN NEW.number IS NULL
BEGIN
  UPDATE audit_events SET number = coalesce((SELECT max(number) FROM audit_events WHERE account_id = NEW.account_id), 0) + 1,
    position = coalesce((SELECT max(position) FROM kept_events WHERE account_id = NEW.account_id
      AND kind = (NEW.subject_id IS NOT NULL) + (NEW.subject_id IS NOT NULL AND NEW.api_key_id IS NOT NULL)), 0) + 1,
    notice = iif(NEW.notice IS NULL AND (NEW.event IN ('leaked', 'webhook-failing', 'webhook-failed')
      OR NEW.event = 'expiring' AND NEW.changes ->> '$.after.expiresAt' - NEW.created_at <= 604800000
      OR NEW.event = 'changed' AND coalesce(NEW.changes ->> '$.after.member', NEW.changes ->> '$.after.invited') IS NOT NULL)
      AND 20 > (SELECT count(*) FROM (SELECT 1 FROM audit_events WHERE account_id = NEW.account_id AND event = NEW.event
        AND created_at > NEW.created_at - 86400000 AND notice IS NOT NULL
        AND (changes ->> '$.after.invited' IS NULL) = (NEW.changes ->> '$.after.invited' IS NULL) LIMIT 20)), 1, NULL)
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
