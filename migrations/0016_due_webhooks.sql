-- Webhooks that are due: those that have failed, and those that have not, each in the order of their time.
DROP INDEX webhooks_due;
CREATE INDEX webhooks_due_by_failure ON webhooks (attempts > 0, due_at) WHERE due_at IS NOT NULL;
