-- A leaked secret of any kind is found by itself: a webhook's by its first characters, a signing secret by its hash.
CREATE INDEX webhooks_by_secret ON webhooks (substr(secret, 1, 14));
CREATE INDEX webhooks_by_previous_secret ON webhooks (substr(previous_secret, 1, 14)) WHERE previous_secret IS NOT NULL;

CREATE TABLE signing_secrets (
  hash TEXT PRIMARY KEY,
  account_id TEXT NOT NULL,
  idea_bank_id TEXT NOT NULL REFERENCES idea_banks (id) ON DELETE CASCADE,
  account_epoch INTEGER NOT NULL,
  epoch INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX signing_secrets_by_idea_bank ON signing_secrets (idea_bank_id);
