-- What happened to one API key, for its owner.
CREATE INDEX audit_events_by_key ON audit_events (account_id, api_key_id, created_at, id) WHERE api_key_id IS NOT NULL;
