-- What is in a deleted idea bank or proposal is neither counted nor logged one by one.

DROP TRIGGER IF EXISTS comment_removed;
CREATE TRIGGER IF NOT EXISTS comment_removed AFTER DELETE ON comments
BEGIN
  UPDATE proposals SET comments = comments - 1
  WHERE id = OLD.proposal_id AND EXISTS (SELECT 1 FROM idea_banks WHERE id = proposals.idea_bank_id);
END;

DROP TRIGGER IF EXISTS vote_removed;
CREATE TRIGGER IF NOT EXISTS vote_removed AFTER DELETE ON votes
BEGIN
  UPDATE proposals SET votes = votes - 1
  WHERE id = OLD.proposal_id AND EXISTS (SELECT 1 FROM idea_banks WHERE id = proposals.idea_bank_id);
END;

DROP TRIGGER IF EXISTS log_proposals_changed;
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

DROP TRIGGER IF EXISTS log_proposals_removed;
CREATE TRIGGER IF NOT EXISTS log_proposals_removed AFTER DELETE ON proposals
WHEN EXISTS (SELECT 1 FROM idea_banks WHERE id = OLD.idea_bank_id)
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'proposal.deleted', OLD.idea_bank_id, OLD.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a
  WHERE a.id = OLD.account_id; END;

DROP TRIGGER IF EXISTS log_comments_removed;
CREATE TRIGGER IF NOT EXISTS log_comments_removed AFTER DELETE ON comments
WHEN 'comment.deleted' || OLD.id IS NOT (
  SELECT type || comment_id FROM change_log WHERE account_id = OLD.account_id ORDER BY number DESC LIMIT 1)
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, proposal_id, comment_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'comment.deleted', b.id, p.id, OLD.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a JOIN proposals p ON p.id = OLD.proposal_id JOIN idea_banks b ON b.id = p.idea_bank_id
  WHERE a.id = OLD.account_id; END;
