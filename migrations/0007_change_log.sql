-- The log of changes. It begins with the upgrade: what was changed before is not in it.

ALTER TABLE accounts ADD COLUMN changes_due_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX accounts_by_changes_due ON accounts (changes_due_at);

ALTER TABLE proposals ADD COLUMN panelist_writes INTEGER NOT NULL DEFAULT 0;

ALTER TABLE deleted_idea_banks ADD COLUMN idea_bank_id TEXT;
-- Proposals that are being deleted: their deletion is not a change any more.
UPDATE deleted_idea_banks SET idea_bank_id = id WHERE EXISTS (SELECT 1 FROM proposals WHERE id = deleted_idea_banks.id);

DROP TRIGGER proposal_deleted;
CREATE TRIGGER proposal_deleted AFTER UPDATE OF idea_bank_id ON proposals
WHEN NEW.idea_bank_id = NEW.id
BEGIN
  INSERT INTO deleted_idea_banks (id, account_id, deleted_at, idea_bank_id)
  VALUES (NEW.id, NEW.account_id, unixepoch() * 1000, OLD.idea_bank_id);
END;

CREATE TABLE change_log (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  type TEXT NOT NULL,
  idea_bank_id TEXT,
  proposal_id TEXT,
  comment_id TEXT,
  panelist_id TEXT,
  actor TEXT NOT NULL CHECK (actor IN ('tenant', 'panelist', 'system')),
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, number)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER log_full AFTER INSERT ON change_log
WHEN NEW.number > 500000
BEGIN
  DELETE FROM change_log WHERE account_id = NEW.account_id AND number = NEW.number - 500000;
END;

CREATE TRIGGER log_idea_banks_added AFTER INSERT ON idea_banks BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'ideabank.created', NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a WHERE a.id = NEW.account_id; END;
CREATE TRIGGER log_idea_banks_changed
AFTER UPDATE OF name, status, internal, changelog_enabled, changelog_max_entries, submissions_enabled,
  voting_enabled, comments_enabled, approval_required ON idea_banks
WHEN
  OLD.name IS NOT NEW.name OR OLD.status IS NOT NEW.status OR OLD.internal IS NOT NEW.internal
  OR OLD.changelog_enabled IS NOT NEW.changelog_enabled OR OLD.changelog_max_entries IS NOT NEW.changelog_max_entries
  OR OLD.submissions_enabled IS NOT NEW.submissions_enabled OR OLD.voting_enabled IS NOT NEW.voting_enabled
  OR OLD.comments_enabled IS NOT NEW.comments_enabled OR OLD.approval_required IS NOT NEW.approval_required
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'ideabank.updated', NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a WHERE a.id = NEW.account_id; END;
CREATE TRIGGER log_idea_banks_removed AFTER DELETE ON idea_banks BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'ideabank.deleted', OLD.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a WHERE a.id = OLD.account_id; END;

CREATE TRIGGER log_panelists_added AFTER INSERT ON panelists BEGIN
  INSERT INTO change_log (account_id, number, type, panelist_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'panelist.created', NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a WHERE a.id = NEW.account_id; END;
CREATE TRIGGER log_panelists_changed AFTER UPDATE OF external_id, display_name, active, deleted_at ON panelists
WHEN OLD.deleted_at IS NULL AND (
  OLD.external_id IS NOT NEW.external_id OR OLD.display_name IS NOT NEW.display_name OR OLD.active IS NOT NEW.active
  OR OLD.deleted_at IS NOT NEW.deleted_at
)
BEGIN
  INSERT INTO change_log (account_id, number, type, panelist_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    iif(NEW.deleted_at IS NULL, 'panelist.updated', 'panelist.deleted'), NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a WHERE a.id = NEW.account_id; END;
CREATE TRIGGER log_panelists_removed AFTER DELETE ON panelists
WHEN OLD.deleted_at IS NULL
BEGIN
  INSERT INTO change_log (account_id, number, type, panelist_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'panelist.deleted', OLD.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a WHERE a.id = OLD.account_id; END;

CREATE TRIGGER log_proposals_added AFTER INSERT ON proposals BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'proposal.created', NEW.idea_bank_id, NEW.id, iif(NEW.panelist_writes > 0, 'panelist', 'tenant'), CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a WHERE a.id = NEW.account_id; END;
CREATE TRIGGER log_proposals_changed
AFTER UPDATE OF idea_bank_id, title, description, status, visibility, response, responded_at, author_id, duplicate_of ON proposals
WHEN (
  OLD.idea_bank_id IS NOT NEW.idea_bank_id OR OLD.title IS NOT NEW.title OR OLD.description IS NOT NEW.description
  OR OLD.status IS NOT NEW.status OR OLD.visibility IS NOT NEW.visibility OR OLD.response IS NOT NEW.response
  OR OLD.responded_at IS NOT NEW.responded_at OR OLD.author_id IS NOT NEW.author_id OR OLD.duplicate_of IS NOT NEW.duplicate_of
) AND NOT EXISTS (SELECT 1 FROM deleted_idea_banks WHERE id = OLD.idea_bank_id AND idea_bank_id IS NOT NULL)
  AND (OLD.idea_bank_id <> NEW.idea_bank_id OR EXISTS (SELECT 1 FROM idea_banks WHERE id = OLD.idea_bank_id))
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
CREATE TRIGGER log_proposals_removed AFTER DELETE ON proposals
WHEN NOT EXISTS (SELECT 1 FROM deleted_idea_banks WHERE id = OLD.idea_bank_id AND idea_bank_id IS NOT NULL)
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'proposal.deleted',
    OLD.idea_bank_id, OLD.id,
    iif(EXISTS (SELECT 1 FROM idea_banks WHERE id = OLD.idea_bank_id), 'tenant', 'system'),
    CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a
  WHERE a.id = OLD.account_id; END;

CREATE TRIGGER log_comments_added AFTER INSERT ON comments BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, comment_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'comment.created',
    p.idea_bank_id, p.id, NEW.id,
    iif(NEW.by_tenant = 1, 'tenant', 'panelist'),
    CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a JOIN proposals p ON p.id = NEW.proposal_id
  WHERE a.id = NEW.account_id; END;
CREATE TRIGGER log_comments_changed AFTER UPDATE OF body, panelist_id ON comments
WHEN OLD.body <> NEW.body OR OLD.panelist_id IS NOT NEW.panelist_id
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, comment_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'comment.updated',
    b.id, p.id, NEW.id,
    iif(OLD.body = NEW.body, 'system', iif(NEW.by_tenant = 1, 'tenant', 'panelist')),
    CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a
    JOIN proposals p ON p.id = NEW.proposal_id JOIN idea_banks b ON b.id = p.idea_bank_id
  WHERE a.id = NEW.account_id; END;
CREATE TRIGGER log_comments_removed AFTER DELETE ON comments
WHEN 'comment.deleted' || OLD.id IS NOT (
  SELECT type || comment_id FROM change_log WHERE account_id = OLD.account_id ORDER BY number DESC LIMIT 1)
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, comment_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'comment.deleted',
    coalesce((SELECT d.idea_bank_id FROM deleted_idea_banks d WHERE d.id = p.idea_bank_id), p.idea_bank_id), OLD.proposal_id, OLD.id,
    iif(EXISTS (SELECT 1 FROM idea_banks WHERE id = p.idea_bank_id), 'tenant', 'system'),
    CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a LEFT JOIN proposals p ON p.id = OLD.proposal_id
  WHERE a.id = OLD.account_id; END;
