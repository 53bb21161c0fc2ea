-- The whole database schema, for reading and for tests. The steps in migrations/ make it.
-- Times are Unix milliseconds; identifiers are 12 base62 characters, of which the first names the database; every row carries its tenant (account_id).

CREATE TABLE IF NOT EXISTS accounts (
  id TEXT PRIMARY KEY,
  owner_email TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  stored_bytes INTEGER NOT NULL DEFAULT 0,
  max_bytes INTEGER NOT NULL DEFAULT 536870912,
  counted_votes INTEGER NOT NULL DEFAULT 0,
  -- When the scheduled job looks for changes of this account that are too old.
  changes_due_at INTEGER NOT NULL DEFAULT 0,
  -- 1: a key that was found in public is only marked. 0: it is ended.
  marks_leaked_keys INTEGER NOT NULL DEFAULT 0 CHECK (marks_leaked_keys IN (0, 1)),
  -- The identifiers of its panelists are derived with it: 128 random bits in hex, made with the account and never changed. NULL in an
  -- account that 1.0.0 made: its panelists have identifiers without a salt, by which the revocations of their tokens are found.
  panelist_salt TEXT,
  -- All tokens were ended: those that were issued at or before this time are invalid. token_epoch counts how often, and is a part of
  -- every signing secret.
  tokens_ended_at INTEGER,
  token_epoch INTEGER NOT NULL DEFAULT 0,
  -- The bytes of its events, as the triggers count them. They belong to the quota, and no event is refused for it.
  event_bytes INTEGER NOT NULL DEFAULT 0,
  -- When a member was removed last, a webhook deleted, and keys deleted that had ended long before. So a restore from a backup knows
  -- that what is missing was removed: it lives as long as the account, and nobody can push it out.
  member_removed_at INTEGER,
  webhook_deleted_at INTEGER,
  keys_deleted_at INTEGER,
  -- A part of the version of each changelog: it grows when somebody is deleted with everything that this person wrote.
  changelog_epoch INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL DEFAULT 'active',
  -- 1: the tenant says that its ids for people are e-mail addresses that it has verified.
  external_ids_are_emails INTEGER NOT NULL DEFAULT 0,
  -- 0: nobody is told of ideas by e-mail. mail_key: what "Unsubscribe" links are signed with; made with the first of them.
  notifies_people INTEGER NOT NULL DEFAULT 1,
  mail_key TEXT,
  -- Of the creator, as members.name and members.role: while owner_email is not the id.
  owner_name TEXT,
  owner_role TEXT NOT NULL DEFAULT 'admin',
  -- 1: viewers may export people and voters.
  viewers_export INTEGER NOT NULL DEFAULT 0,
  -- The roles of scripts that have fewer rights than the member they act for, by Client ID: a JSON list.
  service_token_roles TEXT NOT NULL DEFAULT '[]',
  -- Of the creator, as of a member: up to which comment they were seen at the desk.
  comments_seen_at INTEGER,
  -- When a member said that no page is dark any more, after all tokens were ended.
  code_renewed_at INTEGER
) STRICT, WITHOUT ROWID;

-- A closed list that may grow is held by triggers: a step can replace them, and no CHECK (docs/schema.md, "Add a value").
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

CREATE INDEX IF NOT EXISTS accounts_by_changes_due ON accounts (changes_due_at);

