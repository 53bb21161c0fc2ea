-- For a team's eyes: who has an idea, tags that no panelist sees, and notes on ideas and people; and the e-mails about them to single members.
-- No event of a webhook, no time of activity and no changelog follows from them.
ALTER TABLE proposals ADD COLUMN assignee TEXT;
ALTER TABLE proposals ADD COLUMN private_tags TEXT CHECK (json_valid(private_tags));

-- The ideas of a member.
CREATE INDEX IF NOT EXISTS proposals_by_assignee ON proposals (assignee, created_at, id) WHERE assignee IS NOT NULL AND duplicate_of IS NULL;

-- The private tags of proposals, newest first: the lists by private tag, over all idea banks of an account. Triggers keep them, as those of
-- public tags.
CREATE TABLE IF NOT EXISTS proposal_private_tags (
  account_id TEXT NOT NULL,
  tag TEXT COLLATE NOCASE NOT NULL,
  created_at INTEGER NOT NULL,
  proposal_id TEXT NOT NULL,
  PRIMARY KEY (account_id, tag, created_at, proposal_id)
) STRICT, WITHOUT ROWID;

-- The private tags of an account, and how many proposals have each. At most 200.
CREATE TABLE IF NOT EXISTS account_private_tags (
  account_id TEXT NOT NULL,
  tag TEXT COLLATE NOCASE NOT NULL,
  proposals INTEGER NOT NULL,
  PRIMARY KEY (account_id, tag)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS private_tags_added AFTER INSERT ON proposals
WHEN NEW.private_tags IS NOT NULL AND NEW.duplicate_of IS NULL
BEGIN
  INSERT INTO proposal_private_tags (account_id, tag, created_at, proposal_id)
  SELECT NEW.account_id, value, NEW.created_at, NEW.id FROM json_each(NEW.private_tags);
END;

CREATE TRIGGER IF NOT EXISTS private_tags_changed AFTER UPDATE OF idea_bank_id, private_tags, duplicate_of ON proposals
WHEN (OLD.private_tags IS NOT NULL OR NEW.private_tags IS NOT NULL) AND (
  OLD.private_tags IS NOT NEW.private_tags OR OLD.idea_bank_id <> NEW.idea_bank_id OR OLD.duplicate_of IS NOT NEW.duplicate_of
)
BEGIN
  DELETE FROM proposal_private_tags WHERE account_id = OLD.account_id AND created_at = OLD.created_at AND proposal_id = OLD.id AND tag IN (
    SELECT value FROM json_each(OLD.private_tags) WHERE NEW.duplicate_of IS NOT NULL OR NEW.idea_bank_id = NEW.id
      OR NEW.private_tags IS NULL OR value NOT IN (SELECT value FROM json_each(NEW.private_tags)));
  INSERT INTO proposal_private_tags (account_id, tag, created_at, proposal_id)
  SELECT NEW.account_id, value, NEW.created_at, NEW.id FROM json_each(NEW.private_tags)
  WHERE NEW.duplicate_of IS NULL AND NEW.idea_bank_id <> NEW.id ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER IF NOT EXISTS private_tags_removed AFTER DELETE ON proposals
WHEN OLD.private_tags IS NOT NULL
BEGIN
  DELETE FROM proposal_private_tags WHERE account_id = OLD.account_id AND created_at = OLD.created_at AND proposal_id = OLD.id
    AND tag IN (SELECT value FROM json_each(OLD.private_tags));
END;

CREATE TRIGGER IF NOT EXISTS private_tag_counted AFTER INSERT ON proposal_private_tags BEGIN
  INSERT INTO account_private_tags (account_id, tag, proposals) VALUES (NEW.account_id, NEW.tag, 1)
  ON CONFLICT (account_id, tag) DO UPDATE SET proposals = proposals + 1;
END;

CREATE TRIGGER IF NOT EXISTS private_tag_uncounted AFTER DELETE ON proposal_private_tags BEGIN
  UPDATE account_private_tags SET proposals = proposals - 1 WHERE account_id = OLD.account_id AND tag = OLD.tag;
  DELETE FROM account_private_tags WHERE account_id = OLD.account_id AND tag = OLD.tag AND proposals = 0;
END;

CREATE TRIGGER IF NOT EXISTS private_tags_at_most AFTER INSERT ON account_private_tags
WHEN (SELECT count(*) FROM account_private_tags WHERE account_id = NEW.account_id) > 200
BEGIN
  SELECT RAISE(ABORT, 'too many private tags');
END;

-- What members write for their team alone, about a proposal or about a panelist. author_id: the member; NULL for an import. named: the members
-- whom the text has named so far, a JSON array of their ids: each is told once.
CREATE TABLE IF NOT EXISTS notes (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  proposal_id TEXT REFERENCES proposals (id) ON DELETE CASCADE,
  panelist_id TEXT REFERENCES panelists (id) ON DELETE CASCADE,
  author_id TEXT,
  body TEXT NOT NULL,
  named TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(named)),
  created_at INTEGER NOT NULL,
  edited_at INTEGER
) STRICT;

