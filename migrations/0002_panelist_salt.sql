-- The salt of an account's panelist identifiers. Accounts from before have none, and their panelists keep their identifiers.
ALTER TABLE accounts ADD COLUMN panelist_salt TEXT;
