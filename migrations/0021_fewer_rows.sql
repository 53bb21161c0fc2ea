-- Each write of rows that nobody needs is taken away (docs/operations.md, "What a write costs").
DROP INDEX audit_events_by_number;
DROP TRIGGER audit_event_added;
DROP INDEX proposals_mine;
DROP INDEX comments_by_panelist;
DROP TRIGGER vote_added;
DROP TRIGGER log_idea_banks_added;
DROP TRIGGER log_idea_banks_changed;
DROP TRIGGER log_idea_banks_removed;
DROP TRIGGER log_surveys_added;
DROP TRIGGER log_surveys_changed;
DROP TRIGGER log_surveys_removed;
DROP TRIGGER log_panelists_added;
DROP TRIGGER log_panelists_changed;
DROP TRIGGER log_panelists_removed;
DROP TRIGGER log_proposals_added;
DROP TRIGGER log_proposals_changed;
DROP TRIGGER log_proposals_removed;
DROP TRIGGER log_comments_added;
DROP TRIGGER log_comments_changed;
DROP TRIGGER log_comments_removed;
DROP TRIGGER log_acting_key;
DROP TRIGGER act_of_key_logged;
DROP TRIGGER act_of_key_on_panelist;
DROP TRIGGER act_of_key_on_secrets;

ALTER TABLE acting_keys ADD COLUMN until_number INTEGER NOT NULL DEFAULT 9007199254740991;

CREATE INDEX IF NOT EXISTS audit_events_by_number ON audit_events (account_id, number) WHERE number IS NOT NULL;

CREATE TRIGGER IF NOT EXISTS audit_event_added AFTER INSERT ON audit_events
WHEN NEW.number IS NULL
BEGIN
  UPDATE audit_events SET number = coalesce((SELECT max(number) FROM audit_events WHERE account_id = NEW.account_id AND number IS NOT NULL), 0) + 1,
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

CREATE INDEX IF NOT EXISTS comments_by_panelist ON comments (panelist_id, idea_bank_id, created_at, id) WHERE panelist_id IS NOT NULL;

CREATE TRIGGER IF NOT EXISTS vote_added AFTER INSERT ON votes
BEGIN
  UPDATE proposals SET votes = votes + 1 WHERE id = NEW.proposal_id
    AND NOT (votes = 1 AND NOT EXISTS (SELECT 1 FROM votes WHERE proposal_id = NEW.proposal_id AND panelist_id <> NEW.panelist_id));
END;

CREATE TRIGGER IF NOT EXISTS log_idea_banks_added AFTER INSERT ON idea_banks BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'ideabank.created', NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_idea_banks_changed
AFTER UPDATE OF name, status, internal, changelog_enabled, changelog_max_entries, submissions_enabled,
  voting_enabled, comments_enabled, approval_required, url ON idea_banks