CREATE INDEX IF NOT EXISTS notes_by_proposal ON notes (proposal_id, created_at, id) WHERE proposal_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS notes_by_panelist ON notes (panelist_id, created_at, id) WHERE panelist_id IS NOT NULL;
-- Those that name somebody, for the first page of whom they name.
CREATE INDEX IF NOT EXISTS notes_that_name ON notes (account_id, created_at) WHERE named <> '[]';

-- E-mails to one member that are to be sent: somebody has given the member an idea (kind 'assigned', subject_id is the idea), or a note names
-- the member ('named', the note). actor: the member who did it, by id. A row goes before its e-mail is sent, and comes back if it surely was not.
CREATE TABLE IF NOT EXISTS member_outbox (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  member_id TEXT NOT NULL,
  subject_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  actor TEXT,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, member_id, subject_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS member_outbox_by_age ON member_outbox (created_at);

-- Who writes an official response to which idea, and when last (Unix milliseconds): one row a member. Colleagues who open the idea read it for
-- some minutes. It keeps nobody out.
CREATE TABLE IF NOT EXISTS writing_members (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  member_id TEXT NOT NULL,
  proposal_id TEXT NOT NULL,
  written_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, member_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS writing_member_removed AFTER DELETE ON members BEGIN
  DELETE FROM writing_members WHERE account_id = OLD.account_id AND member_id = OLD.id;
END;

-- Private tags count as the public ones.
DROP TRIGGER IF EXISTS quota_proposals_added;
DROP TRIGGER IF EXISTS quota_proposals_removed;
DROP TRIGGER IF EXISTS quota_proposals_changed;
CREATE TRIGGER IF NOT EXISTS quota_proposals_added AFTER INSERT ON proposals BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 700 + octet_length(NEW.title) + octet_length(NEW.description) + coalesce(octet_length(NEW.response), 0)
    + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.metadata), 0) + coalesce(octet_length(NEW.tags) + 100 * json_array_length(NEW.tags), 0) + coalesce(octet_length(NEW.private_tags) + 100 * json_array_length(NEW.private_tags), 0) + coalesce(octet_length(NEW.submitted), 0)
  WHERE id = NEW.account_id; END;
CREATE TRIGGER IF NOT EXISTS quota_proposals_removed AFTER DELETE ON proposals BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (700 + octet_length(OLD.title) + octet_length(OLD.description) + coalesce(octet_length(OLD.response), 0)
    + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.metadata), 0) + coalesce(octet_length(OLD.tags) + 100 * json_array_length(OLD.tags), 0) + coalesce(octet_length(OLD.private_tags) + 100 * json_array_length(OLD.private_tags), 0) + coalesce(octet_length(OLD.submitted), 0))
  WHERE id = OLD.account_id; END;
CREATE TRIGGER IF NOT EXISTS quota_proposals_changed AFTER UPDATE OF title, description, response, external_id, metadata, tags, submitted, private_tags ON proposals
WHEN OLD.title IS NOT NEW.title OR OLD.description IS NOT NEW.description OR OLD.response IS NOT NEW.response
  OR OLD.external_id IS NOT NEW.external_id OR OLD.metadata IS NOT NEW.metadata OR OLD.tags IS NOT NEW.tags OR OLD.submitted IS NOT NEW.submitted
  OR OLD.private_tags IS NOT NEW.private_tags
BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (coalesce(octet_length(NEW.title), 0) + coalesce(octet_length(NEW.description), 0) + coalesce(octet_length(NEW.response), 0)
      + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.metadata), 0) + coalesce(octet_length(NEW.tags) + 100 * json_array_length(NEW.tags), 0) + coalesce(octet_length(NEW.private_tags) + 100 * json_array_length(NEW.private_tags), 0) + coalesce(octet_length(NEW.submitted), 0))
    - (coalesce(octet_length(OLD.title), 0) + coalesce(octet_length(OLD.description), 0) + coalesce(octet_length(OLD.response), 0)
      + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.metadata), 0) + coalesce(octet_length(OLD.tags) + 100 * json_array_length(OLD.tags), 0) + coalesce(octet_length(OLD.private_tags) + 100 * json_array_length(OLD.private_tags), 0) + coalesce(octet_length(OLD.submitted), 0))
  WHERE id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS quota_notes_added AFTER INSERT ON notes BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 200 + octet_length(NEW.body) + octet_length(NEW.named)
  WHERE id = NEW.account_id; END;
CREATE TRIGGER IF NOT EXISTS quota_notes_removed AFTER DELETE ON notes BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (200 + octet_length(OLD.body) + octet_length(OLD.named))
  WHERE id = OLD.account_id; END;
CREATE TRIGGER IF NOT EXISTS quota_notes_changed AFTER UPDATE OF body, named ON notes BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (octet_length(NEW.body) + octet_length(NEW.named))
    - (octet_length(OLD.body) + octet_length(OLD.named))
  WHERE id = NEW.account_id; END;
