-- From the first published version: participation (votes, comments by panelists, submissions), moderation, the storage quota, and
-- the deletion of idea banks in slices. Every row stays. `proposals` is copied, because SQLite cannot take the reference to
-- idea_banks away from a table that exists; `comments` refers to it, so it is copied too.

-- Every trigger is replaced. They come last: copying rows is no activity, and the quota is counted first.
DROP TRIGGER changelog_proposal_added;
DROP TRIGGER changelog_proposal_changed;
DROP TRIGGER changelog_proposal_removed;
DROP TRIGGER changelog_maximum_changed;
DROP TRIGGER activity_comment_added;
DROP TRIGGER revocation_panelist_changed;
DROP TRIGGER revocation_panelist_removed;
DROP TRIGGER revocation_account_removed;

ALTER TABLE accounts ADD COLUMN stored_bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN max_bytes INTEGER NOT NULL DEFAULT 536870912;

ALTER TABLE panelists ADD COLUMN display_name TEXT;

ALTER TABLE idea_banks ADD COLUMN submissions_enabled INTEGER NOT NULL DEFAULT 1 CHECK (submissions_enabled IN (0, 1));
ALTER TABLE idea_banks ADD COLUMN voting_enabled INTEGER NOT NULL DEFAULT 1 CHECK (voting_enabled IN (0, 1));
ALTER TABLE idea_banks ADD COLUMN comments_enabled INTEGER NOT NULL DEFAULT 1 CHECK (comments_enabled IN (0, 1));
ALTER TABLE idea_banks ADD COLUMN approval_required INTEGER NOT NULL DEFAULT 0 CHECK (approval_required IN (0, 1));

