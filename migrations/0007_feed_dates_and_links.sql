-- An idea bank has an address, and an implemented proposal the time at which it entered the changelog: both are for feeds.
ALTER TABLE idea_banks ADD COLUMN url TEXT;
ALTER TABLE proposals ADD COLUMN published_at INTEGER;

DROP TRIGGER IF EXISTS quota_idea_banks_added;
CREATE TRIGGER IF NOT EXISTS quota_idea_banks_added AFTER INSERT ON idea_banks BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 200 + octet_length(NEW.name) + coalesce(octet_length(NEW.url), 0)
  WHERE id = NEW.account_id; END;

DROP TRIGGER IF EXISTS quota_idea_banks_removed;
CREATE TRIGGER IF NOT EXISTS quota_idea_banks_removed AFTER DELETE ON idea_banks BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (200 + octet_length(OLD.name) + coalesce(octet_length(OLD.url), 0))
  WHERE id = OLD.account_id; END;

DROP TRIGGER IF EXISTS quota_idea_banks_changed;
CREATE TRIGGER IF NOT EXISTS quota_idea_banks_changed AFTER UPDATE OF name, url ON idea_banks BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (coalesce(octet_length(NEW.name), 0) + coalesce(octet_length(NEW.url), 0))
    - (coalesce(octet_length(OLD.name), 0) + coalesce(octet_length(OLD.url), 0))
  WHERE id = NEW.account_id; END;

DROP TRIGGER IF EXISTS log_idea_banks_changed;
CREATE TRIGGER IF NOT EXISTS log_idea_banks_changed
AFTER UPDATE OF name, status, internal, changelog_enabled, changelog_max_entries, submissions_enabled,
  voting_enabled, comments_enabled, approval_required, url ON idea_banks
WHEN
  OLD.name IS NOT NEW.name OR OLD.status IS NOT NEW.status OR OLD.internal IS NOT NEW.internal
  OR OLD.changelog_enabled IS NOT NEW.changelog_enabled OR OLD.changelog_max_entries IS NOT NEW.changelog_max_entries
  OR OLD.submissions_enabled IS NOT NEW.submissions_enabled OR OLD.voting_enabled IS NOT NEW.voting_enabled
  OR OLD.comments_enabled IS NOT NEW.comments_enabled OR OLD.approval_required IS NOT NEW.approval_required OR OLD.url IS NOT NEW.url
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'ideabank.updated', NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a WHERE a.id = NEW.account_id; END;
