-- Searches find words of descriptions, parts of words and misspelled ones, and long titles in scripts without spaces. What is stored already
-- is found as before, until the scheduled job has written its terms. The release before goes on writing `words` alone.
ALTER TABLE proposals ADD COLUMN title_terms TEXT CHECK (json_valid(title_terms));
ALTER TABLE proposals ADD COLUMN text_terms TEXT CHECK (json_valid(text_terms));
ALTER TABLE proposals ADD COLUMN indexed INTEGER;
ALTER TABLE proposals ADD COLUMN terms TEXT GENERATED ALWAYS AS (coalesce(words, '') || coalesce(title_terms, '') || coalesce(text_terms, '')) VIRTUAL;

-- What the release before has written or edited, and has fewer terms than it could have: the scheduled job writes them.
CREATE INDEX IF NOT EXISTS proposals_unindexed ON proposals (id) WHERE indexed IS NULL AND duplicate_of IS NULL;

-- The other terms of titles, and those of descriptions, in the same way.
CREATE TABLE IF NOT EXISTS proposal_terms (
  idea_bank_id TEXT NOT NULL,
  listed INTEGER NOT NULL,
  term TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  proposal_id TEXT NOT NULL,
  PRIMARY KEY (idea_bank_id, listed, term, created_at DESC, proposal_id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS terms_added AFTER INSERT ON proposals
WHEN coalesce(NEW.title_terms, NEW.text_terms) IS NOT NULL AND NEW.duplicate_of IS NULL
BEGIN
  INSERT INTO proposal_terms (idea_bank_id, listed, term, created_at, proposal_id)
  SELECT NEW.idea_bank_id, NEW.listed, value, NEW.created_at, NEW.id
  FROM (SELECT value FROM json_each(NEW.title_terms) UNION ALL SELECT value FROM json_each(NEW.text_terms)) WHERE true ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER IF NOT EXISTS terms_changed AFTER UPDATE OF idea_bank_id, visibility, duplicate_of, title_terms, text_terms ON proposals
WHEN OLD.duplicate_of IS NULL AND (OLD.title_terms IS NOT NEW.title_terms OR OLD.text_terms IS NOT NEW.text_terms
  OR OLD.listed <> NEW.listed OR NEW.duplicate_of IS NOT NULL OR OLD.idea_bank_id <> NEW.idea_bank_id)
BEGIN
  DELETE FROM proposal_terms WHERE idea_bank_id = OLD.idea_bank_id AND listed = OLD.listed AND created_at = OLD.created_at AND proposal_id = OLD.id
    AND term IN (SELECT value FROM json_each(OLD.title_terms) UNION ALL SELECT value FROM json_each(OLD.text_terms)
      EXCEPT SELECT value FROM (SELECT value FROM json_each(NEW.title_terms) UNION ALL SELECT value FROM json_each(NEW.text_terms))
      WHERE OLD.listed = NEW.listed AND NEW.duplicate_of IS NULL AND OLD.idea_bank_id = NEW.idea_bank_id);
  INSERT INTO proposal_terms (idea_bank_id, listed, term, created_at, proposal_id)
  SELECT NEW.idea_bank_id, NEW.listed, value, NEW.created_at, NEW.id
  FROM (SELECT value FROM json_each(NEW.title_terms) UNION ALL SELECT value FROM json_each(NEW.text_terms))
  WHERE NEW.duplicate_of IS NULL AND NEW.idea_bank_id <> NEW.id ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER IF NOT EXISTS terms_removed AFTER DELETE ON proposals
WHEN OLD.duplicate_of IS NULL AND OLD.idea_bank_id <> OLD.id
BEGIN
  DELETE FROM proposal_terms WHERE idea_bank_id = OLD.idea_bank_id AND listed = OLD.listed AND created_at = OLD.created_at AND proposal_id = OLD.id
    AND term IN (SELECT value FROM json_each(OLD.title_terms) UNION ALL SELECT value FROM json_each(OLD.text_terms));
END;

-- The release before edits texts, and does not know all of their terms.
CREATE TRIGGER IF NOT EXISTS terms_stale AFTER UPDATE OF title, description ON proposals
WHEN NEW.indexed IS NOT NULL AND NEW.indexed = OLD.indexed AND (OLD.title <> NEW.title OR OLD.description <> NEW.description)
BEGIN
  UPDATE proposals SET indexed = NULL WHERE id = NEW.id;
END;
