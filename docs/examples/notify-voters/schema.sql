CREATE TABLE IF NOT EXISTS told (proposal_id TEXT NOT NULL, panelist_id TEXT NOT NULL, PRIMARY KEY (proposal_id, panelist_id)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS unsubscribed (panelist_id TEXT PRIMARY KEY) WITHOUT ROWID;
