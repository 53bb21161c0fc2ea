-- A webhook may send messages to Slack and those that read the same. Its URL is its password, so what people see of it is a column of its own.
ALTER TABLE webhooks ADD COLUMN format TEXT NOT NULL DEFAULT 'standard';
ALTER TABLE webhooks ADD COLUMN shown_url TEXT GENERATED ALWAYS AS (iif(format = 'slack', substr(url, 1, instr(url, '://') + 1 + instr(substr(url, instr(url, '://') + 3), '/'))
    || '/…' || iif(length(url) - instr(url, '://') - 1 - instr(substr(url, instr(url, '://') + 3), '/') < 18, '',
      iif(url GLOB '*/slack', substr(url, -10, 4) || '/slack', substr(url, -4))), url)) VIRTUAL;

CREATE TRIGGER IF NOT EXISTS webhook_format_added BEFORE INSERT ON webhooks
WHEN NEW.format NOT IN ('standard', 'slack')
BEGIN
  SELECT RAISE(ABORT, 'unknown format of webhooks');
END;

CREATE TRIGGER IF NOT EXISTS webhook_format_changed BEFORE UPDATE OF format ON webhooks
WHEN NEW.format NOT IN ('standard', 'slack')
BEGIN
  SELECT RAISE(ABORT, 'unknown format of webhooks');
END;

DROP TRIGGER webhook_failed;

CREATE TRIGGER IF NOT EXISTS webhook_failed AFTER UPDATE OF state ON webhooks
WHEN OLD.state = 'active' AND NEW.state IN ('failed', 'ended') AND NEW.attempts > OLD.attempts
BEGIN
  INSERT INTO audit_events (id, account_id, event, api_key_name, created_at, webhook_id)
  VALUES (substr(NEW.id, 1, 1) || substr(hex(randomblob(6)), 2), NEW.account_id, 'webhook-failed', NEW.shown_url,
    CAST(unixepoch('subsec') * 1000 AS INTEGER), NEW.id);
END;
