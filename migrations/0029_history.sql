-- The member who decides about ideas in the present transaction: the decision makes the row, and deletes it again.
CREATE TABLE IF NOT EXISTS acting_members (
  account_id TEXT PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
  member_id TEXT,
  actor TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The history of a proposal: what changed, when, and by whom. The triggers below write it in the transaction of the change, so no statement
-- can forget it. number: 1, 2, 3, … in each proposal. The newest 200 stay.
-- changes: a JSON object, [before, after] of each field that differs. []: words of somebody who was deleted. `created` has the time that the
-- proposal says, `merged` the proposal that was merged into this one.
-- Who: a member (actor: the address or the service token then), an API key, or by_author the panelist who wrote the proposal. Else nobody: the
-- service itself.
-- author_id: the proposal's author, where the step has words that may be the author's. NULL once that person is deleted.
-- cut_bytes: how much went from changes 20 steps later. Then long texts are only their beginnings.
CREATE TABLE IF NOT EXISTS proposal_steps (
  proposal_id TEXT NOT NULL,
  number INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  made_at INTEGER NOT NULL,
  changes TEXT NOT NULL CHECK (json_valid(changes)),
  member_id TEXT,
  actor TEXT,
  api_key_id TEXT,
  by_author INTEGER NOT NULL DEFAULT 0 CHECK (by_author IN (0, 1)),
  author_id TEXT,
  cut_bytes INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (proposal_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS proposal_steps_by_author ON proposal_steps (author_id) WHERE author_id IS NOT NULL;

-- Before, so that the row of acting_keys still says who acts: the log of changes writes its entry after. What the author writes several times
-- in a row is one step, so that nobody fills an account by editing. A field is one line of the list, and one name in the first line.
CREATE TRIGGER IF NOT EXISTS step_of_change BEFORE UPDATE OF status, visibility, title, description, response, responded_at, tags, private_tags, assignee, duplicate_of, author_id ON proposals
WHEN NEW.idea_bank_id = OLD.idea_bank_id AND EXISTS (SELECT 1 FROM idea_banks WHERE id = OLD.idea_bank_id)
BEGIN
  INSERT INTO proposal_steps (proposal_id, number, account_id, made_at, changes, member_id, actor, api_key_id, by_author, author_id)
  SELECT OLD.id, step.number, OLD.account_id, CAST(unixepoch('subsec') * 1000 AS INTEGER), step.changes, m.member_id, m.actor, k.api_key_id, step.by_author,
    iif(step.by_author OR coalesce(step.changes -> '$.title', step.changes -> '$.description') IS NOT NULL, OLD.author_id, NULL)
  FROM (SELECT iif(goes_on, number, number + 1) AS number, by_author, total(prior IS NOT present) AS differing,
      json_group_object(name, json_array(json(first), json(present))) FILTER (WHERE first IS NOT present) AS changes
    FROM (SELECT last.number, last.goes_on, last.by_author, f.value ->> 0 AS name, f.value -> 1 AS prior, f.value -> 2 AS present,
        iif(last.goes_on, coalesce(last.changes -> ('$.' || (f.value ->> 0) || '[0]'), f.value -> 1), f.value -> 1) AS first
      FROM (SELECT coalesce(max(number), 0) AS number, NEW.panelist_writes > OLD.panelist_writes AS by_author,
          NEW.panelist_writes > OLD.panelist_writes AND coalesce(by_author, 0) AS goes_on, changes
        FROM proposal_steps WHERE proposal_id = OLD.id) last
      CROSS JOIN json_each(json_array(
        json_array('status', OLD.status, NEW.status),
        json_array('visibility', OLD.visibility, NEW.visibility),
        json_array('title', OLD.title, NEW.title),
        json_array('description', OLD.description, NEW.description),
        json_array('response', OLD.response, NEW.response),
        json_array('respondedAt', OLD.responded_at, NEW.responded_at),
        json_array('tags', json(coalesce(OLD.tags, '[]')), json(coalesce(NEW.tags, '[]'))),
        json_array('privateTags', json(coalesce(OLD.private_tags, '[]')), json(coalesce(NEW.private_tags, '[]'))),
        json_array('assignee', OLD.assignee, NEW.assignee),
        json_array('duplicateOf', OLD.duplicate_of, coalesce(OLD.duplicate_of, NEW.duplicate_of)),
        json_array('author', OLD.author_id IS NOT NULL, NEW.author_id IS NOT NULL)
      )) f)) step
    LEFT JOIN acting_members m ON m.account_id = OLD.account_id AND NOT step.by_author AND OLD.author_id IS NEW.author_id
    LEFT JOIN acting_keys k ON k.account_id = OLD.account_id AND m.actor IS NULL AND NOT step.by_author AND OLD.author_id IS NEW.author_id
      AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = OLD.account_id), 0)
  WHERE step.differing > 0
  ON CONFLICT (proposal_id, number) DO UPDATE SET made_at = excluded.made_at, changes = excluded.changes;
END;

-- A panelist's own proposal says itself who created it, and when.
CREATE TRIGGER IF NOT EXISTS step_of_creation BEFORE INSERT ON proposals
WHEN NEW.panelist_writes = 0
BEGIN
  INSERT INTO proposal_steps (proposal_id, number, account_id, made_at, changes, member_id, actor, api_key_id)
  SELECT NEW.id, 1, a.id, CAST(unixepoch('subsec') * 1000 AS INTEGER), json_object('created', json_array(NULL, NEW.created_at)), m.member_id, m.actor, k.api_key_id
  FROM accounts a
    LEFT JOIN acting_members m ON m.account_id = a.id
    LEFT JOIN acting_keys k ON k.account_id = a.id AND m.actor IS NULL
      AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)
  WHERE a.id = NEW.account_id AND coalesce(m.actor, k.api_key_id) IS NOT NULL;
