-- Merges that move votes, and deletions in slices; votes count in the quota; a panelist's comment on an implemented proposal is no
-- activity. The previous release runs on this: what it merges is finished by the scheduled job, and its deletions cascade as before.

ALTER TABLE accounts ADD COLUMN counted_votes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE panelists ADD COLUMN deleted_at INTEGER;
CREATE INDEX deleted_idea_banks_by_time ON deleted_idea_banks (deleted_at);
CREATE INDEX panelists_deleted ON panelists (deleted_at) WHERE deleted_at IS NOT NULL;

CREATE INDEX proposals_mine ON proposals (author_id, idea_bank_id, status, created_at, id)
  WHERE duplicate_of IS NULL AND visibility <> 'hidden' AND author_id IS NOT NULL;

CREATE INDEX proposals_merged ON proposals (idea_bank_id) WHERE duplicate_of IS NOT NULL;

CREATE TRIGGER proposal_deleted AFTER UPDATE OF idea_bank_id ON proposals
WHEN NEW.idea_bank_id = NEW.id
BEGIN
  INSERT INTO deleted_idea_banks (id, account_id, deleted_at) VALUES (NEW.id, NEW.account_id, unixepoch() * 1000);
END;

CREATE TABLE merges (
  source_id TEXT PRIMARY KEY REFERENCES proposals (id) ON DELETE CASCADE,
  target_id TEXT NOT NULL REFERENCES proposals (id) ON DELETE CASCADE,
  account_id TEXT NOT NULL,
  idea_bank_id TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX merges_by_target ON merges (target_id);
CREATE INDEX merges_by_idea_bank ON merges (idea_bank_id);

-- What was merged before has copied its votes. The scheduled job takes the ones away that the target has, too.
INSERT INTO merges (source_id, target_id, account_id, idea_bank_id)
SELECT id, duplicate_of, account_id, idea_bank_id FROM proposals WHERE duplicate_of IS NOT NULL AND votes > 0;

CREATE TRIGGER proposal_merged AFTER UPDATE OF duplicate_of ON proposals
WHEN OLD.duplicate_of IS NULL AND NEW.duplicate_of IS NOT NULL
BEGIN
  UPDATE merges SET target_id = NEW.duplicate_of WHERE target_id = NEW.id;
  INSERT INTO merges (source_id, target_id, account_id, idea_bank_id)
  VALUES (NEW.id, NEW.duplicate_of, NEW.account_id, NEW.idea_bank_id);
END;

CREATE TRIGGER vote_moved AFTER UPDATE OF proposal_id ON votes
BEGIN
  UPDATE proposals SET votes = votes - 1 WHERE id = OLD.proposal_id;
  UPDATE proposals SET votes = votes + 1 WHERE id = NEW.proposal_id;
END;

DROP TRIGGER idea_bank_removed;
CREATE TRIGGER idea_bank_removed AFTER DELETE ON idea_banks
WHEN EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account_id)
BEGIN
  INSERT INTO deleted_idea_banks (id, account_id, deleted_at) VALUES (OLD.id, OLD.account_id, unixepoch() * 1000);
  DELETE FROM merges WHERE idea_bank_id = OLD.id;
END;

DROP TRIGGER comment_added;
CREATE TRIGGER comment_added AFTER INSERT ON comments
BEGIN
  UPDATE proposals SET comments = comments + 1, last_activity_at = iif(
    status = 'implemented' AND NEW.by_tenant = 0, last_activity_at, max(last_activity_at, NEW.created_at)
  )
  WHERE id = NEW.proposal_id;
END;

UPDATE accounts SET counted_votes = n.counted
FROM (SELECT account_id, sum(votes / 16 * 16) AS counted FROM proposals WHERE votes > 15 GROUP BY account_id) n
WHERE n.account_id = accounts.id;

DROP TRIGGER quota_exceeded;
CREATE TRIGGER quota_exceeded BEFORE UPDATE OF stored_bytes ON accounts
WHEN NEW.stored_bytes + 128 * NEW.counted_votes > NEW.max_bytes AND NEW.stored_bytes > OLD.stored_bytes
BEGIN
  SELECT RAISE(ABORT, 'quota exceeded');
END;

CREATE TRIGGER quota_votes_changed AFTER UPDATE OF votes ON proposals
WHEN OLD.votes / 16 <> NEW.votes / 16 BEGIN
  UPDATE accounts SET counted_votes = counted_votes + (NEW.votes / 16 - OLD.votes / 16) * 16 WHERE id = NEW.account_id; END;
CREATE TRIGGER quota_votes_removed AFTER DELETE ON proposals
WHEN OLD.votes > 15 BEGIN
  UPDATE accounts SET counted_votes = counted_votes - OLD.votes / 16 * 16 WHERE id = OLD.account_id; END;
CREATE TRIGGER quota_votes_exceeded AFTER INSERT ON votes BEGIN
  SELECT RAISE(ABORT, 'quota exceeded') FROM accounts
  WHERE id = NEW.account_id AND stored_bytes + 128 * counted_votes >= max_bytes; END;
