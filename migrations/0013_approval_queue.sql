-- What waits for approval in all idea banks of an account, for its owner.
CREATE INDEX proposals_pending ON proposals (account_id, created_at, id) WHERE visibility = 'pending' AND duplicate_of IS NULL;
