-- People are told of their ideas by e-mail. What is added to tables has defaults, so the release before works on.
ALTER TABLE accounts ADD COLUMN notifies_people INTEGER NOT NULL DEFAULT 1;
ALTER TABLE accounts ADD COLUMN mail_key TEXT;
ALTER TABLE idea_banks ADD COLUMN notifies_people INTEGER NOT NULL DEFAULT 1;
ALTER TABLE idea_banks ADD COLUMN language TEXT;
ALTER TABLE panelists ADD COLUMN language TEXT;
ALTER TABLE panelists ADD COLUMN unreachable_at INTEGER;

CREATE INDEX IF NOT EXISTS panelists_by_email ON panelists (account_id, email) WHERE email IS NOT NULL;

-- The outbox of e-mails to people: one row for an idea and what happened to it within ten minutes, written in the transaction of the
-- decision. status_before and responded_before: as it was before the first decision of them. What differs when the sending starts is told,
-- so a decision that was taken back tells nobody. kind 'comments': comments from created_at on, for those who follow the idea. actor: the
-- address of the member who decided; nobody is told of their own acts. starts_at: a minute after the ten, so the last decision can be undone.
-- started_at NULL: it has not started. found_after: the recipients are being written, up to this panelist; NULL: they are complete. sent,
-- unknown, refused: how many. The job deletes rows after 30 days, in slices; so nothing else does (no foreign key).
CREATE TABLE IF NOT EXISTS outbox (
  id INTEGER PRIMARY KEY,
  account_id TEXT NOT NULL,
  idea_bank_id TEXT NOT NULL,
  proposal_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  actor TEXT,
  status_before TEXT,
  responded_before INTEGER,
  tells_status INTEGER NOT NULL DEFAULT 0,
  tells_response INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  starts_at INTEGER NOT NULL,
  started_at INTEGER,
  found_after TEXT,
  finished_at INTEGER,
  sent INTEGER NOT NULL DEFAULT 0,
  unknown INTEGER NOT NULL DEFAULT 0,
  refused INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE UNIQUE INDEX IF NOT EXISTS outbox_waiting ON outbox (proposal_id, kind) WHERE started_at IS NULL;
CREATE INDEX IF NOT EXISTS outbox_by_idea_bank ON outbox (idea_bank_id, starts_at) WHERE started_at IS NULL;
CREATE INDEX IF NOT EXISTS outbox_by_start ON outbox (starts_at) WHERE started_at IS NULL;
CREATE INDEX IF NOT EXISTS outbox_under_way ON outbox (account_id, id) WHERE started_at IS NOT NULL AND finished_at IS NULL;
CREATE INDEX IF NOT EXISTS outbox_by_proposal ON outbox (account_id, proposal_id, id);
CREATE INDEX IF NOT EXISTS outbox_by_age ON outbox (created_at);

-- Who is told, fixed when the sending starts: one row for an address and a row of the outbox. state: waiting; sending, written before the
-- call; then sent, unknown (no answer came, so it may have been sent, and is never repeated), refused (the service does not send to this
-- address) or skipped (off, hidden, gone, or older than three days).
CREATE TABLE IF NOT EXISTS recipients (
  outbox_id INTEGER NOT NULL,
  email TEXT NOT NULL,
  account_id TEXT NOT NULL,
  idea_bank_id TEXT NOT NULL,
  panelist_id TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'waiting',
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (outbox_id, email)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS recipients_waiting ON recipients (account_id, idea_bank_id, email, outbox_id) WHERE state = 'waiting';
CREATE INDEX IF NOT EXISTS recipients_sending ON recipients (changed_at) WHERE state = 'sending';
CREATE INDEX IF NOT EXISTS recipients_by_panelist ON recipients (panelist_id, outbox_id);

-- Who asked to be told of comments, too.
CREATE TABLE IF NOT EXISTS follows (
  proposal_id TEXT NOT NULL REFERENCES proposals (id) ON DELETE CASCADE,
  panelist_id TEXT NOT NULL REFERENCES panelists (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL,
  idea_bank_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (proposal_id, panelist_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS follows_by_panelist ON follows (panelist_id, proposal_id);

-- Addresses that get no e-mails about this idea, idea bank or account (scope_id). They stay when a person's address is changed, and back.
CREATE TABLE IF NOT EXISTS mutes (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, email, scope_id)
) STRICT, WITHOUT ROWID;

-- How many e-mails were sent to people on a day (of UTC, in days since 1970), so that nobody takes the whole quota of the deployment.
CREATE TABLE IF NOT EXISTS mail_days (
  day INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  sent INTEGER NOT NULL,
  PRIMARY KEY (day, account_id)
) STRICT, WITHOUT ROWID;

-- Why e-mails to people stand still, and until when. One row at most.
CREATE TABLE IF NOT EXISTS mail_stops (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  reason TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL
) STRICT;

-- Who follows an idea follows the one that it is merged into.
CREATE TRIGGER IF NOT EXISTS follows_moved AFTER UPDATE OF duplicate_of ON proposals
WHEN NEW.duplicate_of IS NOT NULL
BEGIN
  UPDATE OR IGNORE follows SET proposal_id = NEW.duplicate_of WHERE proposal_id = NEW.id;
  DELETE FROM follows WHERE proposal_id = NEW.id;
END;

-- A comment is told to those who follow the idea. One that was imported with an earlier time is not.
CREATE TRIGGER IF NOT EXISTS followers_told_of_comment AFTER INSERT ON comments
WHEN NEW.created_at > unixepoch() * 1000 - 60000 AND EXISTS (SELECT 1 FROM follows WHERE proposal_id = NEW.proposal_id)
BEGIN
  INSERT INTO outbox (account_id, idea_bank_id, proposal_id, kind, created_at, starts_at)
  SELECT NEW.account_id, NEW.idea_bank_id, NEW.proposal_id, 'comments', NEW.created_at,
    coalesce((SELECT min(starts_at) FROM outbox WHERE idea_bank_id = NEW.idea_bank_id AND started_at IS NULL
      AND starts_at > NEW.created_at + 60000), NEW.created_at + 660000)
  WHERE true ON CONFLICT (proposal_id, kind) WHERE started_at IS NULL DO UPDATE SET created_at = excluded.created_at
    WHERE excluded.created_at < created_at;
END;

-- With a person go all mails that are waiting, and what was kept by the address unless somebody else has it.
CREATE TRIGGER IF NOT EXISTS mails_of_deleted_person AFTER UPDATE OF deleted_at ON panelists
WHEN NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL
BEGIN
  DELETE FROM recipients WHERE panelist_id = OLD.id;
  DELETE FROM follows WHERE panelist_id = OLD.id;
  DELETE FROM mutes WHERE account_id = OLD.account_id AND email = OLD.email AND NOT EXISTS (SELECT 1 FROM panelists
    WHERE account_id = OLD.account_id AND email = OLD.email AND id <> OLD.id);
END;

-- A new address begins clean.
CREATE TRIGGER IF NOT EXISTS address_changed AFTER UPDATE OF email ON panelists
WHEN OLD.unreachable_at IS NOT NULL AND NEW.email IS NOT OLD.email
BEGIN
  UPDATE panelists SET unreachable_at = NULL WHERE id = NEW.id;
END;

DROP TRIGGER log_idea_banks_changed;
CREATE TRIGGER IF NOT EXISTS log_idea_banks_changed
AFTER UPDATE OF name, status, internal, changelog_enabled, changelog_max_entries, submissions_enabled,
  voting_enabled, comments_enabled, approval_required, surveys_enabled, url,
  description, public_page, hidden_from_search, email_sign_in, sign_in_url, notifies_people, language ON idea_banks
WHEN
  OLD.name IS NOT NEW.name OR OLD.status IS NOT NEW.status OR OLD.internal IS NOT NEW.internal
  OR OLD.changelog_enabled IS NOT NEW.changelog_enabled OR OLD.changelog_max_entries IS NOT NEW.changelog_max_entries
  OR OLD.submissions_enabled IS NOT NEW.submissions_enabled OR OLD.voting_enabled IS NOT NEW.voting_enabled
  OR OLD.comments_enabled IS NOT NEW.comments_enabled OR OLD.approval_required IS NOT NEW.approval_required OR OLD.surveys_enabled IS NOT NEW.surveys_enabled OR OLD.url IS NOT NEW.url
  OR OLD.description IS NOT NEW.description OR OLD.public_page IS NOT NEW.public_page
  OR OLD.hidden_from_search IS NOT NEW.hidden_from_search OR OLD.email_sign_in IS NOT NEW.email_sign_in OR OLD.sign_in_url IS NOT NEW.sign_in_url
  OR OLD.notifies_people IS NOT NEW.notifies_people OR OLD.language IS NOT NEW.language
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'ideabank.updated', NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = NEW.account_id; END;
DROP TRIGGER log_panelists_changed;
CREATE TRIGGER IF NOT EXISTS log_panelists_changed AFTER UPDATE OF external_id, display_name, email, language, active, deleted_at ON panelists
WHEN OLD.deleted_at IS NULL AND (
  OLD.external_id IS NOT NEW.external_id OR OLD.display_name IS NOT NEW.display_name OR OLD.email IS NOT NEW.email OR OLD.language IS NOT NEW.language OR OLD.active IS NOT NEW.active
  OR OLD.deleted_at IS NOT NEW.deleted_at
)
BEGIN
  INSERT INTO change_log (account_id, number, type, panelist_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    iif(NEW.deleted_at IS NULL, 'panelist.updated', 'panelist.deleted'), NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = NEW.account_id; END;
