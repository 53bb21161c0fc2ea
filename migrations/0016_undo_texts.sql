-- What a decision has changed of a proposal's texts, or a comment, in whole, for Undo: the activity has only beginnings, and of panelists'
-- comments nothing. The job deletes it minutes later. NULL: it was not there.
CREATE TABLE undo_texts (
  event_id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  before TEXT CHECK (json_valid(before)),
  after TEXT CHECK (json_valid(after)),
  created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX undo_texts_by_creation ON undo_texts (created_at);
