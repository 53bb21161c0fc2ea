-- Members have a name and a role. Who is a member already, or is invited, is an admin: that is what they were promised. The release before,
-- which knows no roles, adds admins too. service_token_roles: of scripts with fewer rights than their member, by Client ID, a JSON list.
ALTER TABLE accounts ADD COLUMN owner_name TEXT;
ALTER TABLE accounts ADD COLUMN owner_role TEXT NOT NULL DEFAULT 'admin';
ALTER TABLE accounts ADD COLUMN viewers_export INTEGER NOT NULL DEFAULT 0;
ALTER TABLE accounts ADD COLUMN service_token_roles TEXT NOT NULL DEFAULT '[]';
ALTER TABLE members ADD COLUMN name TEXT;
ALTER TABLE members ADD COLUMN role TEXT NOT NULL DEFAULT 'admin';
ALTER TABLE invitations ADD COLUMN role TEXT NOT NULL DEFAULT 'admin';

CREATE TRIGGER IF NOT EXISTS creator_role_added BEFORE INSERT ON accounts
WHEN NEW.owner_role NOT IN ('admin', 'member', 'viewer')
BEGIN
  SELECT RAISE(ABORT, 'unknown owner_role of accounts');
END;

CREATE TRIGGER IF NOT EXISTS creator_role_changed BEFORE UPDATE OF owner_role ON accounts
WHEN NEW.owner_role NOT IN ('admin', 'member', 'viewer')
BEGIN
  SELECT RAISE(ABORT, 'unknown owner_role of accounts');
END;

CREATE TRIGGER IF NOT EXISTS member_role_added BEFORE INSERT ON members
WHEN NEW.role NOT IN ('admin', 'member', 'viewer')
BEGIN
  SELECT RAISE(ABORT, 'unknown role of members');
END;

CREATE TRIGGER IF NOT EXISTS member_role_changed BEFORE UPDATE OF role ON members
WHEN NEW.role NOT IN ('admin', 'member', 'viewer')
BEGIN
  SELECT RAISE(ABORT, 'unknown role of members');
END;

CREATE TRIGGER IF NOT EXISTS invitation_role_added BEFORE INSERT ON invitations
WHEN NEW.role NOT IN ('admin', 'member', 'viewer')
BEGIN
  SELECT RAISE(ABORT, 'unknown role of invitations');
END;

CREATE TRIGGER IF NOT EXISTS invitation_role_changed BEFORE UPDATE OF role ON invitations
WHEN NEW.role NOT IN ('admin', 'member', 'viewer')
BEGIN
  SELECT RAISE(ABORT, 'unknown role of invitations');
END;
