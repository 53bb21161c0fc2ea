-- Where a key's gate is made: a Durable Object location hint, chosen by the owner. NULL is where the key is first used.
ALTER TABLE api_keys ADD COLUMN region TEXT;