-- Proposals of a deleted idea bank are not accessible: every query requires that the idea bank exists. deleted_idea_banks lists the
-- idea banks whose proposals are still stored. They are deleted in slices: one large statement would block the database.
CREATE TABLE deleted_idea_banks (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- visibility: a proposal submitted to an idea bank with approval_required is pending: only its author and the tenant see it.
-- duplicate_of: the proposal that this one was merged into. A merge is final. Lists leave merged proposals out.
-- hot: the creation time plus one week for each doubling of the votes (milliseconds). It does not change with time.
CREATE TABLE proposals_2 (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  idea_bank_id TEXT NOT NULL,
  author_id TEXT REFERENCES panelists (id) ON DELETE SET NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'submitted'
    CHECK (status IN ('submitted', 'under-review', 'planned', 'in-progress', 'implemented', 'declined')),
  visibility TEXT NOT NULL DEFAULT 'public' CHECK (visibility IN ('public', 'pending', 'hidden')),
  duplicate_of TEXT REFERENCES proposals_2 (id) ON DELETE CASCADE,
  response TEXT,
  responded_at INTEGER,
  votes INTEGER NOT NULL DEFAULT 0,
  comments INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  last_activity_at INTEGER NOT NULL,
  hot INTEGER GENERATED ALWAYS AS (created_at + CAST(604800000 * log2(votes + 1) AS INTEGER)) VIRTUAL,
  listed INTEGER GENERATED ALWAYS AS (visibility = 'public' AND duplicate_of IS NULL) VIRTUAL,
  in_changelog INTEGER GENERATED ALWAYS AS (status = 'implemented' AND visibility = 'public' AND duplicate_of IS NULL) VIRTUAL
) STRICT;

INSERT INTO proposals_2 (
  id, account_id, idea_bank_id, title, description, status, comments, created_at, last_activity_at
)
SELECT
  id, account_id, idea_bank_id, title, description, status,
  (SELECT count(*) FROM comments WHERE comments.proposal_id = proposals.id), created_at, last_activity_at
FROM proposals;

-- by_tenant: the tenant wrote it. Otherwise a panelist did; panelist_id is null once that panelist was deleted.
CREATE TABLE comments_2 (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  proposal_id TEXT NOT NULL REFERENCES proposals_2 (id) ON DELETE CASCADE,
  panelist_id TEXT REFERENCES panelists (id) ON DELETE SET NULL,
  body TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  by_tenant INTEGER NOT NULL DEFAULT 0 CHECK (by_tenant IN (0, 1))
) STRICT;

INSERT INTO comments_2 (id, account_id, proposal_id, panelist_id, body, created_at)
SELECT id, account_id, proposal_id, panelist_id, body, created_at FROM comments;

DROP TABLE comments;
DROP TABLE proposals;
ALTER TABLE proposals_2 RENAME TO proposals;
ALTER TABLE comments_2 RENAME TO comments;

-- The tenant's lists: all, by status, by visibility.
CREATE INDEX proposals_by_idea_bank ON proposals (idea_bank_id, created_at, id) WHERE duplicate_of IS NULL;
CREATE INDEX proposals_by_status ON proposals (idea_bank_id, status, created_at, id) WHERE duplicate_of IS NULL;
CREATE INDEX proposals_by_visibility ON proposals (idea_bank_id, visibility, status, created_at, id)
  WHERE duplicate_of IS NULL;

-- The panelists' lists: one index for each sort, by status. A list of all statuses merges six scans. (The sort "new" uses proposals_by_visibility.)
CREATE INDEX proposals_top ON proposals (idea_bank_id, status, votes, id) WHERE listed = 1;
CREATE INDEX proposals_hot ON proposals (idea_bank_id, status, hot, id) WHERE listed = 1;
-- Also used by the changelog: its first N entries cost N rows, however many proposals there are.
CREATE INDEX proposals_active ON proposals (idea_bank_id, status, last_activity_at, id) WHERE listed = 1;

CREATE INDEX proposals_by_author ON proposals (author_id, idea_bank_id, created_at, id) WHERE author_id IS NOT NULL;
-- For deleting a proposal: finds the proposals that were merged into it.
CREATE INDEX proposals_by_target ON proposals (duplicate_of) WHERE duplicate_of IS NOT NULL;

CREATE INDEX comments_by_proposal ON comments (proposal_id, created_at, id);
-- For deleting a panelist: finds the panelist's comments without a scan.
CREATE INDEX comments_by_panelist ON comments (panelist_id);

-- One row for each panelist who votes for a proposal. The triggers below keep proposals.votes.
CREATE TABLE votes (
  proposal_id TEXT NOT NULL REFERENCES proposals (id) ON DELETE CASCADE,
  panelist_id TEXT NOT NULL REFERENCES panelists (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL,
  idea_bank_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (proposal_id, panelist_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX votes_by_panelist ON votes (panelist_id, idea_bank_id, created_at);

-- A panelist who is not active: its tokens stay invalid when it is active again. The first version did not note when it was
-- deactivated, so every token issued until now counts as revoked.
UPDATE panelists SET tokens_revoked_at = max(coalesce(tokens_revoked_at, 0), CAST(unixepoch('subsec') * 1000 AS INTEGER))
WHERE active = 0;

-- What is stored already, counted as the triggers below count.
UPDATE accounts SET stored_bytes = stored_bytes + stored.bytes
FROM (SELECT account_id, sum(150 + octet_length(title) + octet_length(description)) AS bytes FROM surveys GROUP BY account_id) AS stored
WHERE stored.account_id = accounts.id;
UPDATE accounts SET stored_bytes = stored_bytes + stored.bytes
FROM (SELECT account_id, sum(150 + coalesce(octet_length(external_id), 0)) AS bytes FROM panelists GROUP BY account_id) AS stored
WHERE stored.account_id = accounts.id;
UPDATE accounts SET stored_bytes = stored_bytes + stored.bytes
FROM (SELECT account_id, sum(200 + octet_length(name)) AS bytes FROM idea_banks GROUP BY account_id) AS stored
WHERE stored.account_id = accounts.id;
UPDATE accounts SET stored_bytes = stored_bytes + stored.bytes
FROM (SELECT account_id, sum(300 + octet_length(title) + octet_length(description)) AS bytes FROM proposals GROUP BY account_id) AS stored
WHERE stored.account_id = accounts.id;
UPDATE accounts SET stored_bytes = stored_bytes + stored.bytes
FROM (SELECT account_id, sum(150 + octet_length(body)) AS bytes FROM comments GROUP BY account_id) AS stored
WHERE stored.account_id = accounts.id;
UPDATE accounts SET stored_bytes = stored_bytes + stored.bytes
FROM (SELECT account_id, sum(150 + octet_length(key) + octet_length(outcome)) AS bytes FROM idempotency_keys GROUP BY account_id) AS stored
WHERE stored.account_id = accounts.id;

-- An account's quota: stored_bytes is kept by the triggers at the end of this file. Growing past max_bytes fails the write.
CREATE TRIGGER quota_exceeded BEFORE UPDATE OF stored_bytes ON accounts
WHEN NEW.stored_bytes > NEW.max_bytes AND NEW.stored_bytes > OLD.stored_bytes
BEGIN
  SELECT RAISE(ABORT, 'quota exceeded');
END;

CREATE TRIGGER idea_bank_removed AFTER DELETE ON idea_banks
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account_id)
BEGIN
  INSERT INTO deleted_idea_banks (id, account_id, deleted_at) VALUES (OLD.id, OLD.account_id, unixepoch() * 1000);
END;

-- Triggers raise the changelog's version in the transaction that changes the changelog, for every writer. (SQLite runs no
-- triggers for the rows that INSERT OR REPLACE deletes: write with UPDATE or an upsert.)
-- A new version is at least the current Unix time in milliseconds: a restored backup never reuses a version that a cache may hold.

CREATE TRIGGER changelog_proposal_added AFTER INSERT ON proposals
WHEN NEW.in_changelog = 1
BEGIN
  UPDATE idea_banks SET changelog_version = max(changelog_version + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER))
  WHERE id = NEW.idea_bank_id;
END;

CREATE TRIGGER changelog_proposal_changed
AFTER UPDATE OF idea_bank_id, title, description, status, visibility, duplicate_of, last_activity_at ON proposals
WHEN (OLD.in_changelog = 1 OR NEW.in_changelog = 1) AND (
  OLD.idea_bank_id <> NEW.idea_bank_id OR OLD.title <> NEW.title OR OLD.description <> NEW.description
  OR OLD.in_changelog <> NEW.in_changelog OR OLD.last_activity_at <> NEW.last_activity_at
)
BEGIN
  UPDATE idea_banks SET changelog_version = max(changelog_version + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER))
  WHERE id IN (OLD.idea_bank_id, NEW.idea_bank_id);
