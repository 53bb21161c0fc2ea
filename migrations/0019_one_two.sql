-- From the schema of 1.1.0 to that of 1.2.0. schema.sql says what each table, column and trigger is for.
--
-- It is one step, so that the database answers nothing only once. No statement takes more than half a second for 100,000 ideas, comments and
-- events: far from D1's 30 seconds.
--
-- 1.1.0 works on it, during the deployment and after a rollback: what is new has a default or may be null, and no trigger refuses what 1.1.0
-- writes. Members that it adds are admins, as those are whom it has added. It writes and edits ideas without their new terms: `indexed` is NULL
-- then (terms_stale), as in all that are stored now, until the scheduled job has written them. It does not say until which change a key acts
-- (acting_key_of_1_1_0), and deletes ideas and people without a look at their history (steps_of_deleted_proposal, steps_of_deleted_person).
--
-- A list of values that may grow (the status of an idea, a webhook's state, …) stood in a CHECK, which SQLite cannot change, and a table that
-- others refer to cannot be replaced: deleting it deletes its votes and comments, too. So each such column is replaced within its table, and
-- triggers refuse unknown values from now on (docs/schema.md, "Add a value").

-- What names a replaced column, is another from now on, or has no use any more.
DROP INDEX audit_events_by_number;
DROP TRIGGER audit_event_added;

DROP INDEX idea_banks_by_status;
DROP TRIGGER log_idea_banks_added;
DROP TRIGGER log_idea_banks_removed;
DROP TRIGGER quota_idea_banks_added;
DROP TRIGGER quota_idea_banks_removed;
DROP TRIGGER quota_idea_banks_changed;
DROP TRIGGER log_idea_banks_changed;
DROP TRIGGER act_of_key_on_secrets;

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
DROP TRIGGER log_proposals_added;
DROP TRIGGER log_proposals_changed;
DROP TRIGGER log_proposals_removed;
DROP TRIGGER quota_proposals_added;
DROP TRIGGER quota_proposals_removed;
DROP TRIGGER quota_proposals_changed;

DROP INDEX comments_by_proposal;
DROP INDEX comments_by_panelist;
DROP TRIGGER log_comments_added;
DROP TRIGGER log_comments_changed;
DROP TRIGGER comment_added;
DROP TRIGGER comment_removed;
DROP TRIGGER log_comments_removed;

DROP TRIGGER vote_added;

DROP TRIGGER quota_surveys_added;
DROP TRIGGER quota_surveys_removed;
DROP TRIGGER quota_surveys_changed;
DROP TRIGGER log_surveys_added;
DROP TRIGGER log_surveys_changed;
DROP TRIGGER log_surveys_removed;

DROP TRIGGER quota_panelists_added;
DROP TRIGGER quota_panelists_removed;
DROP TRIGGER quota_panelists_changed;
DROP TRIGGER log_panelists_added;
DROP TRIGGER log_panelists_changed;
DROP TRIGGER log_panelists_removed;
DROP TRIGGER act_of_key_on_panelist;

DROP TRIGGER webhooks_behind;
DROP TRIGGER log_acting_key;
DROP TRIGGER act_of_key_logged;

DROP TRIGGER webhook_failed;

-- The columns, and what fills them.
ALTER TABLE accounts ADD COLUMN changelog_epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN status_open TEXT NOT NULL DEFAULT 'active';
ALTER TABLE accounts ADD COLUMN external_ids_are_emails INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN notifies_people INTEGER NOT NULL DEFAULT 1;
ALTER TABLE accounts ADD COLUMN mail_key TEXT;
ALTER TABLE accounts ADD COLUMN owner_name TEXT;
ALTER TABLE accounts ADD COLUMN owner_role TEXT NOT NULL DEFAULT 'admin';
ALTER TABLE accounts ADD COLUMN viewers_export INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN service_token_roles TEXT NOT NULL DEFAULT '[]';
ALTER TABLE accounts ADD COLUMN comments_seen_at INTEGER;
ALTER TABLE accounts ADD COLUMN code_renewed_at INTEGER;
-- Tokens that ended before are old news.
UPDATE accounts SET status_open = status, code_renewed_at = tokens_ended_at;
ALTER TABLE accounts DROP COLUMN status;
ALTER TABLE accounts RENAME COLUMN status_open TO status;

ALTER TABLE members ADD COLUMN name TEXT;
ALTER TABLE members ADD COLUMN role TEXT NOT NULL DEFAULT 'admin';
ALTER TABLE members ADD COLUMN comments_seen_at INTEGER;
ALTER TABLE invitations ADD COLUMN role TEXT NOT NULL DEFAULT 'admin';

ALTER TABLE audit_events ADD COLUMN author_id TEXT;
-- Of the events that there are: those about what still exists.
UPDATE audit_events SET author_id = coalesce((SELECT author_id FROM proposals WHERE id = subject_id),
    (SELECT p.author_id FROM comments c JOIN proposals p ON p.id = c.proposal_id WHERE c.id = subject_id))
WHERE event GLOB 'proposal-*' OR event GLOB 'comment-*';
-- Those about several ideas hold words of several authors.
UPDATE audit_events SET changes = json_set(changes, '$.each', (
    SELECT json_group_array(json_set(value, '$[2]', '')) FROM json_each(changes, '$.each')))
WHERE event = 'proposals-changed' AND changes IS NOT NULL;

ALTER TABLE surveys ADD COLUMN status_open TEXT NOT NULL DEFAULT 'DRAFT';
UPDATE surveys SET status_open = status;
ALTER TABLE surveys DROP COLUMN status;
ALTER TABLE surveys RENAME COLUMN status_open TO status;
ALTER TABLE surveys ADD COLUMN idea_bank_id TEXT;
ALTER TABLE surveys ADD COLUMN thanks TEXT NOT NULL DEFAULT '';
ALTER TABLE surveys ADD COLUMN questions TEXT NOT NULL DEFAULT '[]';
ALTER TABLE surveys ADD COLUMN voters_of TEXT;
ALTER TABLE surveys ADD COLUMN anonymous INTEGER NOT NULL DEFAULT 0;
ALTER TABLE surveys ADD COLUMN editable INTEGER NOT NULL DEFAULT 1;
ALTER TABLE surveys ADD COLUMN closes_at INTEGER;
ALTER TABLE surveys ADD COLUMN max_responses INTEGER;
ALTER TABLE surveys ADD COLUMN opened_at INTEGER;
ALTER TABLE surveys ADD COLUMN full INTEGER NOT NULL DEFAULT 0;
ALTER TABLE surveys ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE surveys ADD COLUMN salt TEXT;
ALTER TABLE surveys ADD COLUMN responses INTEGER NOT NULL DEFAULT 0;
ALTER TABLE surveys ADD COLUMN totals TEXT NOT NULL DEFAULT '{}';
ALTER TABLE surveys ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE surveys ADD COLUMN step INTEGER NOT NULL DEFAULT 0;
ALTER TABLE surveys ADD COLUMN unshown INTEGER NOT NULL DEFAULT 0;
ALTER TABLE surveys ADD COLUMN shown_responses INTEGER NOT NULL DEFAULT 0;
ALTER TABLE surveys ADD COLUMN shown_totals TEXT NOT NULL DEFAULT '{}';
ALTER TABLE surveys ADD COLUMN shown_bytes INTEGER NOT NULL DEFAULT 0;

ALTER TABLE panelists ADD COLUMN email TEXT;
ALTER TABLE panelists ADD COLUMN email_verified INTEGER NOT NULL DEFAULT 0;
ALTER TABLE panelists ADD COLUMN mailbox TEXT;
ALTER TABLE panelists ADD COLUMN first_hour_proposals INTEGER NOT NULL DEFAULT 0;
ALTER TABLE panelists ADD COLUMN first_hour_comments INTEGER NOT NULL DEFAULT 0;
ALTER TABLE panelists ADD COLUMN language TEXT;
ALTER TABLE panelists ADD COLUMN unreachable_at INTEGER;
ALTER TABLE panelists ADD COLUMN cleared_at INTEGER;

ALTER TABLE idea_banks ADD COLUMN status_open TEXT NOT NULL DEFAULT 'DRAFT';
UPDATE idea_banks SET status_open = status;
ALTER TABLE idea_banks DROP COLUMN status;
ALTER TABLE idea_banks RENAME COLUMN status_open TO status;
ALTER TABLE idea_banks ADD COLUMN surveys_enabled INTEGER NOT NULL DEFAULT 1;
ALTER TABLE idea_banks ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE idea_banks ADD COLUMN public_page INTEGER NOT NULL DEFAULT 0;
ALTER TABLE idea_banks ADD COLUMN hidden_from_search INTEGER NOT NULL DEFAULT 0;
ALTER TABLE idea_banks ADD COLUMN email_sign_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE idea_banks ADD COLUMN sign_in_url TEXT;
ALTER TABLE idea_banks ADD COLUMN notifies_people INTEGER NOT NULL DEFAULT 1;
ALTER TABLE idea_banks ADD COLUMN language TEXT;
ALTER TABLE idea_banks ADD COLUMN comment_approval_required INTEGER NOT NULL DEFAULT 0;

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
ALTER TABLE proposals ADD COLUMN assignee TEXT;
ALTER TABLE proposals ADD COLUMN private_tags TEXT CHECK (json_valid(private_tags));
ALTER TABLE proposals ADD COLUMN title_terms TEXT CHECK (json_valid(title_terms));
ALTER TABLE proposals ADD COLUMN text_terms TEXT CHECK (json_valid(text_terms));
ALTER TABLE proposals ADD COLUMN indexed INTEGER;
ALTER TABLE proposals ADD COLUMN terms TEXT GENERATED ALWAYS AS (coalesce(words, '') || coalesce(title_terms, '') || coalesce(text_terms, '')) VIRTUAL;

ALTER TABLE comments ADD COLUMN visibility TEXT NOT NULL DEFAULT 'public';
ALTER TABLE comments ADD COLUMN shown_at INTEGER;

ALTER TABLE change_log ADD COLUMN actor_open TEXT NOT NULL DEFAULT 'tenant';
UPDATE change_log SET actor_open = actor;
ALTER TABLE change_log DROP COLUMN actor;
ALTER TABLE change_log RENAME COLUMN actor_open TO actor;

ALTER TABLE webhooks ADD COLUMN state_open TEXT NOT NULL DEFAULT 'active';
UPDATE webhooks SET state_open = state;
ALTER TABLE webhooks DROP COLUMN state;
ALTER TABLE webhooks RENAME COLUMN state_open TO state;
ALTER TABLE webhooks ADD COLUMN format TEXT NOT NULL DEFAULT 'standard';
ALTER TABLE webhooks ADD COLUMN shown_url TEXT GENERATED ALWAYS AS (iif(format = 'slack', substr(url, 1, instr(url, '://') + 1 + instr(substr(url, instr(url, '://') + 3), '/'))
    || '/…' || iif(length(url) - instr(url, '://') - 1 - instr(substr(url, instr(url, '://') + 3), '/') < 18, '',
      iif(url GLOB '*/slack', substr(url, -10, 4) || '/slack', substr(url, -4))), url)) VIRTUAL;

ALTER TABLE acting_keys ADD COLUMN until_number INTEGER NOT NULL DEFAULT 9007199254740991;

-- Tables, indexes and triggers, in the order of schema.sql. Who is a member already has no row in told_members or member_mails, and so gets no
-- e-mail about new ideas until they choose.
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

CREATE TRIGGER IF NOT EXISTS creator_role_added BEFORE INSERT ON accounts
WHEN NEW.owner_role NOT IN ('admin', 'member', 'viewer')
BEGIN
  SELECT RAISE(ABORT, 'unknown owner_role of accounts');
END;

CREATE TRIGGER IF NOT EXISTS creator_role_changed BEFORE UPDATE OF owner_role ON accounts
WHEN NEW.owner_role NOT IN ('admin', 'member', 'viewer')
BEGIN
  SELECT RAISE(ABORT, 'unknown owner_role of accounts');
END;

CREATE TRIGGER IF NOT EXISTS member_role_added BEFORE INSERT ON members
WHEN NEW.role NOT IN ('admin', 'member', 'viewer')
BEGIN
  SELECT RAISE(ABORT, 'unknown role of members');
END;

CREATE TRIGGER IF NOT EXISTS member_role_changed BEFORE UPDATE OF role ON members
WHEN NEW.role NOT IN ('admin', 'member', 'viewer')
BEGIN
  SELECT RAISE(ABORT, 'unknown role of members');
END;

CREATE TRIGGER IF NOT EXISTS invitation_role_added BEFORE INSERT ON invitations
WHEN NEW.role NOT IN ('admin', 'member', 'viewer')
BEGIN
  SELECT RAISE(ABORT, 'unknown role of invitations');
END;

CREATE TRIGGER IF NOT EXISTS invitation_role_changed BEFORE UPDATE OF role ON invitations
WHEN NEW.role NOT IN ('admin', 'member', 'viewer')
BEGIN
  SELECT RAISE(ABORT, 'unknown role of invitations');
END;

CREATE INDEX IF NOT EXISTS audit_events_by_author ON audit_events (author_id) WHERE author_id IS NOT NULL;
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

CREATE INDEX IF NOT EXISTS surveys_by_status ON surveys (account_id, status, created_at, id);
CREATE INDEX IF NOT EXISTS surveys_by_idea_bank ON surveys (idea_bank_id, created_at, id) WHERE idea_bank_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS surveys_of_idea_bank_by_status ON surveys (idea_bank_id, status, created_at, id) WHERE idea_bank_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS surveys_by_audience ON surveys (voters_of) WHERE voters_of IS NOT NULL;
CREATE INDEX IF NOT EXISTS surveys_closing ON surveys (closes_at) WHERE status = 'OPEN' AND closes_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS surveys_with_salt ON surveys (account_id, id) WHERE salt IS NOT NULL;

CREATE TABLE IF NOT EXISTS survey_responses (
  survey_id TEXT NOT NULL,
  respondent TEXT NOT NULL,
  account_id TEXT NOT NULL,
  answers TEXT NOT NULL,
  counted TEXT NOT NULL,
  revision TEXT NOT NULL,
  step INTEGER NOT NULL DEFAULT 0,
  first_step INTEGER NOT NULL DEFAULT 0,
  by_tenant INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (survey_id, respondent)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS survey_responses_by_creation ON survey_responses (survey_id, created_at, respondent);
CREATE INDEX IF NOT EXISTS survey_responses_by_respondent ON survey_responses (respondent, created_at);

CREATE TABLE IF NOT EXISTS survey_texts (
  survey_id TEXT NOT NULL,
  question_id TEXT NOT NULL,
  place TEXT NOT NULL,
  step INTEGER NOT NULL DEFAULT 0,
  until INTEGER,
  text TEXT NOT NULL,
  PRIMARY KEY (survey_id, question_id, place, step)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS survey_texts_by_end ON survey_texts (survey_id, until) WHERE until IS NOT NULL;

CREATE TABLE IF NOT EXISTS survey_former (
  survey_id TEXT NOT NULL,
  step INTEGER NOT NULL,
  id TEXT NOT NULL,
  counted TEXT NOT NULL,
  PRIMARY KEY (survey_id, step, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX IF NOT EXISTS panelists_by_verified_email ON panelists (account_id, email) WHERE email_verified = 1;
CREATE INDEX IF NOT EXISTS panelists_by_email ON panelists (account_id, email) WHERE email IS NOT NULL;
CREATE INDEX IF NOT EXISTS panelists_by_mailbox ON panelists (account_id, mailbox, created_at) WHERE mailbox IS NOT NULL;
CREATE INDEX IF NOT EXISTS panelists_cleared ON panelists (cleared_at) WHERE deletes_content = 1 AND deleted_at IS NULL;

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

CREATE INDEX IF NOT EXISTS idea_banks_by_status ON idea_banks (account_id, status, created_at, id);
CREATE INDEX IF NOT EXISTS idea_banks_with_page ON idea_banks (created_at, id) WHERE public_page = 1;

CREATE TABLE IF NOT EXISTS sign_in_codes (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  idea_bank_id TEXT NOT NULL REFERENCES idea_banks (id) ON DELETE CASCADE,
  browser TEXT NOT NULL,
  email TEXT,
  mailbox TEXT NOT NULL,
  sender TEXT NOT NULL,
  code TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  tries INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS sign_in_codes_by_browser ON sign_in_codes (idea_bank_id, browser, created_at);
CREATE INDEX IF NOT EXISTS sign_in_codes_by_mailbox ON sign_in_codes (account_id, mailbox, created_at);
CREATE INDEX IF NOT EXISTS sign_in_codes_by_sender ON sign_in_codes (sender, created_at);
CREATE INDEX IF NOT EXISTS sign_in_codes_by_idea_bank ON sign_in_codes (idea_bank_id, created_at);
CREATE INDEX IF NOT EXISTS sign_in_codes_by_time ON sign_in_codes (created_at);

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

CREATE INDEX IF NOT EXISTS proposals_by_status ON proposals (idea_bank_id, status, created_at, id) WHERE duplicate_of IS NULL;

CREATE INDEX IF NOT EXISTS proposals_by_visibility ON proposals (idea_bank_id, visibility, status, created_at, id)
  WHERE duplicate_of IS NULL;

CREATE INDEX IF NOT EXISTS proposals_top ON proposals (idea_bank_id, status, votes, id) WHERE listed = 1;
CREATE INDEX IF NOT EXISTS proposals_hot ON proposals (idea_bank_id, status, hot, id) WHERE listed = 1;
CREATE INDEX IF NOT EXISTS proposals_active ON proposals (idea_bank_id, status, last_activity_at, id) WHERE listed = 1;
CREATE INDEX IF NOT EXISTS proposals_pending ON proposals (account_id, created_at, id) WHERE visibility = 'pending' AND duplicate_of IS NULL;
CREATE INDEX IF NOT EXISTS proposals_by_assignee ON proposals (assignee, created_at, id) WHERE assignee IS NOT NULL AND duplicate_of IS NULL;
CREATE INDEX IF NOT EXISTS proposals_unindexed ON proposals (id) WHERE indexed IS NULL AND duplicate_of IS NULL;

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

CREATE TABLE IF NOT EXISTS proposal_terms (
  idea_bank_id TEXT NOT NULL,
  listed INTEGER NOT NULL,
  term TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  proposal_id TEXT NOT NULL,
  PRIMARY KEY (idea_bank_id, listed, term, created_at DESC, proposal_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS terms_added AFTER INSERT ON proposals
WHEN coalesce(NEW.title_terms, NEW.text_terms) IS NOT NULL AND NEW.duplicate_of IS NULL
BEGIN
  INSERT INTO proposal_terms (idea_bank_id, listed, term, created_at, proposal_id)
  SELECT NEW.idea_bank_id, NEW.listed, value, NEW.created_at, NEW.id
  FROM (SELECT value FROM json_each(NEW.title_terms) UNION ALL SELECT value FROM json_each(NEW.text_terms)) WHERE true ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER IF NOT EXISTS terms_changed AFTER UPDATE OF idea_bank_id, visibility, duplicate_of, title_terms, text_terms ON proposals
WHEN OLD.duplicate_of IS NULL AND (OLD.title_terms IS NOT NEW.title_terms OR OLD.text_terms IS NOT NEW.text_terms
  OR OLD.listed <> NEW.listed OR NEW.duplicate_of IS NOT NULL OR OLD.idea_bank_id <> NEW.idea_bank_id)
BEGIN
  DELETE FROM proposal_terms WHERE idea_bank_id = OLD.idea_bank_id AND listed = OLD.listed AND created_at = OLD.created_at AND proposal_id = OLD.id
    AND term IN (SELECT value FROM json_each(OLD.title_terms) UNION ALL SELECT value FROM json_each(OLD.text_terms)
      EXCEPT SELECT value FROM (SELECT value FROM json_each(NEW.title_terms) UNION ALL SELECT value FROM json_each(NEW.text_terms))
      WHERE OLD.listed = NEW.listed AND NEW.duplicate_of IS NULL AND OLD.idea_bank_id = NEW.idea_bank_id);
  INSERT INTO proposal_terms (idea_bank_id, listed, term, created_at, proposal_id)
  SELECT NEW.idea_bank_id, NEW.listed, value, NEW.created_at, NEW.id
  FROM (SELECT value FROM json_each(NEW.title_terms) UNION ALL SELECT value FROM json_each(NEW.text_terms))
  WHERE NEW.duplicate_of IS NULL AND NEW.idea_bank_id <> NEW.id ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER IF NOT EXISTS terms_removed AFTER DELETE ON proposals
WHEN OLD.duplicate_of IS NULL AND OLD.idea_bank_id <> OLD.id
BEGIN
  DELETE FROM proposal_terms WHERE idea_bank_id = OLD.idea_bank_id AND listed = OLD.listed AND created_at = OLD.created_at AND proposal_id = OLD.id
    AND term IN (SELECT value FROM json_each(OLD.title_terms) UNION ALL SELECT value FROM json_each(OLD.text_terms));
END;

CREATE TRIGGER IF NOT EXISTS terms_stale AFTER UPDATE OF title, description ON proposals
WHEN NEW.indexed IS NOT NULL AND NEW.indexed = OLD.indexed AND (OLD.title <> NEW.title OR OLD.description <> NEW.description)
BEGIN
  UPDATE proposals SET indexed = NULL WHERE id = NEW.id;
END;

CREATE TRIGGER IF NOT EXISTS comment_visibility_added BEFORE INSERT ON comments
WHEN NEW.visibility NOT IN ('public', 'pending', 'hidden')
BEGIN
  SELECT RAISE(ABORT, 'unknown visibility of comments');
END;

CREATE TRIGGER IF NOT EXISTS comment_visibility_changed BEFORE UPDATE OF visibility ON comments
WHEN NEW.visibility NOT IN ('public', 'pending', 'hidden')
BEGIN
  SELECT RAISE(ABORT, 'unknown visibility of comments');
END;

CREATE INDEX IF NOT EXISTS comments_by_visibility ON comments (proposal_id, visibility, created_at, id);
CREATE INDEX IF NOT EXISTS comments_pending ON comments (account_id, created_at, id) WHERE visibility = 'pending';
CREATE INDEX IF NOT EXISTS comments_pending_of_panelist ON comments (proposal_id, panelist_id, created_at, id) WHERE visibility = 'pending';
CREATE INDEX IF NOT EXISTS comments_shown ON comments (proposal_id, shown_at) WHERE shown_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS comments_by_panelist ON comments (panelist_id, idea_bank_id, created_at, id) WHERE panelist_id IS NOT NULL;

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
CREATE INDEX IF NOT EXISTS outbox_failed ON outbox (account_id, created_at) WHERE unknown + refused > 0;

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

CREATE TABLE IF NOT EXISTS follows (
  proposal_id TEXT NOT NULL REFERENCES proposals (id) ON DELETE CASCADE,
  panelist_id TEXT NOT NULL REFERENCES panelists (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL,
  idea_bank_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (proposal_id, panelist_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS follows_by_panelist ON follows (panelist_id, proposal_id);

CREATE TABLE IF NOT EXISTS mutes (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  scope_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, email, scope_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS mail_days (
  day INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  sent INTEGER NOT NULL,
  PRIMARY KEY (day, account_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS mail_stops (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  reason TEXT NOT NULL,
  since INTEGER NOT NULL,
  until INTEGER NOT NULL
) STRICT;

CREATE TABLE IF NOT EXISTS told_members (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  time_zone TEXT,
  hour INTEGER NOT NULL DEFAULT 8,
  told_up_to_now INTEGER NOT NULL,
  told_up_to_daily INTEGER NOT NULL,
  next_digest_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, email)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS told_members_by_digest ON told_members (next_digest_at);

CREATE TABLE IF NOT EXISTS member_mails (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  idea_bank_id TEXT NOT NULL,
  ideas TEXT,
  ideas_since INTEGER NOT NULL DEFAULT 0,
  comments TEXT,
  comments_since INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, email, idea_bank_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS member_mails_at_once ON member_mails (account_id, email) WHERE ideas = 'now' OR comments = 'now';
CREATE INDEX IF NOT EXISTS member_mails_by_idea_bank ON member_mails (idea_bank_id) WHERE idea_bank_id <> '';

CREATE TRIGGER IF NOT EXISTS creator_is_told AFTER INSERT ON accounts
WHEN NEW.owner_email <> NEW.id
BEGIN
  INSERT INTO told_members (account_id, email, told_up_to_now, told_up_to_daily, next_digest_at)
  VALUES (NEW.id, NEW.owner_email, unixepoch() * 1000, unixepoch() * 1000, (CAST((unixepoch() - 28800) / 86400 AS INTEGER) + 1) * 86400000 + 28800000)
  ON CONFLICT DO NOTHING;
  INSERT INTO member_mails (account_id, email, idea_bank_id, ideas, ideas_since, comments, comments_since)
  VALUES (NEW.id, NEW.owner_email, '', 'daily', unixepoch() * 1000, 'daily', unixepoch() * 1000) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER IF NOT EXISTS member_is_told AFTER INSERT ON members
BEGIN
  INSERT INTO told_members (account_id, email, told_up_to_now, told_up_to_daily, next_digest_at)
  VALUES (NEW.account_id, NEW.email, unixepoch() * 1000, unixepoch() * 1000, (CAST((unixepoch() - 28800) / 86400 AS INTEGER) + 1) * 86400000 + 28800000)
  ON CONFLICT DO NOTHING;
  INSERT INTO member_mails (account_id, email, idea_bank_id, ideas, ideas_since, comments, comments_since)
  VALUES (NEW.account_id, NEW.email, '', 'daily', unixepoch() * 1000, 'daily', unixepoch() * 1000) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER IF NOT EXISTS creator_no_longer_told AFTER UPDATE OF owner_email ON accounts
WHEN NEW.owner_email <> OLD.owner_email
BEGIN
  UPDATE OR REPLACE told_members SET email = NEW.owner_email WHERE account_id = NEW.id AND email = OLD.owner_email AND NEW.owner_email <> NEW.id;
  UPDATE OR REPLACE member_mails SET email = NEW.owner_email WHERE account_id = NEW.id AND email = OLD.owner_email AND NEW.owner_email <> NEW.id;
  DELETE FROM told_members WHERE account_id = NEW.id AND email = OLD.owner_email;
  DELETE FROM member_mails WHERE account_id = NEW.id AND email = OLD.owner_email;
END;

CREATE TRIGGER IF NOT EXISTS member_told_elsewhere AFTER UPDATE OF email ON members
WHEN NEW.email <> OLD.email
BEGIN
  UPDATE OR REPLACE told_members SET email = NEW.email WHERE account_id = NEW.account_id AND email = OLD.email;
  UPDATE OR REPLACE member_mails SET email = NEW.email WHERE account_id = NEW.account_id AND email = OLD.email;
END;

CREATE TRIGGER IF NOT EXISTS member_no_longer_told AFTER DELETE ON members
BEGIN
  DELETE FROM told_members WHERE account_id = OLD.account_id AND email = OLD.email;
  DELETE FROM member_mails WHERE account_id = OLD.account_id AND email = OLD.email;
END;

CREATE TRIGGER IF NOT EXISTS idea_bank_no_longer_told AFTER DELETE ON idea_banks
BEGIN
  DELETE FROM member_mails WHERE idea_bank_id = OLD.id AND idea_bank_id <> '';
END;

CREATE TRIGGER IF NOT EXISTS follows_moved AFTER UPDATE OF duplicate_of ON proposals
WHEN NEW.duplicate_of IS NOT NULL
BEGIN
  UPDATE OR IGNORE follows SET proposal_id = NEW.duplicate_of WHERE proposal_id = NEW.id;
  DELETE FROM follows WHERE proposal_id = NEW.id;
END;

CREATE TRIGGER IF NOT EXISTS followers_told_of_comment AFTER INSERT ON comments
WHEN NEW.visibility = 'public' AND NEW.created_at > unixepoch() * 1000 - 60000 AND EXISTS (SELECT 1 FROM follows WHERE proposal_id = NEW.proposal_id)
BEGIN
  INSERT INTO outbox (account_id, idea_bank_id, proposal_id, kind, created_at, starts_at)
  SELECT NEW.account_id, NEW.idea_bank_id, NEW.proposal_id, 'comments', NEW.created_at,
    coalesce((SELECT min(starts_at) FROM outbox WHERE idea_bank_id = NEW.idea_bank_id AND started_at IS NULL
      AND starts_at > NEW.created_at + 60000), NEW.created_at + 660000)
  WHERE true ON CONFLICT (proposal_id, kind) WHERE started_at IS NULL DO UPDATE SET created_at = excluded.created_at
    WHERE excluded.created_at < created_at;
END;

CREATE TRIGGER IF NOT EXISTS mails_of_deleted_person AFTER UPDATE OF deleted_at ON panelists
WHEN NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL
BEGIN
  DELETE FROM recipients WHERE panelist_id = OLD.id;
  DELETE FROM follows WHERE panelist_id = OLD.id;
  DELETE FROM mutes WHERE account_id = OLD.account_id AND email = OLD.email AND NOT EXISTS (SELECT 1 FROM panelists
    WHERE account_id = OLD.account_id AND email = OLD.email AND id <> OLD.id);
END;

CREATE TRIGGER IF NOT EXISTS follows_of_cleared_person AFTER UPDATE OF cleared_at ON panelists
BEGIN
  DELETE FROM follows WHERE panelist_id = NEW.id;
END;

CREATE TRIGGER IF NOT EXISTS address_changed AFTER UPDATE OF email ON panelists
WHEN OLD.unreachable_at IS NOT NULL AND NEW.email IS NOT OLD.email
BEGIN
  UPDATE panelists SET unreachable_at = NULL WHERE id = NEW.id;
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

CREATE TABLE IF NOT EXISTS proposal_private_tags (
  account_id TEXT NOT NULL,
  tag TEXT COLLATE NOCASE NOT NULL,
  created_at INTEGER NOT NULL,
  proposal_id TEXT NOT NULL,
  PRIMARY KEY (account_id, tag, created_at, proposal_id)
) STRICT, WITHOUT ROWID;

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
CREATE INDEX IF NOT EXISTS notes_that_name ON notes (account_id, created_at) WHERE named <> '[]';

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

CREATE TRIGGER IF NOT EXISTS changelog_author_hidden AFTER UPDATE OF deletes_content ON panelists
WHEN OLD.deletes_content <> NEW.deletes_content
BEGIN
  UPDATE accounts SET changelog_epoch = changelog_epoch + 1 WHERE id = NEW.account_id;
END;

CREATE TRIGGER IF NOT EXISTS comment_added AFTER INSERT ON comments
WHEN NEW.visibility = 'public'
BEGIN
  UPDATE proposals SET comments = comments + 1,
    last_activity_at = iif(status = 'implemented', last_activity_at, max(last_activity_at, NEW.created_at))
  WHERE id = NEW.proposal_id;
END;

CREATE TRIGGER IF NOT EXISTS comment_shown AFTER UPDATE OF visibility ON comments
WHEN OLD.visibility <> NEW.visibility AND 'public' IN (OLD.visibility, NEW.visibility)
BEGIN
  UPDATE proposals SET comments = comments + iif(NEW.visibility = 'public', 1, -1),
    last_activity_at = iif(status = 'implemented' OR NEW.visibility <> 'public' OR OLD.shown_at IS NOT NULL, last_activity_at,
      max(last_activity_at, NEW.created_at))
  WHERE id = NEW.proposal_id;
  UPDATE comments SET shown_at = coalesce(shown_at, iif(NEW.visibility = 'public', CAST(unixepoch('subsec') * 1000 AS INTEGER), created_at))
  WHERE id = NEW.id AND NEW.shown_at IS OLD.shown_at;
  INSERT INTO outbox (account_id, idea_bank_id, proposal_id, kind, created_at, starts_at)
  SELECT c.account_id, c.idea_bank_id, c.proposal_id, 'comments', c.shown_at,
    coalesce((SELECT min(starts_at) FROM outbox WHERE idea_bank_id = c.idea_bank_id AND started_at IS NULL
      AND starts_at > c.shown_at + 60000), c.shown_at + 660000)
  FROM comments c WHERE c.id = NEW.id AND c.visibility = 'public' AND OLD.shown_at IS NULL
    AND EXISTS (SELECT 1 FROM follows WHERE proposal_id = c.proposal_id) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER IF NOT EXISTS comment_removed AFTER DELETE ON comments
WHEN OLD.visibility = 'public'
BEGIN
  UPDATE proposals SET comments = comments - 1
  WHERE id = OLD.proposal_id AND EXISTS (SELECT 1 FROM idea_banks WHERE id = proposals.idea_bank_id);
END;

CREATE TRIGGER IF NOT EXISTS vote_added AFTER INSERT ON votes
BEGIN
  UPDATE proposals SET votes = votes + 1 WHERE id = NEW.proposal_id
    AND NOT (votes = 1 AND NOT EXISTS (SELECT 1 FROM votes WHERE proposal_id = NEW.proposal_id AND panelist_id <> NEW.panelist_id));
END;

CREATE TRIGGER IF NOT EXISTS quota_surveys_added AFTER INSERT ON surveys BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 150 + octet_length(NEW.title) + octet_length(NEW.description) + octet_length(NEW.thanks) + octet_length(NEW.questions) + NEW.shown_bytes + coalesce(octet_length(NEW.url), 0) + coalesce(octet_length(NEW.external_id), 0)
  WHERE id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS quota_surveys_removed AFTER DELETE ON surveys BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (150 + octet_length(OLD.title) + octet_length(OLD.description) + octet_length(OLD.thanks) + octet_length(OLD.questions) + OLD.shown_bytes + coalesce(octet_length(OLD.url), 0) + coalesce(octet_length(OLD.external_id), 0))
  WHERE id = OLD.account_id; END;

CREATE TRIGGER IF NOT EXISTS quota_surveys_changed AFTER UPDATE OF title, description, thanks, questions, url, external_id, shown_bytes ON surveys BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (octet_length(NEW.title) + octet_length(NEW.description) + octet_length(NEW.thanks) + octet_length(NEW.questions) + NEW.shown_bytes + coalesce(octet_length(NEW.url), 0) + coalesce(octet_length(NEW.external_id), 0))
    - (octet_length(OLD.title) + octet_length(OLD.description) + octet_length(OLD.thanks) + octet_length(OLD.questions) + OLD.shown_bytes + coalesce(octet_length(OLD.url), 0) + coalesce(octet_length(OLD.external_id), 0))
  WHERE id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS quota_panelists_added AFTER INSERT ON panelists BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 150 + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.display_name), 0) + coalesce(octet_length(NEW.email), 0) + coalesce(octet_length(NEW.mailbox), 0)
  WHERE id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS quota_panelists_removed AFTER DELETE ON panelists BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (150 + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.display_name), 0) + coalesce(octet_length(OLD.email), 0) + coalesce(octet_length(OLD.mailbox), 0))
    + iif(OLD.tokens_issued = 1, 100, 0)
  WHERE id = OLD.account_id; END;

CREATE TRIGGER IF NOT EXISTS quota_panelists_changed AFTER UPDATE OF external_id, display_name, email, mailbox ON panelists BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.display_name), 0) + coalesce(octet_length(NEW.email), 0) + coalesce(octet_length(NEW.mailbox), 0))
    - (coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.display_name), 0) + coalesce(octet_length(OLD.email), 0) + coalesce(octet_length(OLD.mailbox), 0))
  WHERE id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS quota_idea_banks_added AFTER INSERT ON idea_banks BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 200 + octet_length(NEW.name) + coalesce(octet_length(NEW.url), 0) + octet_length(NEW.description) + coalesce(octet_length(NEW.sign_in_url), 0)
  WHERE id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS quota_idea_banks_removed AFTER DELETE ON idea_banks BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (200 + octet_length(OLD.name) + coalesce(octet_length(OLD.url), 0) + octet_length(OLD.description) + coalesce(octet_length(OLD.sign_in_url), 0))
  WHERE id = OLD.account_id; END;

CREATE TRIGGER IF NOT EXISTS quota_idea_banks_changed AFTER UPDATE OF name, url, description, sign_in_url ON idea_banks BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (coalesce(octet_length(NEW.name), 0) + coalesce(octet_length(NEW.url), 0) + octet_length(NEW.description) + coalesce(octet_length(NEW.sign_in_url), 0))
    - (coalesce(octet_length(OLD.name), 0) + coalesce(octet_length(OLD.url), 0) + octet_length(OLD.description) + coalesce(octet_length(OLD.sign_in_url), 0))
  WHERE id = NEW.account_id; END;

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

CREATE TRIGGER IF NOT EXISTS log_idea_banks_added AFTER INSERT ON idea_banks BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'ideabank.created', NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_idea_banks_changed
AFTER UPDATE OF name, status, internal, changelog_enabled, changelog_max_entries, submissions_enabled,
  voting_enabled, comments_enabled, approval_required, surveys_enabled, url,
  description, public_page, hidden_from_search, email_sign_in, sign_in_url, notifies_people, language, comment_approval_required ON idea_banks
WHEN
  OLD.name IS NOT NEW.name OR OLD.status IS NOT NEW.status OR OLD.internal IS NOT NEW.internal
  OR OLD.changelog_enabled IS NOT NEW.changelog_enabled OR OLD.changelog_max_entries IS NOT NEW.changelog_max_entries
  OR OLD.submissions_enabled IS NOT NEW.submissions_enabled OR OLD.voting_enabled IS NOT NEW.voting_enabled
  OR OLD.comments_enabled IS NOT NEW.comments_enabled OR OLD.approval_required IS NOT NEW.approval_required OR OLD.surveys_enabled IS NOT NEW.surveys_enabled OR OLD.url IS NOT NEW.url
  OR OLD.description IS NOT NEW.description OR OLD.public_page IS NOT NEW.public_page
  OR OLD.hidden_from_search IS NOT NEW.hidden_from_search OR OLD.email_sign_in IS NOT NEW.email_sign_in OR OLD.sign_in_url IS NOT NEW.sign_in_url
  OR OLD.notifies_people IS NOT NEW.notifies_people OR OLD.language IS NOT NEW.language OR OLD.comment_approval_required IS NOT NEW.comment_approval_required
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

CREATE TRIGGER IF NOT EXISTS log_surveys_changed AFTER UPDATE OF idea_bank_id, title, description, thanks, status, url, external_id, questions, voters_of, anonymous, editable, closes_at, max_responses ON surveys
WHEN OLD.idea_bank_id IS NOT NEW.idea_bank_id OR OLD.title IS NOT NEW.title OR OLD.description IS NOT NEW.description OR OLD.thanks IS NOT NEW.thanks OR
  OLD.status IS NOT NEW.status OR OLD.url IS NOT NEW.url OR OLD.external_id IS NOT NEW.external_id OR OLD.questions IS NOT NEW.questions OR
  OLD.voters_of IS NOT NEW.voters_of OR OLD.anonymous IS NOT NEW.anonymous OR OLD.editable IS NOT NEW.editable OR
  OLD.closes_at IS NOT NEW.closes_at OR OLD.max_responses IS NOT NEW.max_responses
BEGIN
  INSERT INTO change_log (account_id, number, type, survey_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'survey.updated', NEW.id, iif(OLD.idea_bank_id IS NOT NULL AND NEW.revision = OLD.revision, 'system', 'tenant'), CAST(unixepoch('subsec') * 1000 AS INTEGER),
    iif(OLD.idea_bank_id IS NOT NULL AND NEW.revision = OLD.revision, NULL, (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)))
  FROM accounts a WHERE a.id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_surveys_removed AFTER DELETE ON surveys
WHEN OLD.idea_bank_id IS NULL OR EXISTS (SELECT 1 FROM idea_banks WHERE id = OLD.idea_bank_id)
BEGIN
  INSERT INTO change_log (account_id, number, type, survey_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'survey.deleted', OLD.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = OLD.account_id; END;

CREATE TRIGGER IF NOT EXISTS survey_response_added AFTER INSERT ON survey_responses BEGIN
  UPDATE surveys SET responses = responses + 1, bytes = bytes + 300 + 2 * octet_length(NEW.answers) + octet_length(NEW.counted),
    shown_bytes = shown_bytes + iif(anonymous, 0, 300 + 2 * octet_length(NEW.answers) + octet_length(NEW.counted)), unshown = unshown + anonymous,
    status = iif(responses + 1 >= max_responses, 'CLOSED', status), full = iif(responses + 1 >= max_responses, 1, full),
    salt = iif(responses + 1 >= max_responses, NULL, salt),
    totals = (SELECT json_group_object(key, n) FROM (SELECT key, sum(n) AS n FROM (
      SELECT key, value AS n FROM json_each(surveys.totals)
      UNION ALL SELECT value, 1 FROM json_each(NEW.counted))
      GROUP BY key HAVING sum(n) <> 0))
  WHERE id = NEW.survey_id;
  UPDATE surveys SET step = step + 1, unshown = 0, shown_responses = responses, shown_totals = totals, shown_bytes = bytes
  WHERE id = NEW.survey_id AND anonymous = 1 AND unshown >= 5;
  INSERT INTO change_log (account_id, number, type, idea_bank_id, survey_id, panelist_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1, 'survey-response.created', s.idea_bank_id, s.id, NEW.respondent,
    iif(NEW.by_tenant, 'tenant', 'panelist'), CAST(unixepoch('subsec') * 1000 AS INTEGER),
    iif(NEW.by_tenant, (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)), NULL)
  FROM surveys s JOIN accounts a ON a.id = s.account_id
  WHERE s.id = NEW.survey_id AND s.anonymous = 0;
END;

CREATE TRIGGER IF NOT EXISTS survey_response_changed AFTER UPDATE OF answers, counted ON survey_responses
WHEN OLD.answers <> NEW.answers OR OLD.counted <> NEW.counted
BEGIN
  INSERT INTO survey_former (survey_id, step, id, counted)
  SELECT s.id, s.step, hex(randomblob(12)), OLD.counted FROM surveys s
  WHERE s.id = OLD.survey_id AND s.anonymous = 1 AND OLD.step <= s.step;
  UPDATE surveys SET bytes = bytes + (300 + 2 * octet_length(NEW.answers) + octet_length(NEW.counted)) - (300 + 2 * octet_length(OLD.answers) + octet_length(OLD.counted)),
    shown_bytes = shown_bytes + iif(anonymous, 0, (300 + 2 * octet_length(NEW.answers) + octet_length(NEW.counted)) - (300 + 2 * octet_length(OLD.answers) + octet_length(OLD.counted))),
    totals = (SELECT json_group_object(key, n) FROM (SELECT key, sum(n) AS n FROM (
      SELECT key, value AS n FROM json_each(surveys.totals)
      UNION ALL SELECT value, 1 FROM json_each(NEW.counted)
      UNION ALL SELECT value, -1 FROM json_each(OLD.counted))
      GROUP BY key HAVING sum(n) <> 0))
  WHERE id = NEW.survey_id;
  INSERT INTO change_log (account_id, number, type, idea_bank_id, survey_id, panelist_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1, 'survey-response.updated', s.idea_bank_id, s.id, NEW.respondent,
    iif(NEW.by_tenant, 'tenant', 'panelist'), CAST(unixepoch('subsec') * 1000 AS INTEGER),
    iif(NEW.by_tenant, (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)), NULL)
  FROM surveys s JOIN accounts a ON a.id = s.account_id
  WHERE s.id = NEW.survey_id AND s.anonymous = 0;
END;

CREATE TRIGGER IF NOT EXISTS survey_response_removed AFTER DELETE ON survey_responses BEGIN
  INSERT INTO survey_former (survey_id, step, id, counted)
  SELECT s.id, s.step, hex(randomblob(12)), OLD.counted FROM surveys s
  WHERE s.id = OLD.survey_id AND s.anonymous = 1 AND OLD.step <= s.step;
  DELETE FROM survey_texts WHERE survey_id = OLD.survey_id AND question_id IN (SELECT key FROM json_each(OLD.answers))
    AND place = printf('%015d', OLD.created_at) || OLD.respondent AND EXISTS (SELECT 1 FROM surveys WHERE id = OLD.survey_id);
  UPDATE surveys SET responses = responses - 1, bytes = bytes - (300 + 2 * octet_length(OLD.answers) + octet_length(OLD.counted)),
    shown_bytes = shown_bytes - iif(anonymous, 0, 300 + 2 * octet_length(OLD.answers) + octet_length(OLD.counted)), unshown = unshown - (anonymous AND OLD.first_step > step),
    totals = (SELECT json_group_object(key, n) FROM (SELECT key, sum(n) AS n FROM (
      SELECT key, value AS n FROM json_each(surveys.totals)
      UNION ALL SELECT value, -1 FROM json_each(OLD.counted))
      GROUP BY key HAVING sum(n) <> 0))
  WHERE id = OLD.survey_id;
  INSERT INTO change_log (account_id, number, type, idea_bank_id, survey_id, panelist_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1, 'survey-response.deleted', s.idea_bank_id, s.id, OLD.respondent,
    iif(OLD.by_tenant, 'tenant', 'panelist'), CAST(unixepoch('subsec') * 1000 AS INTEGER),
    iif(OLD.by_tenant, (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)), NULL)
  FROM surveys s JOIN accounts a ON a.id = s.account_id
  WHERE s.id = OLD.survey_id AND s.anonymous = 0
    AND NOT EXISTS (SELECT 1 FROM panelists WHERE id = OLD.respondent AND deleted_at IS NOT NULL);
END;

CREATE TRIGGER IF NOT EXISTS survey_step AFTER UPDATE OF step ON surveys
WHEN NEW.step > OLD.step
BEGIN
  DELETE FROM survey_texts WHERE survey_id = NEW.id AND until < NEW.step;
  DELETE FROM survey_former WHERE survey_id = NEW.id AND step < NEW.step;
  INSERT INTO change_log (account_id, number, type, idea_bank_id, survey_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1, 'survey-response.created', NEW.idea_bank_id, NEW.id, 'panelist', CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a WHERE a.id = NEW.account_id;
END;

CREATE TRIGGER IF NOT EXISTS survey_closed AFTER UPDATE OF salt ON surveys
WHEN OLD.salt IS NOT NULL AND NEW.salt IS NULL
BEGIN
  DELETE FROM survey_texts WHERE survey_id = NEW.id AND until <= NEW.step;
END;

CREATE TRIGGER IF NOT EXISTS survey_audience_merged AFTER UPDATE OF duplicate_of ON proposals
WHEN NEW.duplicate_of IS NOT NULL
BEGIN
  UPDATE surveys SET voters_of = NEW.duplicate_of WHERE voters_of = NEW.id;
END;

CREATE TRIGGER IF NOT EXISTS survey_removed AFTER DELETE ON surveys
WHEN OLD.idea_bank_id IS NOT NULL AND EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account_id)
BEGIN
  INSERT INTO deleted_idea_banks (id, account_id, deleted_at, idea_bank_id)
  VALUES (OLD.id, OLD.account_id, unixepoch() * 1000, OLD.idea_bank_id);
END;

CREATE TRIGGER IF NOT EXISTS log_panelists_added AFTER INSERT ON panelists BEGIN
  INSERT INTO change_log (account_id, number, type, panelist_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'panelist.created', NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = NEW.account_id; END;

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

CREATE TRIGGER IF NOT EXISTS log_comments_added AFTER INSERT ON comments
WHEN NEW.visibility = 'public'
BEGIN
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

CREATE TRIGGER IF NOT EXISTS log_comments_changed AFTER UPDATE OF body, panelist_id, visibility ON comments
WHEN (OLD.body <> NEW.body OR OLD.panelist_id IS NOT NEW.panelist_id OR OLD.visibility <> NEW.visibility)
  AND ('public' IN (OLD.visibility, NEW.visibility) OR OLD.shown_at IS NOT NULL)
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, comment_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    iif(OLD.visibility <> 'public' AND OLD.shown_at IS NULL, 'comment.created', 'comment.updated'),
    b.id, p.id, NEW.id,
    iif(OLD.body = NEW.body, iif(OLD.visibility = NEW.visibility, 'system', 'tenant'), iif(NEW.by_tenant = 1, 'tenant', 'panelist')),
    CAST(unixepoch('subsec') * 1000 AS INTEGER),
    iif(OLD.body = NEW.body AND OLD.visibility = NEW.visibility OR OLD.body <> NEW.body AND NEW.by_tenant = 0, NULL,
      (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)))
  FROM accounts a
    JOIN proposals p ON p.id = NEW.proposal_id JOIN idea_banks b ON b.id = p.idea_bank_id
  WHERE a.id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_comments_removed AFTER DELETE ON comments
WHEN (OLD.visibility = 'public' OR OLD.shown_at IS NOT NULL) AND 'comment.deleted' || OLD.id IS NOT (
  SELECT type || comment_id FROM change_log WHERE account_id = OLD.account_id ORDER BY number DESC LIMIT 1)
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, comment_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'comment.deleted', b.id, p.id, OLD.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a JOIN proposals p ON p.id = OLD.proposal_id JOIN idea_banks b ON b.id = p.idea_bank_id
  WHERE a.id = OLD.account_id; END;

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

CREATE TRIGGER IF NOT EXISTS webhooks_behind AFTER INSERT ON change_log BEGIN
  UPDATE webhooks SET due_at = NEW.changed_at WHERE account_id = NEW.account_id AND state = 'active' AND due_at IS NULL;
END;

CREATE TRIGGER IF NOT EXISTS webhook_failed AFTER UPDATE OF state ON webhooks
WHEN OLD.state = 'active' AND NEW.state IN ('failed', 'ended') AND NEW.attempts > OLD.attempts
BEGIN
  INSERT INTO audit_events (id, account_id, event, api_key_name, created_at, webhook_id)
  VALUES (substr(NEW.id, 1, 1) || substr(hex(randomblob(6)), 2), NEW.account_id, 'webhook-failed', NEW.shown_url,
    CAST(unixepoch('subsec') * 1000 AS INTEGER), NEW.id);
END;

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

CREATE TABLE IF NOT EXISTS acting_members (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  member_id TEXT,
  actor TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS proposal_steps (
  proposal_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  changes TEXT NOT NULL CHECK (json_valid(changes)),
  member_id TEXT,
  actor TEXT,
  api_key_id TEXT,
  by_author INTEGER NOT NULL DEFAULT 0 CHECK (by_author IN (0, 1)),
  author_id TEXT,
  cut_bytes INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (proposal_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS proposal_steps_by_author ON proposal_steps (author_id) WHERE author_id IS NOT NULL;

CREATE TRIGGER IF NOT EXISTS step_of_change BEFORE UPDATE OF status, visibility, title, description, response, responded_at, tags, private_tags, assignee, duplicate_of, author_id ON proposals
WHEN NEW.idea_bank_id = OLD.idea_bank_id AND EXISTS (SELECT 1 FROM idea_banks WHERE id = OLD.idea_bank_id)
BEGIN
  INSERT INTO proposal_steps (proposal_id, number, account_id, made_at, changes, member_id, actor, api_key_id, by_author, author_id)
  SELECT OLD.id, step.number, OLD.account_id, CAST(unixepoch('subsec') * 1000 AS INTEGER), step.changes, m.member_id, m.actor, k.api_key_id, step.by_author,
    iif(step.by_author OR coalesce(step.changes -> '$.title', step.changes -> '$.description') IS NOT NULL, OLD.author_id, NULL)
  FROM (SELECT iif(goes_on, number, number + 1) AS number, by_author, total(prior IS NOT present) AS differing,
      json_group_object(name, json_array(json(first), json(present))) FILTER (WHERE first IS NOT present) AS changes
    FROM (SELECT last.number, last.goes_on, last.by_author, f.value ->> 0 AS name, f.value -> 1 AS prior, f.value -> 2 AS present,
        iif(last.goes_on, coalesce(last.changes -> ('$.' || (f.value ->> 0) || '[0]'), f.value -> 1), f.value -> 1) AS first
      FROM (SELECT coalesce(max(number), 0) AS number, NEW.panelist_writes > OLD.panelist_writes AS by_author,
          NEW.panelist_writes > OLD.panelist_writes AND coalesce(by_author, 0) AS goes_on, changes
        FROM proposal_steps WHERE proposal_id = OLD.id) last
      CROSS JOIN json_each(json_array(
        json_array('status', OLD.status, NEW.status),
        json_array('visibility', OLD.visibility, NEW.visibility),
        json_array('title', OLD.title, NEW.title),
        json_array('description', OLD.description, NEW.description),
        json_array('response', OLD.response, NEW.response),
        json_array('respondedAt', OLD.responded_at, NEW.responded_at),
        json_array('tags', json(coalesce(OLD.tags, '[]')), json(coalesce(NEW.tags, '[]'))),
        json_array('privateTags', json(coalesce(OLD.private_tags, '[]')), json(coalesce(NEW.private_tags, '[]'))),
        json_array('assignee', OLD.assignee, NEW.assignee),
        json_array('duplicateOf', OLD.duplicate_of, coalesce(OLD.duplicate_of, NEW.duplicate_of)),
        json_array('author', OLD.author_id IS NOT NULL, NEW.author_id IS NOT NULL)
      )) f)) step
    LEFT JOIN acting_members m ON m.account_id = OLD.account_id AND NOT step.by_author AND OLD.author_id IS NEW.author_id
    LEFT JOIN acting_keys k ON k.account_id = OLD.account_id AND m.actor IS NULL AND NOT step.by_author AND OLD.author_id IS NEW.author_id
      AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = OLD.account_id), 0)
  WHERE step.differing > 0
  ON CONFLICT (proposal_id, number) DO UPDATE SET made_at = excluded.made_at, changes = excluded.changes;
END;

CREATE TRIGGER IF NOT EXISTS step_of_creation BEFORE INSERT ON proposals
WHEN NEW.panelist_writes = 0
BEGIN
  INSERT INTO proposal_steps (proposal_id, number, account_id, made_at, changes, member_id, actor, api_key_id)
  SELECT NEW.id, 1, a.id, CAST(unixepoch('subsec') * 1000 AS INTEGER), json_object('created', json_array(NULL, NEW.created_at)), m.member_id, m.actor, k.api_key_id
  FROM accounts a
    LEFT JOIN acting_members m ON m.account_id = a.id
    LEFT JOIN acting_keys k ON k.account_id = a.id AND m.actor IS NULL
      AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)
  WHERE a.id = NEW.account_id AND coalesce(m.actor, k.api_key_id) IS NOT NULL;
END;

CREATE TRIGGER IF NOT EXISTS step_of_merge BEFORE UPDATE OF duplicate_of ON proposals
WHEN OLD.duplicate_of IS NULL AND NEW.duplicate_of IS NOT NULL
BEGIN
  INSERT INTO proposal_steps (proposal_id, number, account_id, made_at, changes, member_id, actor, api_key_id)
  SELECT NEW.duplicate_of, coalesce((SELECT max(number) FROM proposal_steps WHERE proposal_id = NEW.duplicate_of), 0) + 1, a.id,
    CAST(unixepoch('subsec') * 1000 AS INTEGER), json_object('merged', json_array(NULL, OLD.id)), m.member_id, m.actor, k.api_key_id
  FROM accounts a
    LEFT JOIN acting_members m ON m.account_id = a.id
    LEFT JOIN acting_keys k ON k.account_id = a.id AND m.actor IS NULL
      AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)
  WHERE a.id = OLD.account_id;
END;

CREATE TRIGGER IF NOT EXISTS step_added AFTER INSERT ON proposal_steps BEGIN
  UPDATE proposal_steps SET (changes, cut_bytes) = (SELECT cut, octet_length(proposal_steps.changes) - octet_length(cut) FROM (
    SELECT json_group_object(key, json(iif(json_array_length(value) = 2, json_array(
      json(iif(json_type(value, '$[0]') = 'text' AND length(value ->> 0) > 200, json_quote(substr(value ->> 0, 1, 200) || '…'), value -> 0)),
      json(iif(json_type(value, '$[1]') = 'text' AND length(value ->> 1) > 200, json_quote(substr(value ->> 1, 1, 200) || '…'), value -> 1))), value))) AS cut
    FROM json_each(proposal_steps.changes)))
  WHERE proposal_id = NEW.proposal_id AND number = NEW.number - 20 AND octet_length(changes) > 1000;
  UPDATE accounts SET event_bytes = event_bytes + 150 + octet_length(NEW.changes) + coalesce(octet_length(NEW.actor), 0)
    - coalesce((SELECT cut_bytes FROM proposal_steps WHERE proposal_id = NEW.proposal_id AND number = NEW.number - 20), 0)
    - coalesce((SELECT 150 + octet_length(changes) + coalesce(octet_length(actor), 0) FROM proposal_steps
      WHERE proposal_id = NEW.proposal_id AND number = NEW.number - 200), 0)
  WHERE id = NEW.account_id;
  DELETE FROM proposal_steps WHERE proposal_id = NEW.proposal_id AND number = NEW.number - 200;
END;

CREATE TRIGGER IF NOT EXISTS step_changed AFTER UPDATE OF changes ON proposal_steps
WHEN NEW.cut_bytes = OLD.cut_bytes AND octet_length(NEW.changes) <> octet_length(OLD.changes)
BEGIN
  UPDATE accounts SET event_bytes = event_bytes + octet_length(NEW.changes) - octet_length(OLD.changes) WHERE id = NEW.account_id;
END;

CREATE TRIGGER IF NOT EXISTS step_removed AFTER DELETE ON proposal_steps
WHEN NOT EXISTS (SELECT 1 FROM proposal_steps WHERE proposal_id = OLD.proposal_id AND number = OLD.number + 200)
BEGIN
  UPDATE accounts SET event_bytes = event_bytes - (150 + octet_length(OLD.changes) + coalesce(octet_length(OLD.actor), 0)) WHERE id = OLD.account_id;
END;

CREATE TRIGGER IF NOT EXISTS steps_of_deleted_proposal AFTER DELETE ON proposals BEGIN
  DELETE FROM proposal_steps WHERE proposal_id = OLD.id;
END;

CREATE TRIGGER IF NOT EXISTS steps_of_deleted_person AFTER DELETE ON panelists BEGIN
  UPDATE proposal_steps SET author_id = NULL, changes = json_replace(changes, '$.title', json('[]'), '$.description', json('[]'))
  WHERE author_id = OLD.id;
END;
