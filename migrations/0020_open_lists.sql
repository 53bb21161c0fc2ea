-- A list of values that may grow (the status of an idea, a webhook's state, …) stood in a CHECK, which SQLite cannot change, and a table that
-- others refer to cannot be replaced: deleting it deletes its votes and comments, too. So each column is replaced within its table, and triggers
-- refuse unknown values from now on (docs/schema.md, "Add a value"). What is dropped first names such a column; it is made again as it was.

ALTER TABLE accounts ADD COLUMN status_open TEXT NOT NULL DEFAULT 'active';
UPDATE accounts SET status_open = status;
ALTER TABLE accounts DROP COLUMN status;
ALTER TABLE accounts RENAME COLUMN status_open TO status;

DROP TRIGGER log_surveys_changed;

ALTER TABLE surveys ADD COLUMN status_open TEXT NOT NULL DEFAULT 'DRAFT';
UPDATE surveys SET status_open = status;
ALTER TABLE surveys DROP COLUMN status;
ALTER TABLE surveys RENAME COLUMN status_open TO status;

CREATE TRIGGER IF NOT EXISTS log_surveys_changed AFTER UPDATE OF title, description, status, url, external_id ON surveys
WHEN OLD.title IS NOT NEW.title OR OLD.description IS NOT NEW.description OR OLD.status IS NOT NEW.status
  OR OLD.url IS NOT NEW.url OR OLD.external_id IS NOT NEW.external_id
BEGIN
  INSERT INTO change_log (account_id, number, type, survey_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'survey.updated', NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a WHERE a.id = NEW.account_id; END;

DROP INDEX idea_banks_by_status;
DROP TRIGGER log_idea_banks_changed;

ALTER TABLE idea_banks ADD COLUMN status_open TEXT NOT NULL DEFAULT 'DRAFT';
UPDATE idea_banks SET status_open = status;
ALTER TABLE idea_banks DROP COLUMN status;
ALTER TABLE idea_banks RENAME COLUMN status_open TO status;

CREATE INDEX IF NOT EXISTS idea_banks_by_status ON idea_banks (account_id, status, created_at, id);

CREATE TRIGGER IF NOT EXISTS log_idea_banks_changed
AFTER UPDATE OF name, status, internal, changelog_enabled, changelog_max_entries, submissions_enabled,
  voting_enabled, comments_enabled, approval_required, url ON idea_banks
WHEN
  OLD.name IS NOT NEW.name OR OLD.status IS NOT NEW.status OR OLD.internal IS NOT NEW.internal
  OR OLD.changelog_enabled IS NOT NEW.changelog_enabled OR OLD.changelog_max_entries IS NOT NEW.changelog_max_entries
  OR OLD.submissions_enabled IS NOT NEW.submissions_enabled OR OLD.voting_enabled IS NOT NEW.voting_enabled
  OR OLD.comments_enabled IS NOT NEW.comments_enabled OR OLD.approval_required IS NOT NEW.approval_required OR OLD.url IS NOT NEW.url
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'ideabank.updated', NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a WHERE a.id = NEW.account_id; END;

DROP INDEX proposals_by_status;
DROP INDEX proposals_by_visibility;
DROP INDEX proposals_top;
DROP INDEX proposals_hot;
DROP INDEX proposals_active;
DROP INDEX proposals_mine;
DROP INDEX proposals_pending;
DROP TRIGGER words_added;
DROP TRIGGER words_changed;
DROP TRIGGER words_removed;
DROP TRIGGER tags_added;
DROP TRIGGER tags_changed;
DROP TRIGGER tags_removed;
DROP TRIGGER changelog_proposal_added;
DROP TRIGGER changelog_proposal_changed;
DROP TRIGGER changelog_proposal_removed;
DROP TRIGGER comment_added;
DROP TRIGGER log_proposals_changed;

ALTER TABLE proposals ADD COLUMN status_open TEXT NOT NULL DEFAULT 'submitted';
ALTER TABLE proposals ADD COLUMN visibility_open TEXT NOT NULL DEFAULT 'public';
UPDATE proposals SET status_open = status, visibility_open = visibility;
ALTER TABLE proposals DROP COLUMN listed;
ALTER TABLE proposals DROP COLUMN in_changelog;
ALTER TABLE proposals DROP COLUMN status;
ALTER TABLE proposals DROP COLUMN visibility;
ALTER TABLE proposals RENAME COLUMN status_open TO status;
ALTER TABLE proposals RENAME COLUMN visibility_open TO visibility;
ALTER TABLE proposals ADD COLUMN listed INTEGER GENERATED ALWAYS AS (visibility = 'public' AND duplicate_of IS NULL) VIRTUAL;
ALTER TABLE proposals ADD COLUMN in_changelog INTEGER GENERATED ALWAYS AS (status = 'implemented' AND visibility = 'public' AND duplicate_of IS NULL) VIRTUAL;

CREATE INDEX IF NOT EXISTS proposals_by_status ON proposals (idea_bank_id, status, created_at, id) WHERE duplicate_of IS NULL;

CREATE INDEX IF NOT EXISTS proposals_by_visibility ON proposals (idea_bank_id, visibility, status, created_at, id)
  WHERE duplicate_of IS NULL;

CREATE INDEX IF NOT EXISTS proposals_top ON proposals (idea_bank_id, status, votes, id) WHERE listed = 1;

CREATE INDEX IF NOT EXISTS proposals_hot ON proposals (idea_bank_id, status, hot, id) WHERE listed = 1;

CREATE INDEX IF NOT EXISTS proposals_active ON proposals (idea_bank_id, status, last_activity_at, id) WHERE listed = 1;

CREATE INDEX IF NOT EXISTS proposals_mine ON proposals (author_id, idea_bank_id, status, created_at, id)
  WHERE duplicate_of IS NULL AND visibility <> 'hidden' AND author_id IS NOT NULL;

CREATE INDEX IF NOT EXISTS proposals_pending ON proposals (account_id, created_at, id) WHERE visibility = 'pending' AND duplicate_of IS NULL;

CREATE TRIGGER IF NOT EXISTS words_added AFTER INSERT ON proposals
WHEN NEW.words IS NOT NULL AND NEW.duplicate_of IS NULL
BEGIN
  INSERT INTO proposal_words (idea_bank_id, listed, word, created_at, proposal_id)
  SELECT NEW.idea_bank_id, NEW.listed, value, NEW.created_at, NEW.id FROM json_each(NEW.words) WHERE true ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER IF NOT EXISTS words_changed AFTER UPDATE OF idea_bank_id, visibility, duplicate_of, words ON proposals
WHEN OLD.duplicate_of IS NULL AND (OLD.words IS NOT NEW.words OR OLD.listed <> NEW.listed OR NEW.duplicate_of IS NOT NULL
  OR OLD.idea_bank_id <> NEW.idea_bank_id)
BEGIN
  DELETE FROM proposal_words WHERE idea_bank_id = OLD.idea_bank_id AND listed = OLD.listed AND created_at = OLD.created_at AND proposal_id = OLD.id
    AND word IN (SELECT value FROM json_each(OLD.words)
      WHERE OLD.listed <> NEW.listed OR NEW.duplicate_of IS NOT NULL OR OLD.idea_bank_id <> NEW.idea_bank_id
        OR NEW.words IS NULL OR value NOT IN (SELECT value FROM json_each(NEW.words)));
  INSERT INTO proposal_words (idea_bank_id, listed, word, created_at, proposal_id)
  SELECT NEW.idea_bank_id, NEW.listed, value, NEW.created_at, NEW.id FROM json_each(NEW.words)
  WHERE NEW.duplicate_of IS NULL AND NEW.idea_bank_id <> NEW.id ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER IF NOT EXISTS words_removed AFTER DELETE ON proposals
WHEN OLD.words IS NOT NULL AND OLD.duplicate_of IS NULL AND OLD.idea_bank_id <> OLD.id
BEGIN
  DELETE FROM proposal_words WHERE idea_bank_id = OLD.idea_bank_id AND listed = OLD.listed AND created_at = OLD.created_at AND proposal_id = OLD.id
    AND word IN (SELECT value FROM json_each(OLD.words));
END;

CREATE TRIGGER IF NOT EXISTS tags_added AFTER INSERT ON proposals
WHEN NEW.tags IS NOT NULL AND NEW.duplicate_of IS NULL
BEGIN
  INSERT INTO proposal_tags (idea_bank_id, tag, visibility, status, created_at, proposal_id)
  SELECT NEW.idea_bank_id, value, NEW.visibility, NEW.status, NEW.created_at, NEW.id FROM json_each(NEW.tags);
END;

CREATE TRIGGER IF NOT EXISTS tags_changed AFTER UPDATE OF idea_bank_id, tags, duplicate_of, status, visibility ON proposals
WHEN (OLD.tags IS NOT NULL OR NEW.tags IS NOT NULL) AND (
  OLD.tags IS NOT NEW.tags OR OLD.idea_bank_id <> NEW.idea_bank_id OR OLD.duplicate_of IS NOT NEW.duplicate_of
  OR OLD.status <> NEW.status OR OLD.visibility <> NEW.visibility
)
BEGIN
  DELETE FROM proposal_tags WHERE idea_bank_id = OLD.idea_bank_id AND visibility = OLD.visibility AND status = OLD.status
    AND created_at = OLD.created_at AND proposal_id = OLD.id AND tag IN (
      SELECT value FROM json_each(OLD.tags) WHERE NEW.duplicate_of IS NOT NULL OR OLD.idea_bank_id <> NEW.idea_bank_id
        OR NEW.tags IS NULL OR value NOT IN (SELECT value FROM json_each(NEW.tags)));
  UPDATE proposal_tags SET visibility = NEW.visibility, status = NEW.status
  WHERE (OLD.status <> NEW.status OR OLD.visibility <> NEW.visibility) AND idea_bank_id = OLD.idea_bank_id
    AND visibility = OLD.visibility AND status = OLD.status AND created_at = OLD.created_at AND proposal_id = OLD.id
    AND tag IN (SELECT value FROM json_each(OLD.tags));
  INSERT INTO proposal_tags (idea_bank_id, tag, visibility, status, created_at, proposal_id)
  SELECT NEW.idea_bank_id, value, NEW.visibility, NEW.status, NEW.created_at, NEW.id FROM json_each(NEW.tags)
  WHERE NEW.duplicate_of IS NULL AND NEW.idea_bank_id <> NEW.id ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER IF NOT EXISTS tags_removed AFTER DELETE ON proposals
WHEN OLD.tags IS NOT NULL
BEGIN
  DELETE FROM proposal_tags WHERE idea_bank_id = OLD.idea_bank_id AND visibility = OLD.visibility AND status = OLD.status
    AND created_at = OLD.created_at AND proposal_id = OLD.id AND tag IN (SELECT value FROM json_each(OLD.tags));
END;

CREATE TRIGGER IF NOT EXISTS changelog_proposal_added AFTER INSERT ON proposals
WHEN NEW.in_changelog = 1
BEGIN
  UPDATE idea_banks SET changelog_version = max(changelog_version + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER))
  WHERE id = NEW.idea_bank_id;
END;

CREATE TRIGGER IF NOT EXISTS changelog_proposal_changed
AFTER UPDATE OF idea_bank_id, title, description, status, visibility, duplicate_of, last_activity_at ON proposals
WHEN (OLD.in_changelog = 1 OR NEW.in_changelog = 1) AND (
  OLD.idea_bank_id <> NEW.idea_bank_id OR OLD.title <> NEW.title OR OLD.description <> NEW.description
  OR OLD.in_changelog <> NEW.in_changelog OR OLD.last_activity_at <> NEW.last_activity_at
)
BEGIN
  UPDATE idea_banks SET changelog_version = max(changelog_version + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER))
  WHERE id IN (OLD.idea_bank_id, NEW.idea_bank_id);
