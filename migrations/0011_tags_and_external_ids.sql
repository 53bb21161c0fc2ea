-- What the tenant gives a proposal besides: its own id, metadata, tags. A comment that the tenant wrote for a panelist says so.

ALTER TABLE proposals ADD COLUMN external_id TEXT;
ALTER TABLE proposals ADD COLUMN metadata TEXT;
ALTER TABLE proposals ADD COLUMN tags TEXT CHECK (json_valid(tags));
ALTER TABLE comments ADD COLUMN on_behalf INTEGER NOT NULL DEFAULT 0 CHECK (on_behalf IN (0, 1));

CREATE UNIQUE INDEX proposals_by_external_id ON proposals (idea_bank_id, external_id) WHERE external_id IS NOT NULL;

DROP TRIGGER quota_proposals_added;
DROP TRIGGER quota_proposals_removed;
DROP TRIGGER quota_proposals_changed;
CREATE TRIGGER quota_proposals_added AFTER INSERT ON proposals BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 700 + octet_length(NEW.title) + octet_length(NEW.description) + coalesce(octet_length(NEW.response), 0)
    + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.metadata), 0) + coalesce(octet_length(NEW.tags) + 100 * json_array_length(NEW.tags), 0)
  WHERE id = NEW.account_id; END;
CREATE TRIGGER quota_proposals_removed AFTER DELETE ON proposals BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (700 + octet_length(OLD.title) + octet_length(OLD.description) + coalesce(octet_length(OLD.response), 0)
    + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.metadata), 0) + coalesce(octet_length(OLD.tags) + 100 * json_array_length(OLD.tags), 0))
  WHERE id = OLD.account_id; END;
CREATE TRIGGER quota_proposals_changed AFTER UPDATE OF title, description, response, external_id, metadata, tags ON proposals
WHEN OLD.title IS NOT NEW.title OR OLD.description IS NOT NEW.description OR OLD.response IS NOT NEW.response
  OR OLD.external_id IS NOT NEW.external_id OR OLD.metadata IS NOT NEW.metadata OR OLD.tags IS NOT NEW.tags
BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (coalesce(octet_length(NEW.title), 0) + coalesce(octet_length(NEW.description), 0) + coalesce(octet_length(NEW.response), 0)
      + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.metadata), 0) + coalesce(octet_length(NEW.tags) + 100 * json_array_length(NEW.tags), 0))
    - (coalesce(octet_length(OLD.title), 0) + coalesce(octet_length(OLD.description), 0) + coalesce(octet_length(OLD.response), 0)
      + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.metadata), 0) + coalesce(octet_length(OLD.tags) + 100 * json_array_length(OLD.tags), 0))
  WHERE id = NEW.account_id; END;

DROP TRIGGER log_proposals_added;
CREATE TRIGGER log_proposals_added AFTER INSERT ON proposals BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, panelist_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'proposal.created', NEW.idea_bank_id, NEW.id, iif(NEW.panelist_writes > 0, NULL, NEW.author_id), iif(NEW.panelist_writes > 0, 'panelist', 'tenant'), CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a WHERE a.id = NEW.account_id; END;

DROP TRIGGER log_proposals_changed;
CREATE TRIGGER log_proposals_changed
AFTER UPDATE OF idea_bank_id, title, description, status, visibility, response, responded_at, author_id, duplicate_of, external_id, metadata,
  tags ON proposals
