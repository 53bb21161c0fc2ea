-- The visitor's token that Account Settings hands out for the tenant's site, so that its end is told 30 and 7 days before.
ALTER TABLE idea_banks ADD COLUMN site_token_issued_at INTEGER;
ALTER TABLE idea_banks ADD COLUMN site_token_expires_at INTEGER;
ALTER TABLE idea_banks ADD COLUMN site_token_notice_at INTEGER;
CREATE INDEX idea_banks_by_site_token_notice ON idea_banks (site_token_notice_at) WHERE site_token_notice_at IS NOT NULL;
DROP TRIGGER audit_event_added;
CREATE TRIGGER audit_event_added AFTER INSERT ON audit_events
WHEN NEW.number IS NULL
BEGIN
  UPDATE audit_events SET number = coalesce((SELECT max(number) FROM audit_events WHERE account_id = NEW.account_id), 0) + 1,
    position = coalesce((SELECT max(position) FROM kept_events WHERE account_id = NEW.account_id
      AND kind = (NEW.subject_id IS NOT NULL) + (NEW.subject_id IS NOT NULL AND NEW.api_key_id IS NOT NULL)), 0) + 1,
    notice = iif(NEW.notice IS NULL AND (NEW.event IN ('leaked', 'webhook-failing', 'webhook-failed', 'visitor-token-expiring')
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
DROP TRIGGER log_account_events;
CREATE TRIGGER log_account_events AFTER INSERT ON audit_events
WHEN NEW.notice IS NULL AND (NEW.event IN ('created', 'changed', 'rotated', 'revoked', 'expiring') AND NEW.api_key_id IS NOT NULL
  OR NEW.event IN ('leaked', 'webhook-failing', 'webhook-failed', 'visitor-token-expiring')
  OR NEW.event = 'changed' AND NEW.changes ->> '$.before.member' IS NOT NEW.changes ->> '$.after.member')
BEGIN
  INSERT INTO change_log (account_id, number, type, actor, changed_at, event_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    iif(NEW.api_key_id IS NOT NULL, 'api-key.' || NEW.event, iif(NEW.event GLOB 'webhook-*', replace(NEW.event, '-', '.'),
      iif(NEW.event = 'leaked', 'secret.leaked', iif(NEW.event = 'visitor-token-expiring', 'visitor-token.expiring', iif(NEW.changes ->> '$.after.member' IS NULL, 'member.removed', 'member.added'))))),
    iif(NEW.event IN ('expiring', 'visitor-token-expiring', 'leaked', 'webhook-failing', 'webhook-failed'), 'system', 'tenant'), CAST(unixepoch('subsec') * 1000 AS INTEGER), NEW.id
  FROM accounts a WHERE a.id = NEW.account_id; END;