END;

CREATE TRIGGER IF NOT EXISTS changelog_proposal_removed AFTER DELETE ON proposals
WHEN OLD.in_changelog = 1
BEGIN
  UPDATE idea_banks SET changelog_version = max(changelog_version + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER))
  WHERE id = OLD.idea_bank_id;
END;

CREATE TRIGGER IF NOT EXISTS comment_added AFTER INSERT ON comments
BEGIN
  UPDATE proposals SET comments = comments + 1,
    last_activity_at = iif(status = 'implemented', last_activity_at, max(last_activity_at, NEW.created_at))
  WHERE id = NEW.proposal_id;
END;

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
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    iif(OLD.idea_bank_id <> NEW.idea_bank_id, 'proposal.deleted',
      iif(OLD.duplicate_of IS NULL AND NEW.duplicate_of IS NOT NULL, 'proposal.merged',
      iif(OLD.status <> NEW.status, 'proposal.status-changed', 'proposal.updated'))),
    OLD.idea_bank_id, NEW.id,
    iif(OLD.panelist_writes <> NEW.panelist_writes, 'panelist',
      iif(NEW.idea_bank_id NOT IN (OLD.idea_bank_id, NEW.id) OR OLD.author_id IS NOT NEW.author_id OR OLD.duplicate_of <> NEW.duplicate_of,
      'system', 'tenant')),
    CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a
  WHERE a.id = NEW.account_id; END;

