-- What an owner's Idempotency-Keys keep is no part of the quota: with a full account keys and webhooks can be rotated.
DROP TRIGGER quota_idempotency_keys_added;
DROP TRIGGER quota_idempotency_keys_removed;
UPDATE accounts SET stored_bytes = stored_bytes - (
  SELECT coalesce(sum(150 + octet_length(key) + octet_length(outcome)), 0) FROM idempotency_keys
  WHERE account_id = accounts.id AND key >= 'account ' AND key < 'account!');
CREATE TRIGGER quota_idempotency_keys_added AFTER INSERT ON idempotency_keys
WHEN NEW.key NOT GLOB 'account *' BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 150 + octet_length(NEW.key) + octet_length(NEW.outcome)
  WHERE id = NEW.account_id; END;
CREATE TRIGGER quota_idempotency_keys_removed AFTER DELETE ON idempotency_keys
WHEN OLD.key NOT GLOB 'account *' BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (150 + octet_length(OLD.key) + octet_length(OLD.outcome))
  WHERE id = OLD.account_id; END;