WHEN (
  OLD.idea_bank_id IS NOT NEW.idea_bank_id OR OLD.title IS NOT NEW.title OR OLD.description IS NOT NEW.description
  OR OLD.status IS NOT NEW.status OR OLD.visibility IS NOT NEW.visibility OR OLD.response IS NOT NEW.response
  OR OLD.responded_at IS NOT NEW.responded_at OR OLD.author_id IS NOT NEW.author_id OR OLD.duplicate_of IS NOT NEW.duplicate_of
  OR OLD.external_id IS NOT NEW.external_id OR OLD.metadata IS NOT NEW.metadata OR OLD.tags IS NOT NEW.tags
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

DROP TRIGGER log_comments_added;
CREATE TRIGGER log_comments_added AFTER INSERT ON comments BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, comment_id, panelist_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'comment.created',
    p.idea_bank_id, p.id, NEW.id, iif(NEW.on_behalf = 1, NEW.panelist_id, NULL),
    iif(NEW.by_tenant = 1 OR NEW.on_behalf = 1, 'tenant', 'panelist'),
    CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a JOIN proposals p ON p.id = NEW.proposal_id
  WHERE a.id = NEW.account_id; END;

-- The tags of a proposal, newest first: the lists by tag. Triggers keep them. None of a merged or a deleted proposal.
CREATE TABLE proposal_tags (
  idea_bank_id TEXT NOT NULL,
  tag TEXT NOT NULL,
  visibility TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  proposal_id TEXT NOT NULL,
  PRIMARY KEY (idea_bank_id, tag, visibility, status, created_at, proposal_id)
) STRICT, WITHOUT ROWID;

-- The tags of an idea bank: how many proposals have each, and how many of them are public. At most 200.
CREATE TABLE idea_bank_tags (
  idea_bank_id TEXT NOT NULL,
  tag TEXT NOT NULL,
  proposals INTEGER NOT NULL,
  public_proposals INTEGER NOT NULL,
  PRIMARY KEY (idea_bank_id, tag)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER tags_added AFTER INSERT ON proposals
WHEN NEW.tags IS NOT NULL AND NEW.duplicate_of IS NULL
BEGIN
  INSERT INTO proposal_tags (idea_bank_id, tag, visibility, status, created_at, proposal_id)
  SELECT NEW.idea_bank_id, value, NEW.visibility, NEW.status, NEW.created_at, NEW.id FROM json_each(NEW.tags);
END;

CREATE TRIGGER tags_changed AFTER UPDATE OF idea_bank_id, tags, duplicate_of, status, visibility ON proposals
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

CREATE TRIGGER tags_removed AFTER DELETE ON proposals
WHEN OLD.tags IS NOT NULL
BEGIN
  DELETE FROM proposal_tags WHERE idea_bank_id = OLD.idea_bank_id AND visibility = OLD.visibility AND status = OLD.status
    AND created_at = OLD.created_at AND proposal_id = OLD.id AND tag IN (SELECT value FROM json_each(OLD.tags));
END;

CREATE TRIGGER tag_counted AFTER INSERT ON proposal_tags BEGIN
  INSERT INTO idea_bank_tags (idea_bank_id, tag, proposals, public_proposals)
  VALUES (NEW.idea_bank_id, NEW.tag, 1, NEW.visibility = 'public')
  ON CONFLICT (idea_bank_id, tag) DO UPDATE SET proposals = proposals + 1, public_proposals = public_proposals + excluded.public_proposals;
END;

CREATE TRIGGER tag_shown AFTER UPDATE OF visibility ON proposal_tags
WHEN (OLD.visibility = 'public') <> (NEW.visibility = 'public')
BEGIN
  UPDATE idea_bank_tags SET public_proposals = public_proposals + iif(NEW.visibility = 'public', 1, -1)
  WHERE idea_bank_id = NEW.idea_bank_id AND tag = NEW.tag;
END;

CREATE TRIGGER tag_uncounted AFTER DELETE ON proposal_tags BEGIN
  UPDATE idea_bank_tags SET proposals = proposals - 1, public_proposals = public_proposals - (OLD.visibility = 'public')
  WHERE idea_bank_id = OLD.idea_bank_id AND tag = OLD.tag;
  DELETE FROM idea_bank_tags WHERE idea_bank_id = OLD.idea_bank_id AND tag = OLD.tag AND proposals = 0;
END;

CREATE TRIGGER tags_at_most AFTER INSERT ON idea_bank_tags
WHEN (SELECT count(*) FROM idea_bank_tags WHERE idea_bank_id = NEW.idea_bank_id) > 200
BEGIN
  SELECT RAISE(ABORT, 'too many tags');
END;
