-- A list of panelists passes over none that are deleted. (The references to accounts are found by the externalId's index.)
DROP INDEX panelists_by_account;
CREATE INDEX panelists_by_creation ON panelists (account_id, created_at, id) WHERE deleted_at IS NULL;