END;

CREATE TRIGGER IF NOT EXISTS step_of_merge BEFORE UPDATE OF duplicate_of ON proposals
WHEN OLD.duplicate_of IS NULL AND NEW.duplicate_of IS NOT NULL
BEGIN
  INSERT INTO proposal_steps (proposal_id, number, account_id, made_at, changes, member_id, actor, api_key_id)
  SELECT NEW.duplicate_of, coalesce((SELECT max(number) FROM proposal_steps WHERE proposal_id = NEW.duplicate_of), 0) + 1, a.id,
    CAST(unixepoch('subsec') * 1000 AS INTEGER), json_object('merged', json_array(NULL, OLD.id)), m.member_id, m.actor, k.api_key_id
  FROM accounts a
    LEFT JOIN acting_members m ON m.account_id = a.id
    LEFT JOIN acting_keys k ON k.account_id = a.id AND m.actor IS NULL
      AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)
  WHERE a.id = OLD.account_id;
END;

-- The bytes of the history are counted with those of events, so a full account can still decide. The account's row is written once for a step,
-- with what leaves for it.
CREATE TRIGGER IF NOT EXISTS step_added AFTER INSERT ON proposal_steps BEGIN
  UPDATE proposal_steps SET (changes, cut_bytes) = (SELECT cut, octet_length(proposal_steps.changes) - octet_length(cut) FROM (
    SELECT json_group_object(key, json(iif(json_array_length(value) = 2, json_array(
      json(iif(json_type(value, '$[0]') = 'text' AND length(value ->> 0) > 200, json_quote(substr(value ->> 0, 1, 200) || '…'), value -> 0)),
      json(iif(json_type(value, '$[1]') = 'text' AND length(value ->> 1) > 200, json_quote(substr(value ->> 1, 1, 200) || '…'), value -> 1))), value))) AS cut
    FROM json_each(proposal_steps.changes)))
  WHERE proposal_id = NEW.proposal_id AND number = NEW.number - 20 AND octet_length(changes) > 1000;
  UPDATE accounts SET event_bytes = event_bytes + 150 + octet_length(NEW.changes) + coalesce(octet_length(NEW.actor), 0)
    - coalesce((SELECT cut_bytes FROM proposal_steps WHERE proposal_id = NEW.proposal_id AND number = NEW.number - 20), 0)
    - coalesce((SELECT 150 + octet_length(changes) + coalesce(octet_length(actor), 0) FROM proposal_steps
      WHERE proposal_id = NEW.proposal_id AND number = NEW.number - 200), 0)
  WHERE id = NEW.account_id;
  DELETE FROM proposal_steps WHERE proposal_id = NEW.proposal_id AND number = NEW.number - 200;
END;

CREATE TRIGGER IF NOT EXISTS step_changed AFTER UPDATE OF changes ON proposal_steps
WHEN NEW.cut_bytes = OLD.cut_bytes AND octet_length(NEW.changes) <> octet_length(OLD.changes)
BEGIN
  UPDATE accounts SET event_bytes = event_bytes + octet_length(NEW.changes) - octet_length(OLD.changes) WHERE id = NEW.account_id;
END;

CREATE TRIGGER IF NOT EXISTS step_removed AFTER DELETE ON proposal_steps
WHEN NOT EXISTS (SELECT 1 FROM proposal_steps WHERE proposal_id = OLD.proposal_id AND number = OLD.number + 200)
BEGIN
  UPDATE accounts SET event_bytes = event_bytes - (150 + octet_length(OLD.changes) + coalesce(octet_length(OLD.actor), 0)) WHERE id = OLD.account_id;
END;

-- The release before deletes proposals and panelists without a look at their history.
CREATE TRIGGER IF NOT EXISTS steps_of_deleted_proposal AFTER DELETE ON proposals BEGIN
  DELETE FROM proposal_steps WHERE proposal_id = OLD.id;
END;

CREATE TRIGGER IF NOT EXISTS steps_of_deleted_person AFTER DELETE ON panelists BEGIN
  UPDATE proposal_steps SET author_id = NULL, changes = json_replace(changes, '$.title', json('[]'), '$.description', json('[]'))
  WHERE author_id = OLD.id;
END;
