-- What a panelist wrote stays readable for the team after it was put into the team's words for the changelog.
ALTER TABLE proposals ADD COLUMN submitted TEXT CHECK (json_valid(submitted));
DROP TRIGGER quota_proposals_added;
CREATE TRIGGER quota_proposals_added AFTER INSERT ON proposals BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 700 + octet_length(NEW.title) + octet_length(NEW.description) + coalesce(octet_length(NEW.response), 0)
    + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.metadata), 0) + coalesce(octet_length(NEW.tags) + 100 * json_array_length(NEW.tags), 0) + coalesce(octet_length(NEW.submitted), 0)
  WHERE id = NEW.account_id; END;
DROP TRIGGER quota_proposals_removed;
CREATE TRIGGER quota_proposals_removed AFTER DELETE ON proposals BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (700 + octet_length(OLD.title) + octet_length(OLD.description) + coalesce(octet_length(OLD.response), 0)
    + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.metadata), 0) + coalesce(octet_length(OLD.tags) + 100 * json_array_length(OLD.tags), 0) + coalesce(octet_length(OLD.submitted), 0))
  WHERE id = OLD.account_id; END;
DROP TRIGGER quota_proposals_changed;
CREATE TRIGGER quota_proposals_changed AFTER UPDATE OF title, description, response, external_id, metadata, tags, submitted ON proposals
WHEN OLD.title IS NOT NEW.title OR OLD.description IS NOT NEW.description OR OLD.response IS NOT NEW.response
  OR OLD.external_id IS NOT NEW.external_id OR OLD.metadata IS NOT NEW.metadata OR OLD.tags IS NOT NEW.tags OR OLD.submitted IS NOT NEW.submitted
BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (coalesce(octet_length(NEW.title), 0) + coalesce(octet_length(NEW.description), 0) + coalesce(octet_length(NEW.response), 0)
      + coalesce(octet_length(NEW.external_id), 0) + coalesce(octet_length(NEW.metadata), 0) + coalesce(octet_length(NEW.tags) + 100 * json_array_length(NEW.tags), 0) + coalesce(octet_length(NEW.submitted), 0))
    - (coalesce(octet_length(OLD.title), 0) + coalesce(octet_length(OLD.description), 0) + coalesce(octet_length(OLD.response), 0)
      + coalesce(octet_length(OLD.external_id), 0) + coalesce(octet_length(OLD.metadata), 0) + coalesce(octet_length(OLD.tags) + 100 * json_array_length(OLD.tags), 0) + coalesce(octet_length(OLD.submitted), 0))
  WHERE id = NEW.account_id; END;
