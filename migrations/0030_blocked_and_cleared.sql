-- Everything that a person has written can be deleted while the person stays, blocked: deleting the person would lift the block.
ALTER TABLE panelists ADD COLUMN cleared_at INTEGER;

CREATE INDEX IF NOT EXISTS panelists_cleared ON panelists (cleared_at) WHERE deletes_content = 1 AND deleted_at IS NULL;

CREATE TRIGGER IF NOT EXISTS follows_of_cleared_person AFTER UPDATE OF cleared_at ON panelists
BEGIN
  DELETE FROM follows WHERE panelist_id = NEW.id;
END;
