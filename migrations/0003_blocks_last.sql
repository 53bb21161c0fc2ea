-- A block does not end by itself: the row that refuses an inactive panelist stays.
CREATE INDEX token_revocations_by_age ON token_revocations (recorded_at);

DROP TRIGGER revocation_panelist_changed;
CREATE TRIGGER revocation_panelist_changed AFTER UPDATE OF active, tokens_revoked_at ON panelists
WHEN OLD.active < NEW.active OR OLD.tokens_revoked_at IS NOT NEW.tokens_revoked_at
BEGIN
  DELETE FROM token_revocations WHERE panelist_id = NEW.id;
  INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at)
  VALUES (
    NEW.account_id,
    NEW.id,
    iif(NEW.active = 1, coalesce(NEW.tokens_revoked_at, 0), 9007199254740991),
    unixepoch() * 1000 + iif(NEW.active = 1, 0, 4503599627370496)
  );
END;

DROP TRIGGER revocation_panelist_added;
CREATE TRIGGER revocation_panelist_added AFTER INSERT ON panelists
WHEN (NEW.active = 0 AND NEW.tokens_issued = 1 AND NEW.tokens_revoked_at IS NULL)
  OR EXISTS (SELECT 1 FROM token_revocations WHERE panelist_id = NEW.id)
BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - 100
  WHERE id = NEW.account_id AND EXISTS (SELECT 1 FROM token_revocations WHERE panelist_id = NEW.id);
  UPDATE panelists
  SET active = NEW.active AND NOT EXISTS (
      SELECT 1 FROM token_revocations WHERE panelist_id = NEW.id AND revoked_at = 9007199254740991),
    tokens_revoked_at = max(
      coalesce((SELECT revoked_at FROM token_revocations WHERE panelist_id = NEW.id AND revoked_at < 9007199254740991), 0),
      iif(NEW.active = 0, CAST(unixepoch('subsec') * 1000 AS INTEGER), 0)
    )
  WHERE id = NEW.id;
END;

-- 1.0.0 deleted such rows 91 days after the block. Its job, which runs again after a rollback, leaves these alone.
UPDATE token_revocations SET recorded_at = recorded_at + 4503599627370496
WHERE revoked_at = 9007199254740991 AND recorded_at < 4503599627370496;
INSERT INTO token_revocations (account_id, panelist_id, revoked_at, recorded_at)
SELECT account_id, id, 9007199254740991, unixepoch() * 1000 + 4503599627370496 FROM panelists
WHERE active = 0 AND id NOT IN (SELECT panelist_id FROM token_revocations);
