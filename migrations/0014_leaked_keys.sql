-- A key that was found in public is ended at once, or only marked.
ALTER TABLE api_keys ADD COLUMN leaked_at INTEGER;
ALTER TABLE accounts ADD COLUMN marks_leaked_keys INTEGER NOT NULL DEFAULT 0 CHECK (marks_leaked_keys IN (0, 1));
