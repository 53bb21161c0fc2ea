-- Members are told of new ideas and comments by e-mail, as each chooses: at once, once a day, or never. Who joins from now on has a day's
-- digest. Who is a member already has no row, and so gets no such e-mail until they choose.
CREATE TABLE IF NOT EXISTS told_members (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  time_zone TEXT,
  hour INTEGER NOT NULL DEFAULT 8,
  told_up_to_now INTEGER NOT NULL,
  told_up_to_daily INTEGER NOT NULL,
  next_digest_at INTEGER NOT NULL,
  PRIMARY KEY (account_id, email)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS told_members_by_digest ON told_members (next_digest_at);

CREATE TABLE IF NOT EXISTS member_mails (
  account_id TEXT NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  idea_bank_id TEXT NOT NULL,
  ideas TEXT,
  ideas_since INTEGER NOT NULL DEFAULT 0,
  comments TEXT,
  comments_since INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (account_id, email, idea_bank_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS member_mails_at_once ON member_mails (account_id, email) WHERE ideas = 'now' OR comments = 'now';
CREATE INDEX IF NOT EXISTS member_mails_by_idea_bank ON member_mails (idea_bank_id) WHERE idea_bank_id <> '';

-- The first digest comes at the next 08:00 UTC: the time zone is not known yet.
CREATE TRIGGER IF NOT EXISTS creator_is_told AFTER INSERT ON accounts
WHEN NEW.owner_email <> NEW.id
BEGIN
  INSERT INTO told_members (account_id, email, told_up_to_now, told_up_to_daily, next_digest_at)
  VALUES (NEW.id, NEW.owner_email, unixepoch() * 1000, unixepoch() * 1000, (CAST((unixepoch() - 28800) / 86400 AS INTEGER) + 1) * 86400000 + 28800000)
  ON CONFLICT DO NOTHING;
  INSERT INTO member_mails (account_id, email, idea_bank_id, ideas, ideas_since, comments, comments_since)
  VALUES (NEW.id, NEW.owner_email, '', 'daily', unixepoch() * 1000, 'daily', unixepoch() * 1000) ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER IF NOT EXISTS member_is_told AFTER INSERT ON members
BEGIN
  INSERT INTO told_members (account_id, email, told_up_to_now, told_up_to_daily, next_digest_at)
  VALUES (NEW.account_id, NEW.email, unixepoch() * 1000, unixepoch() * 1000, (CAST((unixepoch() - 28800) / 86400 AS INTEGER) + 1) * 86400000 + 28800000)
  ON CONFLICT DO NOTHING;
  INSERT INTO member_mails (account_id, email, idea_bank_id, ideas, ideas_since, comments, comments_since)
  VALUES (NEW.account_id, NEW.email, '', 'daily', unixepoch() * 1000, 'daily', unixepoch() * 1000) ON CONFLICT DO NOTHING;
END;

-- What a member has chosen goes with the member, and moves with the address. An account without its creator has its id as owner_email.
CREATE TRIGGER IF NOT EXISTS creator_no_longer_told AFTER UPDATE OF owner_email ON accounts
WHEN NEW.owner_email <> OLD.owner_email
BEGIN
  UPDATE OR REPLACE told_members SET email = NEW.owner_email WHERE account_id = NEW.id AND email = OLD.owner_email AND NEW.owner_email <> NEW.id;
  UPDATE OR REPLACE member_mails SET email = NEW.owner_email WHERE account_id = NEW.id AND email = OLD.owner_email AND NEW.owner_email <> NEW.id;
  DELETE FROM told_members WHERE account_id = NEW.id AND email = OLD.owner_email;
  DELETE FROM member_mails WHERE account_id = NEW.id AND email = OLD.owner_email;
END;

CREATE TRIGGER IF NOT EXISTS member_told_elsewhere AFTER UPDATE OF email ON members
WHEN NEW.email <> OLD.email
BEGIN
  UPDATE OR REPLACE told_members SET email = NEW.email WHERE account_id = NEW.account_id AND email = OLD.email;
  UPDATE OR REPLACE member_mails SET email = NEW.email WHERE account_id = NEW.account_id AND email = OLD.email;
END;

CREATE TRIGGER IF NOT EXISTS member_no_longer_told AFTER DELETE ON members
BEGIN
  DELETE FROM told_members WHERE account_id = OLD.account_id AND email = OLD.email;
  DELETE FROM member_mails WHERE account_id = OLD.account_id AND email = OLD.email;
END;

CREATE TRIGGER IF NOT EXISTS idea_bank_no_longer_told AFTER DELETE ON idea_banks
BEGIN
  DELETE FROM member_mails WHERE idea_bank_id = OLD.id AND idea_bank_id <> '';
END;
