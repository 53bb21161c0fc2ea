-- Whose words an event holds, so that they go with their author; and a version of all changelogs of an account, so that what somebody wrote
-- is hidden at once.
ALTER TABLE audit_events ADD COLUMN author_id TEXT;
ALTER TABLE accounts ADD COLUMN changelog_epoch INTEGER NOT NULL DEFAULT 0;

-- Of the events that there are: those about what still exists.
UPDATE audit_events SET author_id = coalesce((SELECT author_id FROM proposals WHERE id = subject_id),
    (SELECT p.author_id FROM comments c JOIN proposals p ON p.id = c.proposal_id WHERE c.id = subject_id))
WHERE event GLOB 'proposal-*' OR event GLOB 'comment-*';
UPDATE audit_events SET changes = json_set(changes, '$.each', (
    SELECT json_group_array(json_set(value, '$[2]', '')) FROM json_each(changes, '$.each')))
WHERE event = 'proposals-changed' AND changes IS NOT NULL;
CREATE INDEX audit_events_by_author ON audit_events (author_id) WHERE author_id IS NOT NULL;

CREATE TRIGGER changelog_author_hidden AFTER UPDATE OF deletes_content ON panelists
WHEN OLD.deletes_content <> NEW.deletes_content
BEGIN
  UPDATE accounts SET changelog_epoch = changelog_epoch + 1 WHERE id = NEW.account_id;
END;
DROP TRIGGER act_of_key_logged;
CREATE TRIGGER act_of_key_logged AFTER INSERT ON change_log
WHEN NEW.actor = 'tenant' AND NEW.type IN ('ideabank.deleted', 'proposal.deleted', 'proposal.merged', 'comment.deleted', 'panelist.deleted', 'survey.deleted')
  AND EXISTS (SELECT 1 FROM acting_keys WHERE account_id = NEW.account_id)
BEGIN
  INSERT INTO audit_events (id, account_id, event, api_key_id, api_key_name, author_id, created_at, subject_id, idea_bank_id, changes)
  SELECT substr(NEW.account_id, 1, 1) || substr(hex(randomblob(6)), 2), NEW.account_id, iif(NEW.type = 'proposal.merged', 'proposal-changed', replace(NEW.type, '.', '-')), k.api_key_id, coalesce((SELECT title FROM proposals WHERE id = NEW.proposal_id), ''), (SELECT author_id FROM proposals WHERE id = NEW.proposal_id),
    CAST(unixepoch('subsec') * 1000 AS INTEGER), coalesce(NEW.comment_id, NEW.proposal_id, NEW.panelist_id, NEW.survey_id, NEW.idea_bank_id), iif(NEW.proposal_id IS NULL, NULL, NEW.idea_bank_id), iif(NEW.type = 'proposal.merged', json_object('before', json_object('duplicateOf', NULL), 'after',
      json_object('duplicateOf', (SELECT duplicate_of FROM proposals WHERE id = NEW.proposal_id))), NULL)
  FROM acting_keys k WHERE k.account_id = NEW.account_id AND 100 > (SELECT count(*) FROM (
    SELECT 1 FROM audit_events e WHERE e.account_id = NEW.account_id AND e.api_key_id = k.api_key_id
      AND e.created_at > unixepoch() * 1000 - 3600000 AND e.event = iif(NEW.type = 'proposal.merged', 'proposal-changed', replace(NEW.type, '.', '-')) LIMIT 100));
END;