DROP TRIGGER log_acting_key;
DROP TRIGGER act_of_key_logged;

ALTER TABLE change_log ADD COLUMN actor_open TEXT NOT NULL DEFAULT 'tenant';
UPDATE change_log SET actor_open = actor;
ALTER TABLE change_log DROP COLUMN actor;
ALTER TABLE change_log RENAME COLUMN actor_open TO actor;

CREATE TRIGGER IF NOT EXISTS log_acting_key AFTER INSERT ON change_log
WHEN NEW.actor = 'tenant' AND NEW.event_id IS NULL AND EXISTS (SELECT 1 FROM acting_keys WHERE account_id = NEW.account_id)
BEGIN
  UPDATE change_log SET api_key_id = (SELECT api_key_id FROM acting_keys WHERE account_id = NEW.account_id)
  WHERE account_id = NEW.account_id AND number = NEW.number;
END;

CREATE TRIGGER IF NOT EXISTS act_of_key_logged AFTER INSERT ON change_log
WHEN NEW.actor = 'tenant' AND NEW.type IN ('ideabank.deleted', 'proposal.deleted', 'proposal.merged', 'comment.deleted', 'panelist.deleted', 'survey.deleted')
  AND EXISTS (SELECT 1 FROM acting_keys WHERE account_id = NEW.account_id)
