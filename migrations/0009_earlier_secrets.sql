ALTER TABLE idea_banks ADD COLUMN signing_older TEXT CHECK (json_valid(signing_older));
ALTER TABLE webhooks ADD COLUMN older_secrets TEXT CHECK (json_valid(older_secrets));