END;

CREATE TRIGGER changelog_proposal_removed AFTER DELETE ON proposals
WHEN OLD.in_changelog = 1
BEGIN
  UPDATE idea_banks SET changelog_version = max(changelog_version + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER))
  WHERE id = OLD.idea_bank_id;
END;

CREATE TRIGGER changelog_maximum_changed AFTER UPDATE OF changelog_max_entries ON idea_banks
WHEN OLD.changelog_max_entries <> NEW.changelog_max_entries
BEGIN
  UPDATE idea_banks SET changelog_version = max(changelog_version + 1, CAST(unixepoch('subsec') * 1000 AS INTEGER))
  WHERE id = NEW.id;
END;

-- A comment is activity on its proposal. Deleting one is not, and a vote is not.
CREATE TRIGGER comment_added AFTER INSERT ON comments
BEGIN
  UPDATE proposals SET comments = comments + 1, last_activity_at = max(last_activity_at, NEW.created_at)
  WHERE id = NEW.proposal_id;
END;

CREATE TRIGGER comment_removed AFTER DELETE ON comments
BEGIN
  UPDATE proposals SET comments = comments - 1 WHERE id = OLD.proposal_id;
END;

CREATE TRIGGER vote_added AFTER INSERT ON votes
BEGIN
  UPDATE proposals SET votes = votes + 1 WHERE id = NEW.proposal_id;
END;

CREATE TRIGGER vote_removed AFTER DELETE ON votes
BEGIN
  UPDATE proposals SET votes = votes - 1 WHERE id = OLD.proposal_id;
END;

-- Deactivating a panelist revokes all its tokens. They stay invalid when the panelist is active again.
CREATE TRIGGER panelist_switched_off AFTER UPDATE OF active ON panelists
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
-- Each insert also deletes the account's two oldest rows if they are older than any valid token (90 days): the table stays small.
CREATE TRIGGER revocation_panelist_changed AFTER UPDATE OF active, tokens_revoked_at ON panelists
WHEN OLD.active < NEW.active OR OLD.tokens_revoked_at IS NOT NEW.tokens_revoked_at
BEGIN
  DELETE FROM token_revocations WHERE panelist_id = NEW.id;
  DELETE FROM token_revocations
  WHERE seq IN (SELECT seq FROM token_revocations WHERE account_id = NEW.account_id ORDER BY seq LIMIT 2)
    AND max(recorded_at, revoked_at % 9007199254740991) < (unixepoch() - 91 * 86400) * 1000;
  INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at)
  VALUES (
    NEW.account_id,
    NEW.id,
    iif(NEW.active = 1, coalesce(NEW.tokens_revoked_at, 0), 9007199254740991),
    unixepoch() * 1000
  );
END;

CREATE TRIGGER revocation_panelist_removed AFTER DELETE ON panelists
BEGIN
  DELETE FROM token_revocations WHERE panelist_id = OLD.id;
  DELETE FROM token_revocations
  WHERE seq IN (SELECT seq FROM token_revocations WHERE account_id = OLD.account_id ORDER BY seq LIMIT 2)
    AND max(recorded_at, revoked_at % 9007199254740991) < (unixepoch() - 91 * 86400) * 1000;
  INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at)
  VALUES (OLD.account_id, OLD.id, 9007199254740991, unixepoch() * 1000);
