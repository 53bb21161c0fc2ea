CREATE TABLE IF NOT EXISTS invited (
  email TEXT NOT NULL,
  account_id TEXT NOT NULL,
  invited_at INTEGER NOT NULL,
  PRIMARY KEY (email, account_id)
) STRICT, WITHOUT ROWID;
INSERT INTO invited (email, account_id, invited_at)
SELECT email, account_id, CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM invitees;
CREATE INDEX IF NOT EXISTS invited_by_time ON invited (email, invited_at, account_id);
CREATE INDEX IF NOT EXISTS invited_by_age ON invited (invited_at);
CREATE INDEX IF NOT EXISTS invitations_by_creation ON invitations (created_at);
CREATE TRIGGER IF NOT EXISTS invited_added AFTER INSERT ON invited BEGIN
  INSERT INTO invitees (email, account_id) SELECT NEW.email, NEW.account_id
  WHERE NOT EXISTS (SELECT 1 FROM invitees WHERE email = NEW.email AND account_id = NEW.account_id); END;
CREATE TRIGGER IF NOT EXISTS invited_removed AFTER DELETE ON invited BEGIN
  DELETE FROM invitees WHERE email = OLD.email AND account_id = OLD.account_id; END;
CREATE TRIGGER IF NOT EXISTS invitee_added AFTER INSERT ON invitees BEGIN
  INSERT INTO invited (email, account_id, invited_at) SELECT NEW.email, NEW.account_id, CAST(unixepoch('subsec') * 1000 AS INTEGER)
  WHERE NOT EXISTS (SELECT 1 FROM invited WHERE email = NEW.email AND account_id = NEW.account_id); END;
CREATE TRIGGER IF NOT EXISTS invitee_removed AFTER DELETE ON invitees BEGIN
  DELETE FROM invited WHERE email = OLD.email AND account_id = OLD.account_id; END;
