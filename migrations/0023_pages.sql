-- A board's own page, and who signs in on it by e-mail. What is added to tables has defaults, so the release before works on.
ALTER TABLE idea_banks ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE idea_banks ADD COLUMN public_page INTEGER NOT NULL DEFAULT 0;
ALTER TABLE idea_banks ADD COLUMN hidden_from_search INTEGER NOT NULL DEFAULT 0;
ALTER TABLE idea_banks ADD COLUMN email_sign_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE idea_banks ADD COLUMN sign_in_url TEXT;
ALTER TABLE accounts ADD COLUMN external_ids_are_emails INTEGER NOT NULL DEFAULT 0;
ALTER TABLE panelists ADD COLUMN email TEXT;
ALTER TABLE panelists ADD COLUMN email_verified INTEGER NOT NULL DEFAULT 0;
ALTER TABLE panelists ADD COLUMN mailbox TEXT;
ALTER TABLE panelists ADD COLUMN first_hour_proposals INTEGER NOT NULL DEFAULT 0;
ALTER TABLE panelists ADD COLUMN first_hour_comments INTEGER NOT NULL DEFAULT 0;

CREATE INDEX IF NOT EXISTS idea_banks_with_page ON idea_banks (created_at, id) WHERE public_page = 1;
CREATE UNIQUE INDEX IF NOT EXISTS panelists_by_verified_email ON panelists (account_id, email) WHERE email_verified = 1;
CREATE INDEX IF NOT EXISTS panelists_by_mailbox ON panelists (account_id, mailbox, created_at) WHERE mailbox IS NOT NULL;

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


DROP TRIGGER quota_idea_banks_added;
CREATE TRIGGER IF NOT EXISTS quota_idea_banks_added AFTER INSERT ON idea_banks BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 200 + octet_length(NEW.name) + coalesce(octet_length(NEW.url), 0) + octet_length(NEW.description) + coalesce(octet_length(NEW.sign_in_url), 0)
  WHERE id = NEW.account_id; END;
DROP TRIGGER quota_idea_banks_removed;
CREATE TRIGGER IF NOT EXISTS quota_idea_banks_removed AFTER DELETE ON idea_banks BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (200 + octet_length(OLD.name) + coalesce(octet_length(OLD.url), 0) + octet_length(OLD.description) + coalesce(octet_length(OLD.sign_in_url), 0))
  WHERE id = OLD.account_id; END;
DROP TRIGGER quota_idea_banks_changed;
CREATE TRIGGER IF NOT EXISTS quota_idea_banks_changed AFTER UPDATE OF name, url, description, sign_in_url ON idea_banks BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (coalesce(octet_length(NEW.name), 0) + coalesce(octet_length(NEW.url), 0) + octet_length(NEW.description) + coalesce(octet_length(NEW.sign_in_url), 0))
    - (coalesce(octet_length(OLD.name), 0) + coalesce(octet_length(OLD.url), 0) + octet_length(OLD.description) + coalesce(octet_length(OLD.sign_in_url), 0))
  WHERE id = NEW.account_id; END;
DROP TRIGGER quota_panelists_added;
CREATE TRIGGER IF NOT EXISTS quota_panelists_added AFTER INSERT ON panelists BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 150 + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.display_name), 0) + coalesce(octet_length(NEW.email), 0) + coalesce(octet_length(NEW.mailbox), 0)
  WHERE id = NEW.account_id; END;
DROP TRIGGER quota_panelists_removed;
CREATE TRIGGER IF NOT EXISTS quota_panelists_removed AFTER DELETE ON panelists BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (150 + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.display_name), 0) + coalesce(octet_length(OLD.email), 0) + coalesce(octet_length(OLD.mailbox), 0))
    + iif(OLD.tokens_issued = 1, 100, 0)
  WHERE id = OLD.account_id; END;
DROP TRIGGER quota_panelists_changed;
CREATE TRIGGER IF NOT EXISTS quota_panelists_changed AFTER UPDATE OF external_id, display_name, email, mailbox ON panelists BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.display_name), 0) + coalesce(octet_length(NEW.email), 0) + coalesce(octet_length(NEW.mailbox), 0))
    - (coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.display_name), 0) + coalesce(octet_length(OLD.email), 0) + coalesce(octet_length(OLD.mailbox), 0))
  WHERE id = NEW.account_id; END;
DROP TRIGGER log_idea_banks_changed;
CREATE TRIGGER IF NOT EXISTS log_idea_banks_changed
AFTER UPDATE OF name, status, internal, changelog_enabled, changelog_max_entries, submissions_enabled,
  voting_enabled, comments_enabled, approval_required, surveys_enabled, url,
  description, public_page, hidden_from_search, email_sign_in, sign_in_url ON idea_banks
WHEN
  OLD.name IS NOT NEW.name OR OLD.status IS NOT NEW.status OR OLD.internal IS NOT NEW.internal
  OR OLD.changelog_enabled IS NOT NEW.changelog_enabled OR OLD.changelog_max_entries IS NOT NEW.changelog_max_entries
  OR OLD.submissions_enabled IS NOT NEW.submissions_enabled OR OLD.voting_enabled IS NOT NEW.voting_enabled
  OR OLD.comments_enabled IS NOT NEW.comments_enabled OR OLD.approval_required IS NOT NEW.approval_required OR OLD.surveys_enabled IS NOT NEW.surveys_enabled OR OLD.url IS NOT NEW.url
  OR OLD.description IS NOT NEW.description OR OLD.public_page IS NOT NEW.public_page
  OR OLD.hidden_from_search IS NOT NEW.hidden_from_search OR OLD.email_sign_in IS NOT NEW.email_sign_in OR OLD.sign_in_url IS NOT NEW.sign_in_url
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'ideabank.updated', NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = NEW.account_id; END;
DROP TRIGGER log_panelists_changed;
CREATE TRIGGER IF NOT EXISTS log_panelists_changed AFTER UPDATE OF external_id, display_name, email, active, deleted_at ON panelists
WHEN OLD.deleted_at IS NULL AND (
  OLD.external_id IS NOT NEW.external_id OR OLD.display_name IS NOT NEW.display_name OR OLD.email IS NOT NEW.email OR OLD.active IS NOT NEW.active
  OR OLD.deleted_at IS NOT NEW.deleted_at
)
BEGIN
  INSERT INTO change_log (account_id, number, type, panelist_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    iif(NEW.deleted_at IS NULL, 'panelist.updated', 'panelist.deleted'), NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = NEW.account_id; END;
