-- Which API key did it: in the log of changes, and events of what a key ends for good.
ALTER TABLE change_log ADD COLUMN api_key_id TEXT;

-- The API key that acts in the present transaction: its request makes the row and deletes it again.
CREATE TABLE acting_keys (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  api_key_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER log_acting_key AFTER INSERT ON change_log
WHEN NEW.actor = 'tenant' AND NEW.event_id IS NULL AND EXISTS (SELECT 1 FROM acting_keys WHERE account_id = NEW.account_id)
BEGIN
  UPDATE change_log SET api_key_id = (SELECT api_key_id FROM acting_keys WHERE account_id = NEW.account_id)
  WHERE account_id = NEW.account_id AND number = NEW.number;
END;

-- What an API key ends for good is an event with the key: at most 100 of a kind in an hour for a key, so that a loop does not push out what it
-- did first. The log of changes has all of them.
CREATE TRIGGER act_of_key_logged AFTER INSERT ON change_log
WHEN NEW.actor = 'tenant' AND NEW.type IN ('ideabank.deleted', 'proposal.deleted', 'proposal.merged', 'comment.deleted', 'panelist.deleted', 'survey.deleted')
  AND EXISTS (SELECT 1 FROM acting_keys WHERE account_id = NEW.account_id)
BEGIN
  INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, created_at, subject_id, idea_bank_id, changes)
  SELECT substr(NEW.account_id, 1, 1) || substr(hex(randomblob(6)), 2), NEW.account_id, iif(NEW.type = 'proposal.merged', 'proposal-changed', replace(NEW.type, '.', '-')), k.api_key_id, coalesce((SELECT title FROM proposals WHERE id = NEW.proposal_id), ''),
    CAST(unixepoch('subsec') * 1000 AS INTEGER), coalesce(NEW.comment_id, NEW.proposal_id, NEW.panelist_id, NEW.survey_id, NEW.idea_bank_id), iif(NEW.proposal_id IS NULL, NULL, NEW.idea_bank_id), iif(NEW.type = 'proposal.merged', json_object('before', json_object('duplicateOf', NULL), 'after',
      json_object('duplicateOf', (SELECT duplicate_of FROM proposals WHERE id = NEW.proposal_id))), NULL)
  FROM acting_keys k WHERE k.account_id = NEW.account_id AND 100 > (SELECT count(*) FROM (
    SELECT 1 FROM audit_events e WHERE e.account_id = NEW.account_id AND e.api_key_id = k.api_key_id
      AND e.created_at > unixepoch() * 1000 - 3600000 AND e.event = iif(NEW.type = 'proposal.merged', 'proposal-changed', replace(NEW.type, '.', '-')) LIMIT 100));
END;

CREATE TRIGGER act_of_key_on_panelist AFTER UPDATE OF active, tokens_revoked_at ON panelists
WHEN (OLD.active = 1 AND NEW.active = 0 OR OLD.active = NEW.active AND OLD.tokens_revoked_at IS NOT NEW.tokens_revoked_at AND NEW.active = 1) AND NEW.deleted_at IS NULL
  AND EXISTS (SELECT 1 FROM acting_keys WHERE account_id = NEW.account_id)
BEGIN
  INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, created_at, subject_id, idea_bank_id, changes)
  SELECT substr(NEW.account_id, 1, 1) || substr(hex(randomblob(6)), 2), NEW.account_id, 'panelist-changed', k.api_key_id, '',
    CAST(unixepoch('subsec') * 1000 AS INTEGER), NEW.id, NULL, json_object(
      'before', json_object('active', json(iif(OLD.active, 'true', 'false')), 'tokensRevokedAt', OLD.tokens_revoked_at),
      'after', json_object('active', json(iif(NEW.active, 'true', 'false')), 'tokensRevokedAt', NEW.tokens_revoked_at))
  FROM acting_keys k WHERE k.account_id = NEW.account_id AND 100 > (SELECT count(*) FROM (
    SELECT 1 FROM audit_events e WHERE e.account_id = NEW.account_id AND e.api_key_id = k.api_key_id
      AND e.created_at > unixepoch() * 1000 - 3600000 AND e.event = 'panelist-changed' LIMIT 100));
END;

CREATE TRIGGER act_of_key_on_secrets AFTER UPDATE OF signing_epoch, visitor_tokens_ended_at ON idea_banks
WHEN (OLD.signing_epoch <> NEW.signing_epoch OR OLD.visitor_tokens_ended_at IS NOT NEW.visitor_tokens_ended_at)
  AND EXISTS (SELECT 1 FROM acting_keys WHERE account_id = NEW.account_id)
BEGIN
  INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, created_at, subject_id, idea_bank_id, changes)
  SELECT substr(NEW.account_id, 1, 1) || substr(hex(randomblob(6)), 2), NEW.account_id, iif(OLD.signing_epoch <> NEW.signing_epoch, 'signing-secret-rotated', 'visitor-tokens-ended'), k.api_key_id, NEW.name,
    CAST(unixepoch('subsec') * 1000 AS INTEGER), NEW.id, NULL, NULL
  FROM acting_keys k WHERE k.account_id = NEW.account_id AND 100 > (SELECT count(*) FROM (
    SELECT 1 FROM audit_events e WHERE e.account_id = NEW.account_id AND e.api_key_id = k.api_key_id
      AND e.created_at > unixepoch() * 1000 - 3600000 AND e.event = iif(OLD.signing_epoch <> NEW.signing_epoch, 'signing-secret-rotated', 'visitor-tokens-ended') LIMIT 100));
END;