END;

CREATE TRIGGER revocation_account_removed AFTER DELETE ON accounts
BEGIN
  DELETE FROM token_revocations WHERE account_id = OLD.id;
END;

-- An account's stored bytes: the bytes of its texts, plus an estimate for the rest of each row, indexes included. Not counted: votes
-- (small, one for each panelist and proposal), API keys, their usage and the audit trail. So revoking always works.

CREATE TRIGGER quota_surveys_added AFTER INSERT ON surveys BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 150 + octet_length(NEW.title) + octet_length(NEW.description)
  WHERE id = NEW.account_id; END;
CREATE TRIGGER quota_surveys_removed AFTER DELETE ON surveys BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (150 + octet_length(OLD.title) + octet_length(OLD.description))
  WHERE id = OLD.account_id; END;
CREATE TRIGGER quota_surveys_changed AFTER UPDATE OF title, description ON surveys BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (coalesce(octet_length(NEW.title), 0) + coalesce(octet_length(NEW.description), 0))
    - (coalesce(octet_length(OLD.title), 0) + coalesce(octet_length(OLD.description), 0))
  WHERE id = NEW.account_id; END;
CREATE TRIGGER quota_panelists_added AFTER INSERT ON panelists BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 150 + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.display_name), 0)
  WHERE id = NEW.account_id; END;
CREATE TRIGGER quota_panelists_removed AFTER DELETE ON panelists BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (150 + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.display_name), 0))
  WHERE id = OLD.account_id; END;
CREATE TRIGGER quota_panelists_changed AFTER UPDATE OF external_id, display_name ON panelists BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.display_name), 0))
    - (coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.display_name), 0))
  WHERE id = NEW.account_id; END;
CREATE TRIGGER quota_idea_banks_added AFTER INSERT ON idea_banks BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 200 + octet_length(NEW.name)
  WHERE id = NEW.account_id; END;
CREATE TRIGGER quota_idea_banks_removed AFTER DELETE ON idea_banks BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (200 + octet_length(OLD.name))
  WHERE id = OLD.account_id; END;
CREATE TRIGGER quota_idea_banks_changed AFTER UPDATE OF name ON idea_banks BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (coalesce(octet_length(NEW.name), 0))
    - (coalesce(octet_length(OLD.name), 0))
  WHERE id = NEW.account_id; END;
CREATE TRIGGER quota_proposals_added AFTER INSERT ON proposals BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 300 + octet_length(NEW.title) + octet_length(NEW.description) + coalesce(octet_length(NEW.response), 0)
  WHERE id = NEW.account_id; END;
CREATE TRIGGER quota_proposals_removed AFTER DELETE ON proposals BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (300 + octet_length(OLD.title) + octet_length(OLD.description) + coalesce(octet_length(OLD.response), 0))
  WHERE id = OLD.account_id; END;
CREATE TRIGGER quota_proposals_changed AFTER UPDATE OF title, description, response ON proposals BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (coalesce(octet_length(NEW.title), 0) + coalesce(octet_length(NEW.description), 0) + coalesce(octet_length(NEW.response), 0))
    - (coalesce(octet_length(OLD.title), 0) + coalesce(octet_length(OLD.description), 0) + coalesce(octet_length(OLD.response), 0))
  WHERE id = NEW.account_id; END;
CREATE TRIGGER quota_comments_added AFTER INSERT ON comments BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 150 + octet_length(NEW.body)
  WHERE id = NEW.account_id; END;
CREATE TRIGGER quota_comments_removed AFTER DELETE ON comments BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (150 + octet_length(OLD.body))
  WHERE id = OLD.account_id; END;
CREATE TRIGGER quota_comments_changed AFTER UPDATE OF body ON comments BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (coalesce(octet_length(NEW.body), 0))
    - (coalesce(octet_length(OLD.body), 0))
  WHERE id = NEW.account_id; END;
CREATE TRIGGER quota_idempotency_keys_added AFTER INSERT ON idempotency_keys BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 150 + octet_length(NEW.key) + octet_length(NEW.outcome)
  WHERE id = NEW.account_id; END;
CREATE TRIGGER quota_idempotency_keys_removed AFTER DELETE ON idempotency_keys BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (150 + octet_length(OLD.key) + octet_length(OLD.outcome))
  WHERE id = OLD.account_id; END;
