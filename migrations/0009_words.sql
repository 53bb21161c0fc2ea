-- Proposals are found by the words of their titles. The scheduled job makes those of the titles that are there.

ALTER TABLE proposals ADD COLUMN words TEXT CHECK (json_valid(words));

-- The proposals that have a word in their title, the newest first. Triggers keep it. listed: as of the proposal. No merged ones.
CREATE TABLE proposal_words (
  idea_bank_id TEXT NOT NULL,
  listed INTEGER NOT NULL,
  word TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  proposal_id TEXT NOT NULL,
  PRIMARY KEY (idea_bank_id, listed, word, created_at DESC, proposal_id)
) STRICT, WITHOUT ROWID;

-- For the scheduled job: the titles whose words are not stored yet.
CREATE INDEX proposals_without_words ON proposals (id) WHERE words IS NULL;

CREATE TRIGGER words_added AFTER INSERT ON proposals
WHEN NEW.words IS NOT NULL AND NEW.duplicate_of IS NULL
BEGIN
  INSERT INTO proposal_words (idea_bank_id, listed, word, created_at, proposal_id)
  SELECT NEW.idea_bank_id, NEW.listed, value, NEW.created_at, NEW.id FROM json_each(NEW.words) WHERE true ON CONFLICT DO NOTHING;
END;

-- A proposal that is deleted, or merged, is in no list any more: nor are its words.
CREATE TRIGGER words_changed AFTER UPDATE OF idea_bank_id, visibility, duplicate_of, words ON proposals
WHEN OLD.duplicate_of IS NULL AND (OLD.words IS NOT NEW.words OR OLD.listed <> NEW.listed OR NEW.duplicate_of IS NOT NULL
  OR OLD.idea_bank_id <> NEW.idea_bank_id)
BEGIN
  DELETE FROM proposal_words WHERE idea_bank_id = OLD.idea_bank_id AND listed = OLD.listed AND created_at = OLD.created_at AND proposal_id = OLD.id
    AND word IN (SELECT value FROM json_each(OLD.words)
      WHERE OLD.listed <> NEW.listed OR NEW.duplicate_of IS NOT NULL OR OLD.idea_bank_id <> NEW.idea_bank_id
        OR NEW.words IS NULL OR value NOT IN (SELECT value FROM json_each(NEW.words)));
  INSERT INTO proposal_words (idea_bank_id, listed, word, created_at, proposal_id)
  SELECT NEW.idea_bank_id, NEW.listed, value, NEW.created_at, NEW.id FROM json_each(NEW.words)
  WHERE NEW.duplicate_of IS NULL AND NEW.idea_bank_id <> NEW.id ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER words_removed AFTER DELETE ON proposals
WHEN OLD.words IS NOT NULL AND OLD.duplicate_of IS NULL AND OLD.idea_bank_id <> OLD.id
BEGIN
  DELETE FROM proposal_words WHERE idea_bank_id = OLD.idea_bank_id AND listed = OLD.listed AND created_at = OLD.created_at AND proposal_id = OLD.id
    AND word IN (SELECT value FROM json_each(OLD.words));
END;

-- Who changes a title and not its words knows nothing of words: the scheduled job makes them.
CREATE TRIGGER words_outdated AFTER UPDATE OF title ON proposals
WHEN OLD.title <> NEW.title AND OLD.words = NEW.words
BEGIN
  UPDATE proposals SET words = NULL WHERE id = NEW.id;
END;

DROP TRIGGER quota_proposals_added;
CREATE TRIGGER quota_proposals_added AFTER INSERT ON proposals BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 700 + octet_length(NEW.title) + octet_length(NEW.description) + coalesce(octet_length(NEW.response), 0)
  WHERE id = NEW.account_id; END;
DROP TRIGGER quota_proposals_removed;
CREATE TRIGGER quota_proposals_removed AFTER DELETE ON proposals BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (700 + octet_length(OLD.title) + octet_length(OLD.description) + coalesce(octet_length(OLD.response), 0))
  WHERE id = OLD.account_id; END;

-- The words of the proposals that are there count, too. An account can be over its maximum then: it reads, shortens, deletes and revokes.
DROP TRIGGER quota_exceeded;
UPDATE accounts SET stored_bytes = stored_bytes + 400 * p.proposals
FROM (SELECT account_id, count(*) AS proposals FROM proposals GROUP BY account_id) p WHERE p.account_id = accounts.id;
CREATE TRIGGER quota_exceeded BEFORE UPDATE OF stored_bytes ON accounts
WHEN NEW.stored_bytes + 128 * NEW.counted_votes > NEW.max_bytes AND NEW.stored_bytes > OLD.stored_bytes
BEGIN
  SELECT RAISE(ABORT, 'quota exceeded');
END;
