-- Comments can wait for approval and be hidden. Home knows which comments each member has seen, which e-mails have failed, and whether a member
-- has said that no page is dark any more. What is added has defaults, so the release before works on.
ALTER TABLE idea_banks ADD COLUMN comment_approval_required INTEGER NOT NULL DEFAULT 0;
ALTER TABLE comments ADD COLUMN visibility TEXT NOT NULL DEFAULT 'public';
ALTER TABLE comments ADD COLUMN shown_at INTEGER;
ALTER TABLE members ADD COLUMN comments_seen_at INTEGER;
ALTER TABLE accounts ADD COLUMN comments_seen_at INTEGER;
ALTER TABLE accounts ADD COLUMN code_renewed_at INTEGER;

-- Tokens that ended before are old news.
UPDATE accounts SET code_renewed_at = tokens_ended_at WHERE tokens_ended_at IS NOT NULL;

CREATE INDEX IF NOT EXISTS outbox_failed ON outbox (account_id, created_at) WHERE unknown + refused > 0;
DROP INDEX comments_by_proposal;
CREATE INDEX IF NOT EXISTS comments_by_visibility ON comments (proposal_id, visibility, created_at, id);
CREATE INDEX IF NOT EXISTS comments_pending ON comments (account_id, created_at, id) WHERE visibility = 'pending';
CREATE INDEX IF NOT EXISTS comments_pending_of_panelist ON comments (proposal_id, panelist_id, created_at, id) WHERE visibility = 'pending';
CREATE INDEX IF NOT EXISTS comments_shown ON comments (proposal_id, shown_at) WHERE shown_at IS NOT NULL;

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

DROP TRIGGER followers_told_of_comment;
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

DROP TRIGGER comment_added;
CREATE TRIGGER IF NOT EXISTS comment_added AFTER INSERT ON comments
WHEN NEW.visibility = 'public'
BEGIN
  UPDATE proposals SET comments = comments + 1,
    last_activity_at = iif(status = 'implemented', last_activity_at, max(last_activity_at, NEW.created_at))
  WHERE id = NEW.proposal_id;
END;

DROP TRIGGER comment_removed;
CREATE TRIGGER IF NOT EXISTS comment_removed AFTER DELETE ON comments
WHEN OLD.visibility = 'public'
BEGIN
  UPDATE proposals SET comments = comments - 1
  WHERE id = OLD.proposal_id AND EXISTS (SELECT 1 FROM idea_banks WHERE id = proposals.idea_bank_id);
END;

DROP TRIGGER log_idea_banks_changed;
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

DROP TRIGGER log_comments_added;
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

DROP TRIGGER log_comments_changed;
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

DROP TRIGGER log_comments_removed;
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
