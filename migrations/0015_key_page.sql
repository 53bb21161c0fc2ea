-- Who uses a key, and what for: its last requests, and the answers by operation.
ALTER TABLE api_keys ADD COLUMN seen TEXT CHECK (json_valid(seen));
ALTER TABLE api_key_usage ADD COLUMN operations TEXT CHECK (json_valid(operations));

CREATE TRIGGER IF NOT EXISTS api_key_seen_ends AFTER DELETE ON api_key_usage
WHEN NOT EXISTS (SELECT 1 FROM api_key_usage WHERE api_key_id = OLD.api_key_id)
BEGIN
  UPDATE api_keys SET seen = NULL WHERE id = OLD.api_key_id AND seen IS NOT NULL;
END;