BEGIN
  INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, author_id, created_at, subject_id, idea_bank_id, changes)
  SELECT substr(NEW.account_id, 1, 1) || substr(hex(randomblob(6)), 2), NEW.account_id, iif(NEW.type = 'proposal.merged', 'proposal-changed', replace(NEW.type, '.', '-')), k.api_key_id, coalesce((SELECT title FROM proposals WHERE id = NEW.proposal_id), ''), (SELECT author_id FROM proposals WHERE id = NEW.proposal_id),
    CAST(unixepoch('subsec') * 1000 AS INTEGER), coalesce(NEW.comment_id, NEW.proposal_id, NEW.panelist_id, NEW.survey_id, NEW.idea_bank_id), iif(NEW.proposal_id IS NULL, NULL, NEW.idea_bank_id), iif(NEW.type = 'proposal.merged', json_object('before', json_object('duplicateOf', NULL), 'after',
      json_object('duplicateOf', (SELECT duplicate_of FROM proposals WHERE id = NEW.proposal_id))), NULL)
  FROM acting_keys k WHERE k.account_id = NEW.account_id AND 100 > (SELECT count(*) FROM (
    SELECT 1 FROM audit_events e WHERE e.account_id = NEW.account_id AND e.api_key_id = k.api_key_id
      AND e.created_at > unixepoch() * 1000 - 3600000 AND e.event = iif(NEW.type = 'proposal.merged', 'proposal-changed', replace(NEW.type, '.', '-')) LIMIT 100));
END;

DROP TRIGGER webhooks_behind;
DROP TRIGGER webhook_failed;

ALTER TABLE webhooks ADD COLUMN state_open TEXT NOT NULL DEFAULT 'active';
UPDATE webhooks SET state_open = state;
ALTER TABLE webhooks DROP COLUMN state;
ALTER TABLE webhooks RENAME COLUMN state_open TO state;

CREATE TRIGGER IF NOT EXISTS webhooks_behind AFTER INSERT ON change_log BEGIN
  UPDATE webhooks SET due_at = NEW.changed_at WHERE account_id = NEW.account_id AND state = 'active' AND due_at IS NULL;
END;

