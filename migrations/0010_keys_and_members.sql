-- API keys can be paused, and limited to addresses. The audit trail says what a change was.
ALTER TABLE api_keys ADD COLUMN paused_at INTEGER;
ALTER TABLE api_keys ADD COLUMN allowed_addresses TEXT CHECK (json_valid(allowed_addresses));
ALTER TABLE audit_events ADD COLUMN changes TEXT CHECK (json_valid(changes));