WHEN
  OLD.name IS NOT NEW.name OR OLD.status IS NOT NEW.status OR OLD.internal IS NOT NEW.internal
  OR OLD.changelog_enabled IS NOT NEW.changelog_enabled OR OLD.changelog_max_entries IS NOT NEW.changelog_max_entries
  OR OLD.submissions_enabled IS NOT NEW.submissions_enabled OR OLD.voting_enabled IS NOT NEW.voting_enabled
  OR OLD.comments_enabled IS NOT NEW.comments_enabled OR OLD.approval_required IS NOT NEW.approval_required OR OLD.url IS NOT NEW.url
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'ideabank.updated', NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_idea_banks_removed AFTER DELETE ON idea_banks BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'ideabank.deleted', OLD.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = OLD.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_surveys_added AFTER INSERT ON surveys BEGIN
  INSERT INTO change_log (account_id, number, type, survey_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'survey.created', NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_surveys_changed AFTER UPDATE OF title, description, status, url, external_id ON surveys
WHEN OLD.title IS NOT NEW.title OR OLD.description IS NOT NEW.description OR OLD.status IS NOT NEW.status
  OR OLD.url IS NOT NEW.url OR OLD.external_id IS NOT NEW.external_id
BEGIN
  INSERT INTO change_log (account_id, number, type, survey_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'survey.updated', NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_surveys_removed AFTER DELETE ON surveys BEGIN
  INSERT INTO change_log (account_id, number, type, survey_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'survey.deleted', OLD.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = OLD.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_panelists_added AFTER INSERT ON panelists BEGIN
  INSERT INTO change_log (account_id, number, type, panelist_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'panelist.created', NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_panelists_changed AFTER UPDATE OF external_id, display_name, active, deleted_at ON panelists
WHEN OLD.deleted_at IS NULL AND (
  OLD.external_id IS NOT NEW.external_id OR OLD.display_name IS NOT NEW.display_name OR OLD.active IS NOT NEW.active
  OR OLD.deleted_at IS NOT NEW.deleted_at
)
BEGIN
  INSERT INTO change_log (account_id, number, type, panelist_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    iif(NEW.deleted_at IS NULL, 'panelist.updated', 'panelist.deleted'), NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_panelists_removed AFTER DELETE ON panelists
WHEN OLD.deleted_at IS NULL
BEGIN
  INSERT INTO change_log (account_id, number, type, panelist_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'panelist.deleted', OLD.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = OLD.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_proposals_added AFTER INSERT ON proposals BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, panelist_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'proposal.created', NEW.idea_bank_id, NEW.id, iif(NEW.panelist_writes > 0, NULL, NEW.author_id), iif(NEW.panelist_writes > 0, 'panelist', 'tenant'), CAST(unixepoch('subsec') * 1000 AS INTEGER),
    iif(NEW.panelist_writes > 0, NULL,
      (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)))
  FROM accounts a WHERE a.id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_proposals_changed
AFTER UPDATE OF idea_bank_id, title, description, status, visibility, response, responded_at, author_id, duplicate_of, external_id, metadata,
  tags ON proposals
WHEN (
  OLD.idea_bank_id IS NOT NEW.idea_bank_id OR OLD.title IS NOT NEW.title OR OLD.description IS NOT NEW.description
  OR OLD.status IS NOT NEW.status OR OLD.visibility IS NOT NEW.visibility OR OLD.response IS NOT NEW.response
  OR OLD.responded_at IS NOT NEW.responded_at OR OLD.author_id IS NOT NEW.author_id OR OLD.duplicate_of IS NOT NEW.duplicate_of
  OR OLD.external_id IS NOT NEW.external_id OR OLD.metadata IS NOT NEW.metadata OR OLD.tags IS NOT NEW.tags
) AND EXISTS (SELECT 1 FROM idea_banks WHERE id = OLD.idea_bank_id)
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    iif(OLD.idea_bank_id <> NEW.idea_bank_id, 'proposal.deleted',
      iif(OLD.duplicate_of IS NULL AND NEW.duplicate_of IS NOT NULL, 'proposal.merged',
      iif(OLD.status <> NEW.status, 'proposal.status-changed', 'proposal.updated'))),
    OLD.idea_bank_id, NEW.id,
    iif(OLD.panelist_writes <> NEW.panelist_writes, 'panelist',
      iif(NEW.idea_bank_id NOT IN (OLD.idea_bank_id, NEW.id) OR OLD.author_id IS NOT NEW.author_id OR OLD.duplicate_of <> NEW.duplicate_of,
      'system', 'tenant')),
    CAST(unixepoch('subsec') * 1000 AS INTEGER),
    iif(OLD.panelist_writes <> NEW.panelist_writes
        OR NEW.idea_bank_id NOT IN (OLD.idea_bank_id, NEW.id) OR OLD.author_id IS NOT NEW.author_id OR OLD.duplicate_of <> NEW.duplicate_of, NULL,
      (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)))
  FROM accounts a
  WHERE a.id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_proposals_removed AFTER DELETE ON proposals
WHEN EXISTS (SELECT 1 FROM idea_banks WHERE id = OLD.idea_bank_id)
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'proposal.deleted', OLD.idea_bank_id, OLD.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a
  WHERE a.id = OLD.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_comments_added AFTER INSERT ON comments BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, comment_id, panelist_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'comment.created',
    p.idea_bank_id, p.id, NEW.id, iif(NEW.on_behalf = 1, NEW.panelist_id, NULL),
    iif(NEW.by_tenant = 1 OR NEW.on_behalf = 1, 'tenant', 'panelist'),
    CAST(unixepoch('subsec') * 1000 AS INTEGER),
    iif(NEW.by_tenant = 0 AND NEW.on_behalf = 0, NULL,
      (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)))
  FROM accounts a JOIN proposals p ON p.id = NEW.proposal_id
  WHERE a.id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_comments_changed AFTER UPDATE OF body, panelist_id ON comments
WHEN OLD.body <> NEW.body OR OLD.panelist_id IS NOT NEW.panelist_id
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, comment_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'comment.updated',
    b.id, p.id, NEW.id,
    iif(OLD.body = NEW.body, 'system', iif(NEW.by_tenant = 1, 'tenant', 'panelist')),
    CAST(unixepoch('subsec') * 1000 AS INTEGER),
    iif(OLD.body = NEW.body OR NEW.by_tenant = 0, NULL,
      (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)))
  FROM accounts a
    JOIN proposals p ON p.id = NEW.proposal_id JOIN idea_banks b ON b.id = p.idea_bank_id
  WHERE a.id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_comments_removed AFTER DELETE ON comments
WHEN 'comment.deleted' || OLD.id IS NOT (
  SELECT type || comment_id FROM change_log WHERE account_id = OLD.account_id ORDER BY number DESC LIMIT 1)
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, comment_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'comment.deleted', b.id, p.id, OLD.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a JOIN proposals p ON p.id = OLD.proposal_id JOIN idea_banks b ON b.id = p.idea_bank_id
  WHERE a.id = OLD.account_id; END;

CREATE TRIGGER IF NOT EXISTS acting_key_of_1_1_0 AFTER UPDATE OF api_key_id ON acting_keys
WHEN NEW.until_number = OLD.until_number
BEGIN
  UPDATE acting_keys SET until_number = 9007199254740991 WHERE account_id = NEW.account_id;
END;

CREATE TRIGGER IF NOT EXISTS act_of_key_logged AFTER INSERT ON change_log
WHEN NEW.api_key_id IS NOT NULL AND NEW.type IN ('ideabank.deleted', 'proposal.deleted', 'proposal.merged', 'comment.deleted', 'panelist.deleted', 'survey.deleted')
BEGIN
  INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, author_id, created_at, subject_id, idea_bank_id, changes)
  SELECT substr(NEW.account_id, 1, 1) || substr(hex(randomblob(6)), 2), NEW.account_id, iif(NEW.type = 'proposal.merged', 'proposal-changed', replace(NEW.type, '.', '-')), NEW.api_key_id, coalesce((SELECT title FROM proposals WHERE id = NEW.proposal_id), ''), (SELECT author_id FROM proposals WHERE id = NEW.proposal_id),
    CAST(unixepoch('subsec') * 1000 AS INTEGER), coalesce(NEW.comment_id, NEW.proposal_id, NEW.panelist_id, NEW.survey_id, NEW.idea_bank_id), iif(NEW.proposal_id IS NULL, NULL, NEW.idea_bank_id), iif(NEW.type = 'proposal.merged', json_object('before', json_object('duplicateOf', NULL), 'after',
      json_object('duplicateOf', (SELECT duplicate_of FROM proposals WHERE id = NEW.proposal_id))), NULL)
  WHERE 100 > (SELECT count(*) FROM (
    SELECT 1 FROM audit_events e WHERE e.account_id = NEW.account_id AND e.api_key_id = NEW.api_key_id
      AND e.created_at > unixepoch() * 1000 - 3600000 AND e.event = iif(NEW.type = 'proposal.merged', 'proposal-changed', replace(NEW.type, '.', '-')) LIMIT 100));
END;

CREATE TRIGGER IF NOT EXISTS act_of_key_on_panelist AFTER UPDATE OF active, tokens_revoked_at ON panelists
WHEN (OLD.active = 1 AND NEW.active = 0 OR OLD.active = NEW.active AND OLD.tokens_revoked_at IS NOT NEW.tokens_revoked_at AND NEW.active = 1) AND NEW.deleted_at IS NULL
  AND EXISTS (SELECT 1 FROM acting_keys WHERE account_id = NEW.account_id AND until_number = 9007199254740991)
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

CREATE TRIGGER IF NOT EXISTS act_of_key_on_secrets AFTER UPDATE OF signing_epoch, visitor_tokens_ended_at ON idea_banks
WHEN (OLD.signing_epoch <> NEW.signing_epoch OR OLD.visitor_tokens_ended_at IS NOT NEW.visitor_tokens_ended_at)
  AND EXISTS (SELECT 1 FROM acting_keys WHERE account_id = NEW.account_id AND until_number = 9007199254740991)
BEGIN
  INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, created_at, subject_id, idea_bank_id, changes)
  SELECT substr(NEW.account_id, 1, 1) || substr(hex(randomblob(6)), 2), NEW.account_id, iif(OLD.signing_epoch <> NEW.signing_epoch, 'signing-secret-rotated', 'visitor-tokens-ended'), k.api_key_id, NEW.name,
    CAST(unixepoch('subsec') * 1000 AS INTEGER), NEW.id, NULL, NULL
  FROM acting_keys k WHERE k.account_id = NEW.account_id AND 100 > (SELECT count(*) FROM (
    SELECT 1 FROM audit_events e WHERE e.account_id = NEW.account_id AND e.api_key_id = k.api_key_id
      AND e.created_at > unixepoch() * 1000 - 3600000 AND e.event = iif(OLD.signing_epoch <> NEW.signing_epoch, 'signing-secret-rotated', 'visitor-tokens-ended') LIMIT 100));
END;