CREATE TRIGGER IF NOT EXISTS webhook_failed AFTER UPDATE OF state ON webhooks
WHEN OLD.state = 'active' AND NEW.state IN ('failed', 'ended') AND NEW.attempts > OLD.attempts
BEGIN
  INSERT INTO audit_events (id, account_id, event, api_key_name, created_at, webhook_id)
  VALUES (substr(NEW.id, 1, 1) || substr(hex(randomblob(6)), 2), NEW.account_id, 'webhook-failed', NEW.url,
    CAST(unixepoch('subsec') * 1000 AS INTEGER), NEW.id);
END;

CREATE TRIGGER IF NOT EXISTS account_status_added BEFORE INSERT ON accounts
WHEN NEW.status NOT IN ('active', 'suspended')
BEGIN
  SELECT RAISE(ABORT, 'unknown status of accounts');
END;

CREATE TRIGGER IF NOT EXISTS account_status_changed BEFORE UPDATE OF status ON accounts
WHEN NEW.status NOT IN ('active', 'suspended')
BEGIN
  SELECT RAISE(ABORT, 'unknown status of accounts');
END;

CREATE TRIGGER IF NOT EXISTS survey_status_added BEFORE INSERT ON surveys
WHEN NEW.status NOT IN ('DRAFT', 'OPEN', 'CLOSED')
BEGIN
  SELECT RAISE(ABORT, 'unknown status of surveys');
END;

CREATE TRIGGER IF NOT EXISTS survey_status_changed BEFORE UPDATE OF status ON surveys
WHEN NEW.status NOT IN ('DRAFT', 'OPEN', 'CLOSED')
BEGIN
  SELECT RAISE(ABORT, 'unknown status of surveys');
END;

CREATE TRIGGER IF NOT EXISTS idea_bank_status_added BEFORE INSERT ON idea_banks
WHEN NEW.status NOT IN ('DRAFT', 'OPEN', 'CLOSED')
BEGIN
  SELECT RAISE(ABORT, 'unknown status of idea_banks');
END;

CREATE TRIGGER IF NOT EXISTS idea_bank_status_changed BEFORE UPDATE OF status ON idea_banks
WHEN NEW.status NOT IN ('DRAFT', 'OPEN', 'CLOSED')
BEGIN
  SELECT RAISE(ABORT, 'unknown status of idea_banks');
END;

CREATE TRIGGER IF NOT EXISTS proposal_status_added BEFORE INSERT ON proposals
WHEN NEW.status NOT IN ('submitted', 'under-review', 'planned', 'in-progress', 'implemented', 'declined')
  OR NEW.visibility NOT IN ('public', 'pending', 'hidden')
BEGIN
  SELECT RAISE(ABORT, 'unknown status, or unknown visibility, of proposals');
END;

CREATE TRIGGER IF NOT EXISTS proposal_status_changed BEFORE UPDATE OF status, visibility ON proposals
WHEN NEW.status NOT IN ('submitted', 'under-review', 'planned', 'in-progress', 'implemented', 'declined')
  OR NEW.visibility NOT IN ('public', 'pending', 'hidden')
BEGIN
  SELECT RAISE(ABORT, 'unknown status, or unknown visibility, of proposals');
END;

CREATE TRIGGER IF NOT EXISTS change_actor_added BEFORE INSERT ON change_log
WHEN NEW.actor NOT IN ('tenant', 'panelist', 'system')
BEGIN
  SELECT RAISE(ABORT, 'unknown actor of change_log');
END;

CREATE TRIGGER IF NOT EXISTS change_actor_changed BEFORE UPDATE OF actor ON change_log
WHEN NEW.actor NOT IN ('tenant', 'panelist', 'system')
BEGIN
  SELECT RAISE(ABORT, 'unknown actor of change_log');
END;

CREATE TRIGGER IF NOT EXISTS webhook_state_added BEFORE INSERT ON webhooks
WHEN NEW.state NOT IN ('active', 'paused', 'failed', 'ended')
BEGIN
  SELECT RAISE(ABORT, 'unknown state of webhooks');
END;

CREATE TRIGGER IF NOT EXISTS webhook_state_changed BEFORE UPDATE OF state ON webhooks
WHEN NEW.state NOT IN ('active', 'paused', 'failed', 'ended')
BEGIN
  SELECT RAISE(ABORT, 'unknown state of webhooks');
END;