-- The directory of account owners. The one of the database DB decides; another database repeats the entries of its own accounts.
CREATE TABLE IF NOT EXISTS owners (
  email TEXT PRIMARY KEY,
  account_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Who may act for an account besides its owner, by e-mail address. An account whose owner was removed has its id as owner_email.
CREATE TABLE IF NOT EXISTS members (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  added_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- As the team reads it. NULL: it reads the address.
  name TEXT,
  -- What the member may do: src/worker/model/role.ts.
  role TEXT NOT NULL DEFAULT 'admin',
  comments_seen_at INTEGER,
  UNIQUE (account_id, email)
) STRICT, WITHOUT ROWID;

-- Who was asked to be a member, and has not accepted. declined_at is NULL while nothing was answered. A row ends 30 days after created_at.
CREATE TABLE IF NOT EXISTS invitations (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  added_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  declined_at INTEGER,
  -- The role of the member that it becomes.
  role TEXT NOT NULL DEFAULT 'admin',
  UNIQUE (account_id, email)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS invitations_by_creation ON invitations (created_at);

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

-- The directory of members, in the database DB alone: where to look. The account's own database decides.
CREATE TABLE IF NOT EXISTS memberships (
  email TEXT NOT NULL,
  account_id TEXT NOT NULL,
  PRIMARY KEY (email, account_id)
) STRICT, WITHOUT ROWID;

-- The directory of invitations, as that of members. invitees is for the release 1.0.0 alone: triggers keep the two the same.
CREATE TABLE IF NOT EXISTS invitees (
  email TEXT NOT NULL,
  account_id TEXT NOT NULL,
  PRIMARY KEY (email, account_id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS invited (
  email TEXT NOT NULL,
  account_id TEXT NOT NULL,
  invited_at INTEGER NOT NULL,
  PRIMARY KEY (email, account_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS invited_by_time ON invited (email, invited_at, account_id);
CREATE INDEX IF NOT EXISTS invited_by_age ON invited (invited_at);
CREATE TRIGGER IF NOT EXISTS invited_added AFTER INSERT ON invited BEGIN
  INSERT INTO invitees (email, account_id) SELECT NEW.email, NEW.account_id
  WHERE NOT EXISTS (SELECT 1 FROM invitees WHERE email = NEW.email AND account_id = NEW.account_id); END;
CREATE TRIGGER IF NOT EXISTS invited_removed AFTER DELETE ON invited BEGIN
  DELETE FROM invitees WHERE email = OLD.email AND account_id = OLD.account_id; END;
CREATE TRIGGER IF NOT EXISTS invitee_added AFTER INSERT ON invitees BEGIN
  INSERT INTO invited (email, account_id, invited_at) SELECT NEW.email, NEW.account_id, CAST(unixepoch('subsec') * 1000 AS INTEGER)
  WHERE NOT EXISTS (SELECT 1 FROM invited WHERE email = NEW.email AND account_id = NEW.account_id); END;
CREATE TRIGGER IF NOT EXISTS invitee_removed AFTER DELETE ON invitees BEGIN
  DELETE FROM invited WHERE email = OLD.email AND account_id = OLD.account_id; END;

-- Owners who were signed in by the platform's own server, in the database DB alone. opened_at is NULL while the link was not used, and 0
-- when the session was ended. A row is deleted 13 hours after its link was made.
CREATE TABLE IF NOT EXISTS sign_ins (
  id TEXT PRIMARY KEY,
  email TEXT NOT NULL,
  return_to TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  opened_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS sign_ins_by_creation ON sign_ins (created_at);
CREATE INDEX IF NOT EXISTS sign_ins_by_email ON sign_ins (email);

-- In the database DB alone: the platform's own identifier of a person whom it signs in, and the address that the person had last.
CREATE TABLE IF NOT EXISTS subjects (
  subject TEXT PRIMARY KEY,
  email TEXT NOT NULL UNIQUE
) STRICT, WITHOUT ROWID;

-- An account's quota: stored_bytes is kept by the triggers at the end of this file. Growing past max_bytes fails the write.
CREATE TRIGGER IF NOT EXISTS quota_exceeded BEFORE UPDATE OF stored_bytes ON accounts
WHEN NEW.stored_bytes + 128 * NEW.counted_votes + NEW.event_bytes > NEW.max_bytes AND NEW.stored_bytes > OLD.stored_bytes
BEGIN
  SELECT RAISE(ABORT, 'quota exceeded');
END;

-- A key itself is never stored: secret_hash is the hex SHA-256 of the whole key, last_four its last characters, and scopes a
-- JSON array. After a rotation previous_secret_hash keeps the old secret's hash, which is valid until previous_expires_at.
CREATE TABLE IF NOT EXISTS api_keys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  secret_hash TEXT NOT NULL,
  last_four TEXT NOT NULL DEFAULT '',
  previous_secret_hash TEXT,
  previous_expires_at INTEGER,
  previous_last_used_at INTEGER,
  rotated_at INTEGER,
  scopes TEXT NOT NULL CHECK (json_valid(scopes)),
  rate_limit INTEGER NOT NULL DEFAULT 600 CHECK (rate_limit BETWEEN 1 AND 10000),
  rate_window_seconds INTEGER NOT NULL DEFAULT 60 CHECK (rate_window_seconds BETWEEN 1 AND 3600),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER,
  -- Where its gate is made: a Durable Object location hint. NULL is where the key is first used.
  region TEXT,
  -- Since when every request with it is refused; NULL when it is not paused.
  paused_at INTEGER,
  -- A JSON array of CIDR blocks. NULL is every address.
  allowed_addresses TEXT CHECK (json_valid(allowed_addresses)),
  -- When it was found in public. NULL again after a rotation.
  leaked_at INTEGER,
  -- Its last requests, a JSON object: `used`, `previous` (with the previous secret) and `refused`, each with network, country and user agent.
  seen TEXT CHECK (json_valid(seen)),
  -- The e-mail address or the service token that has made it. NULL where nobody signed in did.
  created_by TEXT,
  -- When the account is told next that the key expires: 30, 7 and 1 days before. NULL: no more.
  expiry_notice_at INTEGER,
  -- When its settings were changed last: name, scopes, limit, expiry, addresses, pause.
  changed_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS api_keys_by_expiry_notice ON api_keys (expiry_notice_at) WHERE expiry_notice_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS api_keys_by_account ON api_keys (account_id, created_at, id);
-- For the list: those that were revoked last, those that expired last, and the active ones.
CREATE INDEX IF NOT EXISTS api_keys_by_end ON api_keys (account_id, revoked_at, expires_at);

-- One row per key and hour (its first millisecond). The key's gate (a Durable Object) writes totals: repeating a write is harmless.
-- operations is a JSON object: by operation, how many were admitted.
CREATE TABLE IF NOT EXISTS api_key_usage (
  api_key_id TEXT NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  hour INTEGER NOT NULL,
  admitted INTEGER NOT NULL,
  limited INTEGER NOT NULL,
  operations TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(operations)),
  PRIMARY KEY (api_key_id, hour)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS api_key_usage_by_hour ON api_key_usage (hour);

-- What was seen of a key's requests is kept as long as its counts.
CREATE TRIGGER IF NOT EXISTS api_key_seen_ends AFTER DELETE ON api_key_usage
WHEN NOT EXISTS (SELECT 1 FROM api_key_usage WHERE api_key_id = OLD.api_key_id)
BEGIN
  UPDATE api_keys SET seen = NULL WHERE id = OLD.api_key_id AND seen IS NOT NULL;
END;

-- The audit trail of an account: event, actor and address. Written in the transaction of the change, if there is one. changes is a JSON
-- object: what was changed, `before` and `after`. Of a webhook's event, api_key_name is the webhook's URL. Of a decision about content,
-- subject_id is the idea bank, proposal, comment or panelist, api_key_name its name, and idea_bank_id the idea bank that it is in.
-- A change of several proposals at once is one event, `proposals-changed`: changes has `each`, an array of [id, idea bank, '', before, after].
-- (1.1.0 kept each title there, too. They have many authors.)
-- number: 1, 2, 3, … in each account. A trigger gives it.
-- position: the same among the account's events of one kind (kept_events). NULL: it was recorded before 1.1.0.
CREATE TABLE IF NOT EXISTS audit_events (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  event TEXT NOT NULL,
  api_key_id TEXT,
  api_key_name TEXT NOT NULL,
  actor TEXT,
  address TEXT,
  created_at INTEGER NOT NULL,
  webhook_id TEXT,
  changes TEXT CHECK (json_valid(changes)),
  number INTEGER,
  subject_id TEXT,
  idea_bank_id TEXT,
  -- Of a new event NULL. 1: members are to be told of it by e-mail. 0: they were. A restore from a backup inserts 0: it is nothing new.
  notice INTEGER,
  position INTEGER,
  -- The panelist who wrote the proposal that the event names: these words go when this person is deleted with everything written.
  author_id TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS audit_events_by_account ON audit_events (account_id, created_at, id);
CREATE INDEX IF NOT EXISTS audit_events_by_key ON audit_events (account_id, api_key_id, created_at, id) WHERE api_key_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS audit_events_by_creation ON audit_events (created_at);
CREATE INDEX IF NOT EXISTS audit_events_by_author ON audit_events (author_id) WHERE author_id IS NOT NULL;
-- For the keys and webhooks that somebody has changed.
CREATE INDEX IF NOT EXISTS audit_events_by_actor ON audit_events (account_id, actor, api_key_id, webhook_id)
WHERE api_key_id IS NOT NULL OR webhook_id IS NOT NULL;
-- An event gets its number after it is inserted: so it has one entry, not two.
CREATE INDEX IF NOT EXISTS audit_events_by_number ON audit_events (account_id, number) WHERE number IS NOT NULL;
CREATE INDEX IF NOT EXISTS audit_events_to_notify ON audit_events (created_at) WHERE notice = 1;
-- For the maximum of the next trigger.
CREATE INDEX IF NOT EXISTS audit_events_notified ON audit_events (account_id, event, created_at) WHERE notice IS NOT NULL;

-- The newest 10,000 events of each kind, so that no kind pushes another one out. 0: keys, tokens, members, webhooks, sign-ins and the
-- account. 1: what members have decided about content. 2: what API keys have done to it.
CREATE TABLE IF NOT EXISTS kept_events (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  kind INTEGER NOT NULL,
  position INTEGER NOT NULL,
  event_id TEXT NOT NULL,
  PRIMARY KEY (account_id, kind, position)
) STRICT, WITHOUT ROWID;

-- E-mails about 20 events of a kind in a day, so that an account's are no flood and hide no other account's. Invitations are a kind of their own.
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

CREATE TRIGGER IF NOT EXISTS audit_event_changed AFTER UPDATE OF api_key_name, changes ON audit_events
WHEN NEW.position IS NOT NULL
BEGIN
  UPDATE accounts SET event_bytes = event_bytes + octet_length(NEW.api_key_name) + coalesce(octet_length(NEW.changes), 0)
    - octet_length(OLD.api_key_name) - coalesce(octet_length(OLD.changes), 0)
  WHERE id = NEW.account_id;
END;

CREATE TRIGGER IF NOT EXISTS audit_event_removed AFTER DELETE ON audit_events
WHEN OLD.position IS NOT NULL
BEGIN
  DELETE FROM kept_events WHERE account_id = OLD.account_id
    AND kind = (OLD.subject_id IS NOT NULL) + (OLD.subject_id IS NOT NULL AND OLD.api_key_id IS NOT NULL) AND position = OLD.position;
  UPDATE accounts SET event_bytes = event_bytes - (400 + octet_length(OLD.api_key_name) + coalesce(octet_length(OLD.actor), 0) + coalesce(octet_length(OLD.address), 0)
    + coalesce(octet_length(OLD.changes), 0))
  WHERE id = OLD.account_id;
END;

-- What a decision has changed of a proposal's texts, or a comment, in whole, for Undo: the activity has only beginnings, and of panelists'
-- comments nothing. The job deletes it minutes later. NULL: it was not there. (Within a decision's transaction `before` has the state, too.)
CREATE TABLE IF NOT EXISTS undo_texts (
  event_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  before TEXT CHECK (json_valid(before)),
  after TEXT CHECK (json_valid(after)),
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS undo_texts_by_creation ON undo_texts (created_at);

-- Outcomes of POSTs with an Idempotency-Key, kept for 24 hours. key starts with who sent it: the id of the API key, those of the
-- idea bank and the panelist, or `account` for its owner.
-- outcome is a JSON object: the parts of the answer that are not in the request. It never holds a credential.
CREATE TABLE IF NOT EXISTS idempotency_keys (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  outcome TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS idempotency_keys_by_creation ON idempotency_keys (created_at);

-- revision: grows with each change by the tenant. full: max_responses has closed it. salt: of an open anonymous survey, 128 random bits.
-- responses, totals, bytes: of its responses; shown_…: what the team sees of them. step, unshown: of an anonymous one, how often that has moved,
-- and how many responses there are since. voters_of: the proposal whose voters are asked.
CREATE TABLE IF NOT EXISTS surveys (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  url TEXT,
  external_id TEXT,
  status TEXT NOT NULL DEFAULT 'DRAFT',
  -- What panelists answer here. idea_bank_id is NULL for a survey that is answered elsewhere, at url.
  idea_bank_id TEXT,
  thanks TEXT NOT NULL DEFAULT '',
  questions TEXT NOT NULL DEFAULT '[]',
  voters_of TEXT,
  anonymous INTEGER NOT NULL DEFAULT 0,
  editable INTEGER NOT NULL DEFAULT 1,
  closes_at INTEGER,
  max_responses INTEGER,
  opened_at INTEGER,
  full INTEGER NOT NULL DEFAULT 0,
  revision INTEGER NOT NULL DEFAULT 1,
  salt TEXT,
  responses INTEGER NOT NULL DEFAULT 0,
  totals TEXT NOT NULL DEFAULT '{}',
  bytes INTEGER NOT NULL DEFAULT 0,
  step INTEGER NOT NULL DEFAULT 0,
  unshown INTEGER NOT NULL DEFAULT 0,
  shown_responses INTEGER NOT NULL DEFAULT 0,
  shown_totals TEXT NOT NULL DEFAULT '{}',
  shown_bytes INTEGER NOT NULL DEFAULT 0
) STRICT;

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

CREATE INDEX IF NOT EXISTS surveys_by_account ON surveys (account_id, created_at, id);
CREATE INDEX IF NOT EXISTS surveys_by_status ON surveys (account_id, status, created_at, id);
CREATE INDEX IF NOT EXISTS surveys_by_idea_bank ON surveys (idea_bank_id, created_at, id) WHERE idea_bank_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS surveys_of_idea_bank_by_status ON surveys (idea_bank_id, status, created_at, id) WHERE idea_bank_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS surveys_by_audience ON surveys (voters_of) WHERE voters_of IS NOT NULL;
CREATE INDEX IF NOT EXISTS surveys_closing ON surveys (closes_at) WHERE status = 'OPEN' AND closes_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS surveys_with_salt ON surveys (account_id, id) WHERE salt IS NOT NULL;

-- Responses to surveys. respondent: the panelist; of an anonymous survey a hash of it that needs the survey's salt. answers and counted are
-- JSON: what was answered, and the keys of the totals for which it counts (src/worker/model/survey-answers.ts). revision: a new one with each
-- write. step: of an anonymous survey, the step from which on the team sees the response as it is now, and first_step the
-- one from which on it sees the response at all. by_tenant: the tenant recorded or deleted it.
-- No foreign key to surveys: the responses of a deleted survey are deleted in slices.
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

-- The texts in responses, for reading one question's. place: of a response of an anonymous survey a hash, so that the texts of each question
-- stand in a random order of their own. Otherwise its time, with the panelist. The team sees a text from step on, and until the step until.
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

-- Of anonymous surveys: what responses counted for that were changed or deleted after the team had seen them. It sees them until the next step.
CREATE TABLE IF NOT EXISTS survey_former (
  survey_id TEXT NOT NULL,
  step INTEGER NOT NULL,
  id TEXT NOT NULL,
  counted TEXT NOT NULL,
  PRIMARY KEY (survey_id, step, id)
) STRICT, WITHOUT ROWID;

-- tokens_issued: whether a token may have been issued to the panelist.
CREATE TABLE IF NOT EXISTS panelists (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  external_id TEXT,
  active INTEGER NOT NULL DEFAULT 1 CHECK (active IN (0, 1)),
  tokens_revoked_at INTEGER,
  created_at INTEGER NOT NULL,
  display_name TEXT,
  deleted_at INTEGER,
  tokens_issued INTEGER NOT NULL DEFAULT 1 CHECK (tokens_issued IN (0, 1)),
  deletes_content INTEGER NOT NULL DEFAULT 0 CHECK (deletes_content IN (0, 1)),
  -- email_verified: the person has signed in with a code that was sent there. mailbox: the plain form of the address, by which blocks and limits go.
  email TEXT,
  email_verified INTEGER NOT NULL DEFAULT 0,
  mailbox TEXT,
  -- What somebody new has written in the first hour: deleting it gives nothing back.
  first_hour_proposals INTEGER NOT NULL DEFAULT 0,
  first_hour_comments INTEGER NOT NULL DEFAULT 0,
  -- Of e-mails to this person. unreachable_at: since when the service does not send to the address; a new one begins clean.
  language TEXT,
  unreachable_at INTEGER,
  -- When everything that the person had written was deleted and the person was kept, blocked. Until deletes_content is 0 again, some of it is left.
  cleared_at INTEGER,
  UNIQUE (account_id, external_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS panelists_by_creation ON panelists (account_id, created_at, id) WHERE deleted_at IS NULL;
-- For owners, who look for people by how a name begins.
CREATE INDEX IF NOT EXISTS panelists_by_name ON panelists (account_id, display_name COLLATE NOCASE)
  WHERE deleted_at IS NULL AND display_name IS NOT NULL;
-- deleted_at: the panelist is deleted, and what it has written or voted for is not yet separated from it. No query shows it.
-- deletes_content: what it has written is deleted, too.
CREATE UNIQUE INDEX IF NOT EXISTS panelists_by_verified_email ON panelists (account_id, email) WHERE email_verified = 1;
CREATE INDEX IF NOT EXISTS panelists_by_email ON panelists (account_id, email) WHERE email IS NOT NULL;
CREATE INDEX IF NOT EXISTS panelists_by_mailbox ON panelists (account_id, mailbox, created_at) WHERE mailbox IS NOT NULL;
CREATE INDEX IF NOT EXISTS panelists_deleted ON panelists (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS panelists_cleared ON panelists (cleared_at) WHERE deletes_content = 1 AND deleted_at IS NULL;

-- Panelists with revoked tokens: tokens issued at or before revoked_at are invalid. Triggers below write the rows, so that one
-- snapshot serves every panelist of an account. seq only grows: a reader asks for the rows after the last seq that it has read.
-- Of an inactive panelist revoked_at is 9007199254740991, and recorded_at is 4503599627370496 (2^52) later than it was: no job deletes
-- such a row by its age, because the tenant's server can sign a token at any time.
CREATE TABLE IF NOT EXISTS token_revocations (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  account_id TEXT NOT NULL,
  panelist_id TEXT NOT NULL UNIQUE,
  revoked_at INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL
) STRICT;

CREATE INDEX IF NOT EXISTS token_revocations_by_account ON token_revocations (account_id, seq);
CREATE INDEX IF NOT EXISTS token_revocations_by_age ON token_revocations (recorded_at);

-- visitor_tokens_ended_at: visitors' tokens that were issued at or before this time are invalid.
-- signing_epoch: of the secret that the tenant's server signs with; the one before is good until signing_previous_until. signing_older is
-- a JSON array of the epochs before that one which are still good: [epoch, until]. signing_token_epoch is the account's token_epoch at the
-- last rotation: if the account has another one now, no earlier epoch is good.
CREATE TABLE IF NOT EXISTS idea_banks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  internal INTEGER NOT NULL DEFAULT 0 CHECK (internal IN (0, 1)),
  changelog_enabled INTEGER NOT NULL DEFAULT 0 CHECK (changelog_enabled IN (0, 1)),
  changelog_max_entries INTEGER NOT NULL DEFAULT 20 CHECK (changelog_max_entries BETWEEN 1 AND 100),
  changelog_version INTEGER NOT NULL DEFAULT (CAST(unixepoch('subsec') * 1000 AS INTEGER)),
  created_at INTEGER NOT NULL,
  submissions_enabled INTEGER NOT NULL DEFAULT 1 CHECK (submissions_enabled IN (0, 1)),
  voting_enabled INTEGER NOT NULL DEFAULT 1 CHECK (voting_enabled IN (0, 1)),
  comments_enabled INTEGER NOT NULL DEFAULT 1 CHECK (comments_enabled IN (0, 1)),
  approval_required INTEGER NOT NULL DEFAULT 0 CHECK (approval_required IN (0, 1)),
  visitor_tokens_ended_at INTEGER,
  signing_epoch INTEGER NOT NULL DEFAULT 1,
  signing_previous_until INTEGER,
  signing_token_epoch INTEGER NOT NULL DEFAULT 0,
  -- Where the tenant shows it: feeds lead there.
  url TEXT,
  signing_older TEXT CHECK (json_valid(signing_older)),
  -- The visitor's token that Account Settings hands out for the tenant's site: Unix seconds. It says which token it is; anybody may have it.
  site_token_issued_at INTEGER,
  site_token_expires_at INTEGER,
  -- When the account is told next that it ends (Unix milliseconds).
  site_token_notice_at INTEGER,
  status TEXT NOT NULL DEFAULT 'DRAFT',
  surveys_enabled INTEGER NOT NULL DEFAULT 1,
  description TEXT NOT NULL DEFAULT '',
  -- Its own page (docs/pages.md), and how people sign in on it: a code by e-mail, or the tenant's page at sign_in_url.
  public_page INTEGER NOT NULL DEFAULT 0,
  hidden_from_search INTEGER NOT NULL DEFAULT 0,
  email_sign_in INTEGER NOT NULL DEFAULT 0,
  sign_in_url TEXT,
  -- 0: nobody is told of its ideas by e-mail. language: of e-mails to people whose own is not known; NULL is English.
  notifies_people INTEGER NOT NULL DEFAULT 1,
  language TEXT,
  comment_approval_required INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

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

CREATE INDEX IF NOT EXISTS idea_banks_by_account ON idea_banks (account_id, created_at, id);
CREATE INDEX IF NOT EXISTS idea_banks_by_status ON idea_banks (account_id, status, created_at, id);
CREATE INDEX IF NOT EXISTS idea_banks_with_page ON idea_banks (created_at, id) WHERE public_page = 1;
CREATE INDEX IF NOT EXISTS idea_banks_by_site_token_notice ON idea_banks (site_token_notice_at) WHERE site_token_notice_at IS NOT NULL;

-- Codes with which people sign in on a board's page. browser: the hash of the handle in the cookie of the browser that asked; mailbox and
-- sender: hashes of the plain form of the address and of the sender's network address, for limits. code: the hash of the code, with 'used '
-- before it once it was used; NULL, as email is, when nobody knows whether its mail was sent. Of a browser's codes only the newest works.
-- tries: codes that were entered, counted before any is compared. The job deletes rows a day after created_at.
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

-- The secrets for signing tokens that were handed out, by the hex SHA-256 of each: so one that was found in public is known again. Those of
-- epochs that are long over are deleted when the next one is handed out.
CREATE TABLE IF NOT EXISTS signing_secrets (
  hash TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  idea_bank_id TEXT NOT NULL REFERENCES idea_banks (id) ON DELETE CASCADE,
  account_epoch INTEGER NOT NULL,
  epoch INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS signing_secrets_by_idea_bank ON signing_secrets (idea_bank_id);

-- Proposals of a deleted idea bank are not accessible: every query requires that the idea bank exists. deleted_idea_banks lists the
-- idea banks whose proposals are still stored. They are deleted in slices: one large statement would block the database.
-- A proposal is deleted by moving it to an idea bank that does not exist: its idea_bank_id becomes its own id. What was merged into
-- it follows in slices, and is not accessible either: its target is in another idea bank.
-- idea_bank_id: of a deleted proposal, the idea bank that it was in. NULL for an idea bank.
CREATE TABLE IF NOT EXISTS deleted_idea_banks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  deleted_at INTEGER NOT NULL,
  idea_bank_id TEXT
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS deleted_idea_banks_by_time ON deleted_idea_banks (deleted_at);

CREATE TRIGGER IF NOT EXISTS idea_bank_removed AFTER DELETE ON idea_banks
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account_id)
BEGIN
  INSERT INTO deleted_idea_banks (id, account_id, deleted_at) VALUES (OLD.id, OLD.account_id, unixepoch() * 1000);
  DELETE FROM merges WHERE idea_bank_id = OLD.id;
END;

-- visibility: a proposal submitted to an idea bank with approval_required is pending: only its author and the tenant see it.
-- duplicate_of: the proposal that this one was merged into. A merge is final. Lists leave merged proposals out. If that one was
-- merged further, merges names the last one, until this row does.
-- hot: the creation time plus one week for each doubling of the votes (milliseconds). It does not change with time.
-- panelist_writes: grows with each write of a panelist, so that the log of changes tells them from the tenant's.
-- words: a JSON array of words of the title (src/worker/model/words.ts); title_terms, text_terms: of what else it is found by. A search finds
-- no proposal whose words are NULL. indexed: grows when they are written with the texts. NULL: some may be missing, and are written later.
-- external_id, metadata (a JSON object of texts), tags (a JSON array): the tenant's. NULL for none. Panelists see the tags alone.
-- by_tenant: the tenant wrote it, for no panelist. Otherwise author_id is NULL once its panelist was deleted.
CREATE TABLE IF NOT EXISTS proposals (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  idea_bank_id TEXT NOT NULL,
  author_id TEXT REFERENCES panelists (id) ON DELETE SET NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  duplicate_of TEXT REFERENCES proposals (id) ON DELETE CASCADE,
  response TEXT,
  responded_at INTEGER,
  votes INTEGER NOT NULL DEFAULT 0,
  comments INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  last_activity_at INTEGER NOT NULL,
  hot INTEGER GENERATED ALWAYS AS (created_at + CAST(604800000 * log2(votes + 1) AS INTEGER)) VIRTUAL,
  panelist_writes INTEGER NOT NULL DEFAULT 0,
  words TEXT CHECK (json_valid(words)),
  external_id TEXT,
  metadata TEXT,
  tags TEXT CHECK (json_valid(tags)),
  by_tenant INTEGER NOT NULL DEFAULT 0 CHECK (by_tenant IN (0, 1)),
  -- When an implemented proposal entered the changelog. NULL: it has had no activity since, so it was at last_activity_at.
  published_at INTEGER,
  -- Its title and description before the team put it into its own words for the changelog: a JSON object.
  submitted TEXT CHECK (json_valid(submitted)),
  status TEXT NOT NULL DEFAULT 'submitted',
  visibility TEXT NOT NULL DEFAULT 'public',
  listed INTEGER GENERATED ALWAYS AS (visibility = 'public' AND duplicate_of IS NULL) VIRTUAL,
  in_changelog INTEGER GENERATED ALWAYS AS (status = 'implemented' AND visibility = 'public' AND duplicate_of IS NULL) VIRTUAL,
  -- For the team alone: the member who has the idea, by id, also one who has left; and tags that no panelist sees, a JSON array. NULL for none.
  assignee TEXT,
  private_tags TEXT CHECK (json_valid(private_tags)),
  title_terms TEXT CHECK (json_valid(title_terms)),
  text_terms TEXT CHECK (json_valid(text_terms)),
  indexed INTEGER,
  terms TEXT GENERATED ALWAYS AS (coalesce(words, '') || coalesce(title_terms, '') || coalesce(text_terms, '')) VIRTUAL
) STRICT;

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

-- The tenant's lists: all, by status, by visibility.
CREATE INDEX IF NOT EXISTS proposals_by_idea_bank ON proposals (idea_bank_id, created_at, id) WHERE duplicate_of IS NULL;
CREATE INDEX IF NOT EXISTS proposals_by_status ON proposals (idea_bank_id, status, created_at, id) WHERE duplicate_of IS NULL;
CREATE INDEX IF NOT EXISTS proposals_by_visibility ON proposals (idea_bank_id, visibility, status, created_at, id)
  WHERE duplicate_of IS NULL;

-- The panelists' lists: one index for each sort, by status. A list of all statuses merges six scans. (The sort "new" uses proposals_by_visibility.)
CREATE INDEX IF NOT EXISTS proposals_top ON proposals (idea_bank_id, status, votes, id) WHERE listed = 1;
CREATE INDEX IF NOT EXISTS proposals_hot ON proposals (idea_bank_id, status, hot, id) WHERE listed = 1;
-- Also used by the changelog: its first N entries cost N rows, however many proposals there are.
CREATE INDEX IF NOT EXISTS proposals_active ON proposals (idea_bank_id, status, last_activity_at, id) WHERE listed = 1;

CREATE INDEX IF NOT EXISTS proposals_by_author ON proposals (author_id, idea_bank_id, created_at, id) WHERE author_id IS NOT NULL;
-- What waits for approval in all idea banks of an account, for its owner.
CREATE INDEX IF NOT EXISTS proposals_pending ON proposals (account_id, created_at, id) WHERE visibility = 'pending' AND duplicate_of IS NULL;
CREATE UNIQUE INDEX IF NOT EXISTS proposals_by_external_id ON proposals (idea_bank_id, external_id) WHERE external_id IS NOT NULL;
-- For deleting a proposal: finds the proposals that were merged into it.
CREATE INDEX IF NOT EXISTS proposals_by_target ON proposals (duplicate_of) WHERE duplicate_of IS NOT NULL;
-- For deleting an idea bank: the merged proposals. The others are in proposals_by_idea_bank.
CREATE INDEX IF NOT EXISTS proposals_merged ON proposals (idea_bank_id) WHERE duplicate_of IS NOT NULL;
-- The ideas of a member.
CREATE INDEX IF NOT EXISTS proposals_by_assignee ON proposals (assignee, created_at, id) WHERE assignee IS NOT NULL AND duplicate_of IS NULL;
-- What the release before has written or edited, and has fewer terms than it could have: the scheduled job writes them.
CREATE INDEX IF NOT EXISTS proposals_unindexed ON proposals (id) WHERE indexed IS NULL AND duplicate_of IS NULL;

CREATE TRIGGER IF NOT EXISTS proposal_deleted AFTER UPDATE OF idea_bank_id ON proposals
WHEN NEW.idea_bank_id = NEW.id
BEGIN
  INSERT INTO deleted_idea_banks (id, account_id, deleted_at, idea_bank_id)
  VALUES (NEW.id, NEW.account_id, unixepoch() * 1000, OLD.idea_bank_id);
END;

-- The proposals that have a word in their title, the newest first. Triggers keep it. listed: as of the proposal, so that what waits or is hidden
-- takes no public one's place. No merged ones.
CREATE TABLE IF NOT EXISTS proposal_words (
  idea_bank_id TEXT NOT NULL,
  listed INTEGER NOT NULL,
  word TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  proposal_id TEXT NOT NULL,
  PRIMARY KEY (idea_bank_id, listed, word, created_at DESC, proposal_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS words_added AFTER INSERT ON proposals
WHEN NEW.words IS NOT NULL AND NEW.duplicate_of IS NULL
BEGIN
  INSERT INTO proposal_words (idea_bank_id, listed, word, created_at, proposal_id)
  SELECT NEW.idea_bank_id, NEW.listed, value, NEW.created_at, NEW.id FROM json_each(NEW.words) WHERE true ON CONFLICT DO NOTHING;
END;

-- A proposal that is deleted, or merged, is in no list any more: nor are its words.
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

-- The other terms of titles, and those of descriptions, in the same way.
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

-- The release before edits texts, and does not know all of their terms.
CREATE TRIGGER IF NOT EXISTS terms_stale AFTER UPDATE OF title, description ON proposals
WHEN NEW.indexed IS NOT NULL AND NEW.indexed = OLD.indexed AND (OLD.title <> NEW.title OR OLD.description <> NEW.description)
BEGIN
  UPDATE proposals SET indexed = NULL WHERE id = NEW.id;
END;

-- Merges under way: votes for source_id, and proposals that were merged into it before, still have to move to target_id. The row is
-- deleted when nothing is left to move. target_id is never a merged proposal: when it is merged further, the row follows it.
CREATE TABLE IF NOT EXISTS merges (
  source_id TEXT PRIMARY KEY REFERENCES proposals (id) ON DELETE CASCADE,
  target_id TEXT NOT NULL REFERENCES proposals (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL,
  idea_bank_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS merges_by_target ON merges (target_id);
CREATE INDEX IF NOT EXISTS merges_by_idea_bank ON merges (idea_bank_id);

CREATE TRIGGER IF NOT EXISTS proposal_merged AFTER UPDATE OF duplicate_of ON proposals
WHEN OLD.duplicate_of IS NULL AND NEW.duplicate_of IS NOT NULL
BEGIN
  UPDATE merges SET target_id = NEW.duplicate_of WHERE target_id = NEW.id;
  INSERT INTO merges (source_id, target_id, account_id, idea_bank_id)
  VALUES (NEW.id, NEW.duplicate_of, NEW.account_id, NEW.idea_bank_id);
END;

-- One row for each panelist who votes for a proposal. The triggers below keep proposals.votes.
CREATE TABLE IF NOT EXISTS votes (
  proposal_id TEXT NOT NULL REFERENCES proposals (id) ON DELETE CASCADE,
  panelist_id TEXT NOT NULL REFERENCES panelists (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL,
  idea_bank_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (proposal_id, panelist_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS votes_by_panelist ON votes (panelist_id, idea_bank_id, created_at);

-- by_tenant: the tenant wrote it. Otherwise a panelist did; panelist_id is null once that panelist was deleted. on_behalf: the tenant wrote
-- it for that panelist.
-- visibility: as of a proposal. Where comment_approval_required, a panelist's comment is pending. shown_at: when it became public, if that was
-- later than created_at, and of one that is not public any more, when it was. NULL of a comment that is not public: it never was. 0: it was
-- imported, and nobody is told of it.
CREATE TABLE IF NOT EXISTS comments (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  idea_bank_id TEXT NOT NULL,
  proposal_id TEXT NOT NULL REFERENCES proposals (id) ON DELETE CASCADE,
  panelist_id TEXT REFERENCES panelists (id) ON DELETE SET NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  by_tenant INTEGER NOT NULL DEFAULT 0 CHECK (by_tenant IN (0, 1)),
  on_behalf INTEGER NOT NULL DEFAULT 0 CHECK (on_behalf IN (0, 1)),
  visibility TEXT NOT NULL DEFAULT 'public',
  shown_at INTEGER
) STRICT;

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
-- What waits for approval in all idea banks of an account, and what of it one panelist wrote on a proposal.
CREATE INDEX IF NOT EXISTS comments_pending ON comments (account_id, created_at, id) WHERE visibility = 'pending';
CREATE INDEX IF NOT EXISTS comments_pending_of_panelist ON comments (proposal_id, panelist_id, created_at, id) WHERE visibility = 'pending';
-- For those who follow a proposal: what was approved since.
CREATE INDEX IF NOT EXISTS comments_shown ON comments (proposal_id, shown_at) WHERE shown_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS comments_by_idea_bank ON comments (idea_bank_id, created_at, id);
-- Also for deleting a panelist.
CREATE INDEX IF NOT EXISTS comments_by_panelist ON comments (panelist_id, idea_bank_id, created_at, id) WHERE panelist_id IS NOT NULL;

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
CREATE INDEX IF NOT EXISTS outbox_failed ON outbox (account_id, created_at) WHERE unknown + refused > 0;

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

-- What members are told of ideas by e-mail. A member without a row gets no such e-mail: who was one before the release that brought it, and has
-- chosen nothing since. time_zone: an IANA name, NULL is UTC. told_up_to_now, told_up_to_daily: everything until then was told, or was not to be;
-- moved before an e-mail is sent, so no second run sends it again. next_digest_at: when the next day's e-mail is due.
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

-- What of a board a member is told, and when: 'now', 'daily' or 'never'. idea_bank_id '': of all boards. NULL, and no row: as of all boards.
-- ideas_since, comments_since: since when that is so; what came before is told by what was chosen then.
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

-- The first digest comes at the next 08:00 UTC: the time zone is not known yet.
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

-- What a member has chosen goes with the member, and moves with the address. An account without its creator has its id as owner_email.
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

-- Who follows an idea follows the one that it is merged into.
CREATE TRIGGER IF NOT EXISTS follows_moved AFTER UPDATE OF duplicate_of ON proposals
WHEN NEW.duplicate_of IS NOT NULL
BEGIN
  UPDATE OR IGNORE follows SET proposal_id = NEW.duplicate_of WHERE proposal_id = NEW.id;
  DELETE FROM follows WHERE proposal_id = NEW.id;
END;

-- A comment is told to those who follow the idea. One that was imported with an earlier time is not.
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

-- With a person go all mails that are waiting, and what was kept by the address unless somebody else has it.
CREATE TRIGGER IF NOT EXISTS mails_of_deleted_person AFTER UPDATE OF deleted_at ON panelists
WHEN NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL
BEGIN
  DELETE FROM recipients WHERE panelist_id = OLD.id;
  DELETE FROM follows WHERE panelist_id = OLD.id;
  DELETE FROM mutes WHERE account_id = OLD.account_id AND email = OLD.email AND NOT EXISTS (SELECT 1 FROM panelists
    WHERE account_id = OLD.account_id AND email = OLD.email AND id <> OLD.id);
END;

-- What they follow goes with what they have written.
CREATE TRIGGER IF NOT EXISTS follows_of_cleared_person AFTER UPDATE OF cleared_at ON panelists
BEGIN
  DELETE FROM follows WHERE panelist_id = NEW.id;
END;

-- A new address begins clean.
CREATE TRIGGER IF NOT EXISTS address_changed AFTER UPDATE OF email ON panelists
WHEN OLD.unreachable_at IS NOT NULL AND NEW.email IS NOT OLD.email
BEGIN
  UPDATE panelists SET unreachable_at = NULL WHERE id = NEW.id;
END;

-- The tags of a proposal, newest first: the lists by tag. Triggers keep them. None of a merged or a deleted proposal.
-- Two that differ by capitals only (A to Z) are one tag.
CREATE TABLE IF NOT EXISTS proposal_tags (
  idea_bank_id TEXT NOT NULL,
  tag TEXT COLLATE NOCASE NOT NULL,
  visibility TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  proposal_id TEXT NOT NULL,
  PRIMARY KEY (idea_bank_id, tag, visibility, status, created_at, proposal_id)
) STRICT, WITHOUT ROWID;

-- The tags of an idea bank, as the first proposal spells each: how many proposals have it, and how many of them are public. At most 200.
CREATE TABLE IF NOT EXISTS idea_bank_tags (
  idea_bank_id TEXT NOT NULL,
  tag TEXT COLLATE NOCASE NOT NULL,
  proposals INTEGER NOT NULL,
  public_proposals INTEGER NOT NULL,
  PRIMARY KEY (idea_bank_id, tag)
) STRICT, WITHOUT ROWID;

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

CREATE TRIGGER IF NOT EXISTS tag_counted AFTER INSERT ON proposal_tags BEGIN
  INSERT INTO idea_bank_tags (idea_bank_id, tag, proposals, public_proposals)
  VALUES (NEW.idea_bank_id, NEW.tag, 1, NEW.visibility = 'public')
  ON CONFLICT (idea_bank_id, tag) DO UPDATE SET proposals = proposals + 1, public_proposals = public_proposals + excluded.public_proposals;
END;

CREATE TRIGGER IF NOT EXISTS tag_shown AFTER UPDATE OF visibility ON proposal_tags
WHEN (OLD.visibility = 'public') <> (NEW.visibility = 'public')
BEGIN
  UPDATE idea_bank_tags SET public_proposals = public_proposals + iif(NEW.visibility = 'public', 1, -1)
  WHERE idea_bank_id = NEW.idea_bank_id AND tag = NEW.tag;
END;

CREATE TRIGGER IF NOT EXISTS tag_uncounted AFTER DELETE ON proposal_tags BEGIN
  UPDATE idea_bank_tags SET proposals = proposals - 1, public_proposals = public_proposals - (OLD.visibility = 'public')
  WHERE idea_bank_id = OLD.idea_bank_id AND tag = OLD.tag;
  DELETE FROM idea_bank_tags WHERE idea_bank_id = OLD.idea_bank_id AND tag = OLD.tag AND proposals = 0;
END;

CREATE TRIGGER IF NOT EXISTS tags_at_most AFTER INSERT ON idea_bank_tags
WHEN (SELECT count(*) FROM idea_bank_tags WHERE idea_bank_id = NEW.idea_bank_id) > 200
BEGIN
  SELECT RAISE(ABORT, 'too many tags');
END;

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

-- Triggers raise the changelog's version in the transaction that changes the changelog, for every writer. (SQLite runs no
-- triggers for the rows that INSERT OR REPLACE deletes: write with UPDATE or an upsert.)
-- A new version is at least the current Unix time in milliseconds: a restored backup never reuses a version that a cache may hold.

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

CREATE TRIGGER IF NOT EXISTS changelog_maximum_changed AFTER UPDATE OF changelog_max_entries ON idea_banks
WHEN OLD.changelog_max_entries <> NEW.changelog_max_entries
BEGIN
  UPDATE idea_banks SET changelog_version = max(changelog_version + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER))
  WHERE id = NEW.id;
END;

-- What somebody wrote is hidden at once when the person is deleted with it, on however many idea banks it stands.
CREATE TRIGGER IF NOT EXISTS changelog_author_hidden AFTER UPDATE OF deletes_content ON panelists
WHEN OLD.deletes_content <> NEW.deletes_content
BEGIN
  UPDATE accounts SET changelog_epoch = changelog_epoch + 1 WHERE id = NEW.account_id;
END;

-- A comment is activity on its proposal, except on an implemented one: news alone reorders the changelog. Deleting a comment is
-- not, and a vote is not.
CREATE TRIGGER IF NOT EXISTS comment_added AFTER INSERT ON comments
WHEN NEW.visibility = 'public'
BEGIN
  UPDATE proposals SET comments = comments + 1,
    last_activity_at = iif(status = 'implemented', last_activity_at, max(last_activity_at, NEW.created_at))
  WHERE id = NEW.proposal_id;
END;

-- A comment that becomes public is counted, and the first time it is activity and told to those who follow the idea. An undo sets shown_at itself.
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

-- What goes with its idea bank or its proposal is not counted one by one: nobody reads the counts any more. The bytes of the votes are
-- given back with their proposal.
CREATE TRIGGER IF NOT EXISTS comment_removed AFTER DELETE ON comments
WHEN OLD.visibility = 'public'
BEGIN
  UPDATE proposals SET comments = comments - 1
  WHERE id = OLD.proposal_id AND EXISTS (SELECT 1 FROM idea_banks WHERE id = proposals.idea_bank_id);
END;

-- The author's vote is counted already when the proposal is inserted with it.
CREATE TRIGGER IF NOT EXISTS vote_added AFTER INSERT ON votes
BEGIN
  UPDATE proposals SET votes = votes + 1 WHERE id = NEW.proposal_id
    AND NOT (votes = 1 AND NOT EXISTS (SELECT 1 FROM votes WHERE proposal_id = NEW.proposal_id AND panelist_id <> NEW.panelist_id));
END;

CREATE TRIGGER IF NOT EXISTS vote_removed AFTER DELETE ON votes
BEGIN
  UPDATE proposals SET votes = votes - 1
  WHERE id = OLD.proposal_id AND EXISTS (SELECT 1 FROM idea_banks WHERE id = proposals.idea_bank_id);
END;

CREATE TRIGGER IF NOT EXISTS vote_moved AFTER UPDATE OF proposal_id ON votes
BEGIN
  UPDATE proposals SET votes = votes - 1 WHERE id = OLD.proposal_id;
  UPDATE proposals SET votes = votes + 1 WHERE id = NEW.proposal_id;
END;

-- Deactivating a panelist revokes all its tokens. They stay invalid when the panelist is active again.
CREATE TRIGGER IF NOT EXISTS panelist_switched_off AFTER UPDATE OF active ON panelists
WHEN OLD.active = 1 AND NEW.active = 0
BEGIN
  UPDATE panelists
  SET tokens_revoked_at = iif(
    tokens_revoked_at >= unixepoch() * 1000,
    max(tokens_revoked_at, (unixepoch() + 1) * 1000),
    CAST(unixepoch('subsec') * 1000 AS INTEGER)
  )
  WHERE id = NEW.id;
END;

-- Records a revocation when a panelist is deactivated, reactivated or deleted, or its tokens are revoked.
-- The scheduled job deletes rows that are older than any valid token. That of an inactive panelist is never old.
CREATE TRIGGER IF NOT EXISTS revocation_panelist_changed AFTER UPDATE OF active, tokens_revoked_at ON panelists
WHEN OLD.active < NEW.active OR OLD.tokens_revoked_at IS NOT NEW.tokens_revoked_at
BEGIN
  DELETE FROM token_revocations WHERE panelist_id = NEW.id;
  INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at)
  VALUES (
    NEW.account_id,
    NEW.id,
    iif(NEW.active = 1, coalesce(NEW.tokens_revoked_at, 0), 9007199254740991),
    unixepoch() * 1000 + iif(NEW.active = 1, 0, 4503599627370496)
  );
END;

-- The revocation that a deleted panelist leaves. Before: while the panelist exists, its revocation is not counted.
CREATE TRIGGER IF NOT EXISTS revocation_panelist_leaves BEFORE DELETE ON panelists
BEGIN
  DELETE FROM token_revocations WHERE panelist_id = OLD.id;
END;

-- None if no token was issued: so nothing grows when panelists are created and deleted all day.
CREATE TRIGGER IF NOT EXISTS revocation_panelist_removed AFTER DELETE ON panelists
WHEN OLD.tokens_issued = 1
BEGIN
  INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at)
  VALUES (
    OLD.account_id,
    OLD.id,
    max(coalesce(OLD.tokens_revoked_at, 0), CAST(unixepoch('subsec') * 1000 AS INTEGER)),
    unixepoch() * 1000
  );
END;

-- Who comes back after a deletion has the same identifier: the tokens of before stay invalid. The revocation is not counted while the
-- panelist exists. And for who is created inactive, the tenant's server may have signed tokens before. Who was inactive in the rows from
-- before a restore, and is missing in the restored ones, is created inactive.
CREATE TRIGGER IF NOT EXISTS revocation_panelist_added AFTER INSERT ON panelists
WHEN (NEW.active = 0 AND NEW.tokens_issued = 1 AND NEW.tokens_revoked_at IS NULL)
  OR EXISTS (SELECT 1 FROM token_revocations WHERE panelist_id = NEW.id)
BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - 100
  WHERE id = NEW.account_id AND EXISTS (SELECT 1 FROM token_revocations WHERE panelist_id = NEW.id);
  UPDATE panelists
  SET active = NEW.active AND NOT EXISTS (
      SELECT 1 FROM token_revocations WHERE panelist_id = NEW.id AND revoked_at = 9007199254740991),
    tokens_revoked_at = max(
      coalesce((SELECT revoked_at FROM token_revocations WHERE panelist_id = NEW.id AND revoked_at < 9007199254740991), 0),
      iif(NEW.active = 0, CAST(unixepoch('subsec') * 1000 AS INTEGER), 0)
    )
  WHERE id = NEW.id;
END;

CREATE TRIGGER IF NOT EXISTS revocation_account_removed AFTER DELETE ON accounts
BEGIN
  DELETE FROM token_revocations WHERE account_id = OLD.id;
END;

-- An account's stored bytes: the bytes of its texts, plus an estimate for the rest of each row, indexes included. Not counted: API
-- keys, their usage, and what owners' Idempotency-Keys keep. Events are counted beside them (event_bytes). So revoking and rotating always work.
-- Votes are counted beside them, 128 bytes each, and sixteen of a proposal at a time: so of sixteen votes one writes the account's
-- row. They are refused by a full account; but merging, which moves them, is not.

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
-- A revocation that stays counts as 100 bytes, until it is deleted itself. In one statement: a deletion never adds.
CREATE TRIGGER IF NOT EXISTS quota_panelists_removed AFTER DELETE ON panelists BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (150 + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.display_name), 0) + coalesce(octet_length(OLD.email), 0) + coalesce(octet_length(OLD.mailbox), 0))
    + iif(OLD.tokens_issued = 1, 100, 0)
  WHERE id = OLD.account_id; END;
CREATE TRIGGER IF NOT EXISTS quota_token_revocations_removed AFTER DELETE ON token_revocations
WHEN NOT EXISTS (SELECT 1 FROM panelists WHERE id = OLD.panelist_id)
BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - 100 WHERE id = OLD.account_id;
END;
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
CREATE TRIGGER IF NOT EXISTS quota_comments_added AFTER INSERT ON comments BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 150 + octet_length(NEW.body)
  WHERE id = NEW.account_id; END;
CREATE TRIGGER IF NOT EXISTS quota_comments_removed AFTER DELETE ON comments BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (150 + octet_length(OLD.body))
  WHERE id = OLD.account_id; END;
CREATE TRIGGER IF NOT EXISTS quota_comments_changed AFTER UPDATE OF body ON comments BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (coalesce(octet_length(NEW.body), 0))
    - (coalesce(octet_length(OLD.body), 0))
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
CREATE TRIGGER IF NOT EXISTS quota_idempotency_keys_added AFTER INSERT ON idempotency_keys
WHEN NEW.key NOT GLOB 'account *' BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 150 + octet_length(NEW.key) + octet_length(NEW.outcome)
  WHERE id = NEW.account_id; END;
CREATE TRIGGER IF NOT EXISTS quota_idempotency_keys_removed AFTER DELETE ON idempotency_keys
WHEN OLD.key NOT GLOB 'account *' BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (150 + octet_length(OLD.key) + octet_length(OLD.outcome))
  WHERE id = OLD.account_id; END;
CREATE TRIGGER IF NOT EXISTS quota_votes_changed AFTER UPDATE OF votes ON proposals
WHEN OLD.votes / 16 <> NEW.votes / 16 BEGIN
  UPDATE accounts SET counted_votes = counted_votes + (NEW.votes / 16 - OLD.votes / 16) * 16 WHERE id = NEW.account_id; END;
CREATE TRIGGER IF NOT EXISTS quota_votes_removed AFTER DELETE ON proposals
WHEN OLD.votes > 15 BEGIN
  UPDATE accounts SET counted_votes = counted_votes - OLD.votes / 16 * 16 WHERE id = OLD.account_id; END;
CREATE TRIGGER IF NOT EXISTS quota_votes_exceeded AFTER INSERT ON votes BEGIN
  SELECT RAISE(ABORT, 'quota exceeded') FROM accounts
  WHERE id = NEW.account_id AND stored_bytes + 128 * counted_votes + event_bytes >= max_bytes; END;

-- The log of changes. Triggers write one row for each change of an idea bank, a proposal, a comment, a panelist or a survey, in the transaction of
-- the change, whoever writes. Votes, and counts and times that follow from other rows, are no changes.
-- number: 1, 2, 3, … in each account, in the order in which the changes were committed.
-- panelist_id: the panelist, or of a proposal or a comment the one for whom the tenant has created it.
-- actor: 'panelist' for a panelist's request, 'system' for what follows later from another change, else 'tenant'.
-- event_id: of an account event, its event in audit_events. These are for webhooks that choose them: the feed leaves them out.
-- Kept for 30 days, and at most 500,000 of an account. The newest one of an account stays: the next number follows from it.
CREATE TABLE IF NOT EXISTS change_log (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  type TEXT NOT NULL,
  idea_bank_id TEXT,
  proposal_id TEXT,
  comment_id TEXT,
  panelist_id TEXT,
  changed_at INTEGER NOT NULL,
  survey_id TEXT,
  event_id TEXT,
  -- Of a change by an API key: the key. Panelists never see it.
  api_key_id TEXT,
  actor TEXT NOT NULL DEFAULT 'tenant',
  PRIMARY KEY (account_id, number)
) STRICT, WITHOUT ROWID;

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

CREATE TRIGGER IF NOT EXISTS log_full AFTER INSERT ON change_log
WHEN NEW.number > 500000
BEGIN
  DELETE FROM change_log WHERE account_id = NEW.account_id AND number = NEW.number - 500000;
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
-- A survey that has closed by itself, or asks the voters of the idea that stays after a merge, is the service's change.
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

-- The totals of a survey move in the transaction of the response. The response that reaches max_responses closes the survey. Of an anonymous
-- survey, what the team sees moves with the fifth response since it has moved last.
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

-- A deleted panelist's are no changes of their own: `panelist.deleted` stands for them.
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

-- No step may come any more: texts that were taken back go with the close.
CREATE TRIGGER IF NOT EXISTS survey_closed AFTER UPDATE OF salt ON surveys
WHEN OLD.salt IS NOT NULL AND NEW.salt IS NULL
BEGIN
  DELETE FROM survey_texts WHERE survey_id = NEW.id AND until <= NEW.step;
END;

-- Of an idea that is merged, the survey asks the voters of the one that stays.
CREATE TRIGGER IF NOT EXISTS survey_audience_merged AFTER UPDATE OF duplicate_of ON proposals
WHEN NEW.duplicate_of IS NOT NULL
BEGIN
  UPDATE surveys SET voters_of = NEW.duplicate_of WHERE voters_of = NEW.id;
END;

-- Its responses are deleted in slices, as an idea bank's contents are.
CREATE TRIGGER IF NOT EXISTS survey_removed AFTER DELETE ON surveys
WHEN OLD.idea_bank_id IS NOT NULL AND EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account_id)
BEGIN
  INSERT INTO deleted_idea_banks (id, account_id, deleted_at, idea_bank_id)
  VALUES (OLD.id, OLD.account_id, unixepoch() * 1000, OLD.idea_bank_id);
END;

-- A panelist is deleted when it is marked. Its row goes later.
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

-- A proposal is deleted when it leaves its idea bank, as those that were merged into it do. What goes with a deleted idea bank, and the
-- comments of a deleted proposal, are not logged one by one: such a deletion would push every other change out of the log.
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

-- What a panelist takes away is in the log before it is deleted: a DELETE does not say whose it is.
-- Of a comment that nobody else has seen there is nothing in the log. Its approval is its creation.
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

-- Webhooks: at most 4 of an account, each a place in its log of changes. What is behind the place is not delivered yet, so nothing else is
-- stored for a delivery.
-- types is a JSON array, NULL for all types. secret is `whsec_` and base64: it has to sign. previous_secret signs too, until previous_until,
-- and those in older_secrets, a JSON array of [secret, until].
-- state: `paused` by the owner, `failed` after five days of failure, `ended` by the receiver's 410.
-- number is that of the last change that was delivered or passed over. due_at is when the next attempt is due, NULL while nothing is to be
-- delivered; claimed_until, until when one delivery is under way: both by the database's clock, in Unix milliseconds.
-- attempts counts the failed ones since the last delivery, the first of them at failing_since. missed counts changes that left the log
-- undelivered. recent is a JSON array of the last 20 attempts, newest first.
CREATE TABLE IF NOT EXISTS webhooks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  url TEXT NOT NULL,
  types TEXT CHECK (types IS NULL OR json_valid(types)),
  secret TEXT NOT NULL,
  previous_secret TEXT,
  previous_until INTEGER,
  created_at INTEGER NOT NULL,
  number INTEGER NOT NULL,
  due_at INTEGER,
  claimed_until INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0,
  failing_since INTEGER,
  missed INTEGER NOT NULL DEFAULT 0,
  recent TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(recent)),
  -- As that of a key.
  created_by TEXT,
  older_secrets TEXT CHECK (json_valid(older_secrets)),
  -- When its owner changed it last: URL, types, state, secret.
  changed_at INTEGER,
  -- When the account was told that it has failed for a day. NULL again after a delivery.
  failing_told_at INTEGER,
  state TEXT NOT NULL DEFAULT 'active',
  -- What it is sent: `standard`, each change as JSON; `slack`, messages. It never changes.
  format TEXT NOT NULL DEFAULT 'standard',
  -- The URL of a `slack` webhook is its password: where anybody sees it, it is the host and the last four characters (webhook-url.ts).
  shown_url TEXT GENERATED ALWAYS AS (iif(format = 'slack', substr(url, 1, instr(url, '://') + 1 + instr(substr(url, instr(url, '://') + 3), '/'))
    || '/…' || iif(length(url) - instr(url, '://') - 1 - instr(substr(url, instr(url, '://') + 3), '/') < 18, '',
      iif(url GLOB '*/slack', substr(url, -10, 4) || '/slack', substr(url, -4))), url)) VIRTUAL
) STRICT, WITHOUT ROWID;

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

CREATE INDEX IF NOT EXISTS webhooks_by_account ON webhooks (account_id);
-- For a secret that was found in public: by its first eight characters after the prefix.
CREATE INDEX IF NOT EXISTS webhooks_by_secret ON webhooks (substr(secret, 1, 14));
CREATE INDEX IF NOT EXISTS webhooks_by_previous_secret ON webhooks (substr(previous_secret, 1, 14)) WHERE previous_secret IS NOT NULL;
CREATE INDEX IF NOT EXISTS webhooks_due_by_failure ON webhooks (attempts > 0, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS webhooks_failing ON webhooks (failing_since) WHERE failing_since IS NOT NULL AND failing_told_at IS NULL;

CREATE TRIGGER IF NOT EXISTS webhook_recovered AFTER UPDATE OF failing_since ON webhooks
WHEN NEW.failing_since IS NULL AND NEW.failing_told_at IS NOT NULL
BEGIN
  UPDATE webhooks SET failing_told_at = NULL WHERE id = NEW.id;
END;

CREATE TRIGGER IF NOT EXISTS webhooks_behind AFTER INSERT ON change_log BEGIN
  UPDATE webhooks SET due_at = NEW.changed_at WHERE account_id = NEW.account_id AND state = 'active' AND due_at IS NULL;
END;

-- Account events.
CREATE TRIGGER IF NOT EXISTS log_account_events AFTER INSERT ON audit_events
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

-- A restore sets the state again without an attempt, and that is no event.
CREATE TRIGGER IF NOT EXISTS webhook_failed AFTER UPDATE OF state ON webhooks
WHEN OLD.state = 'active' AND NEW.state IN ('failed', 'ended') AND NEW.attempts > OLD.attempts
BEGIN
  INSERT INTO audit_events (id, account_id, event, api_key_name, created_at, webhook_id)
  VALUES (substr(NEW.id, 1, 1) || substr(hex(randomblob(6)), 2), NEW.account_id, 'webhook-failed', NEW.shown_url,
    CAST(unixepoch('subsec') * 1000 AS INTEGER), NEW.id);
END;

-- The API key that acts in the present transaction: its request makes the row. The key acts until the account's log of changes has the
-- number until_number. That is the next one where a request makes one change; so the row says nothing any more after it, and stays. Otherwise
-- the request deletes it again.
CREATE TABLE IF NOT EXISTS acting_keys (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  api_key_id TEXT NOT NULL,
  until_number INTEGER NOT NULL DEFAULT 9007199254740991
) STRICT, WITHOUT ROWID;

-- 1.1.0 knows no until_number: its requests delete the row.
CREATE TRIGGER IF NOT EXISTS acting_key_of_1_1_0 AFTER UPDATE OF api_key_id ON acting_keys
WHEN NEW.until_number = OLD.until_number
BEGIN
  UPDATE acting_keys SET until_number = 9007199254740991 WHERE account_id = NEW.account_id;
END;

-- What an API key ends for good is an event with the key: at most 100 of a kind in an hour for a key, so that a loop does not push out what it
-- did first. The log of changes has all of them.
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

-- The member who decides about ideas in the present transaction: the decision makes the row, and deletes it again.
CREATE TABLE IF NOT EXISTS acting_members (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  member_id TEXT,
  actor TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The history of a proposal: what changed, when, and by whom. The triggers below write it in the transaction of the change, so no statement
-- can forget it. number: 1, 2, 3, … in each proposal. The newest 200 stay.
-- changes: a JSON object, [before, after] of each field that differs. []: words of somebody who was deleted. `created` has the time that the
-- proposal says, `merged` the proposal that was merged into this one.
-- Who: a member (actor: the address or the service token then), an API key, or by_author the panelist who wrote the proposal. Else nobody: the
-- service itself.
-- author_id: the proposal's author, where the step has words that may be the author's. NULL once that person is deleted.
-- cut_bytes: how much went from changes 20 steps later. Then long texts are only their beginnings.
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

-- Before, so that the row of acting_keys still says who acts: the log of changes writes its entry after. What the author writes several times
-- in a row is one step, so that nobody fills an account by editing. A field is one line of the list, and one name in the first line.
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

-- A panelist's own proposal says itself who created it, and when.
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

-- The bytes of the history are counted with those of events, so a full account can still decide. The account's row is written once for a step,
-- with what leaves for it.
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

-- The release before deletes proposals and panelists without a look at their history.
CREATE TRIGGER IF NOT EXISTS steps_of_deleted_proposal AFTER DELETE ON proposals BEGIN
  DELETE FROM proposal_steps WHERE proposal_id = OLD.id;
END;

CREATE TRIGGER IF NOT EXISTS steps_of_deleted_person AFTER DELETE ON panelists BEGIN
  UPDATE proposal_steps SET author_id = NULL, changes = json_replace(changes, '$.title', json('[]'), '$.description', json('[]'))
  WHERE author_id = OLD.id;
END;
