-- Surveys are answered here. What is added to idea banks and surveys has defaults, so the release before works on.
ALTER TABLE idea_banks ADD COLUMN surveys_enabled INTEGER NOT NULL DEFAULT 1;
ALTER TABLE surveys ADD COLUMN idea_bank_id TEXT;
ALTER TABLE surveys ADD COLUMN thanks TEXT NOT NULL DEFAULT '';
ALTER TABLE surveys ADD COLUMN questions TEXT NOT NULL DEFAULT '[]';
ALTER TABLE surveys ADD COLUMN voters_of TEXT;
ALTER TABLE surveys ADD COLUMN anonymous INTEGER NOT NULL DEFAULT 0;
ALTER TABLE surveys ADD COLUMN editable INTEGER NOT NULL DEFAULT 1;
ALTER TABLE surveys ADD COLUMN closes_at INTEGER;
ALTER TABLE surveys ADD COLUMN max_responses INTEGER;
ALTER TABLE surveys ADD COLUMN opened_at INTEGER;
ALTER TABLE surveys ADD COLUMN full INTEGER NOT NULL DEFAULT 0;
ALTER TABLE surveys ADD COLUMN revision INTEGER NOT NULL DEFAULT 1;
ALTER TABLE surveys ADD COLUMN salt TEXT;
ALTER TABLE surveys ADD COLUMN responses INTEGER NOT NULL DEFAULT 0;
ALTER TABLE surveys ADD COLUMN totals TEXT NOT NULL DEFAULT '{}';
ALTER TABLE surveys ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE surveys ADD COLUMN step INTEGER NOT NULL DEFAULT 0;
ALTER TABLE surveys ADD COLUMN unshown INTEGER NOT NULL DEFAULT 0;
ALTER TABLE surveys ADD COLUMN shown_responses INTEGER NOT NULL DEFAULT 0;
ALTER TABLE surveys ADD COLUMN shown_totals TEXT NOT NULL DEFAULT '{}';
ALTER TABLE surveys ADD COLUMN shown_bytes INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER quota_surveys_added;
DROP TRIGGER quota_surveys_removed;
DROP TRIGGER quota_surveys_changed;
DROP TRIGGER log_surveys_changed;
DROP TRIGGER log_surveys_removed;
DROP TRIGGER log_idea_banks_changed;

CREATE INDEX IF NOT EXISTS surveys_by_status ON surveys (account_id, status, created_at, id);
CREATE INDEX IF NOT EXISTS surveys_by_idea_bank ON surveys (idea_bank_id, created_at, id) WHERE idea_bank_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS surveys_of_idea_bank_by_status ON surveys (idea_bank_id, status, created_at, id) WHERE idea_bank_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS surveys_by_audience ON surveys (voters_of) WHERE voters_of IS NOT NULL;
CREATE INDEX IF NOT EXISTS surveys_closing ON surveys (closes_at) WHERE status = 'OPEN' AND closes_at IS NOT NULL;
CREATE INDEX IF NOT EXISTS surveys_with_salt ON surveys (account_id, id) WHERE salt IS NOT NULL;

-- Responses to surveys. respondent: the panelist; of an anonymous survey a hash of it that needs the survey's salt. answers and counted are
-- JSON: what was answered, and the keys of the totals for which it counts (src/worker/model/survey-answers.ts). revision: a new one with each
-- write. step: of an anonymous survey, the step from which on the team sees the response as it is now, and first_step the
-- one from which on it sees the response at all. by_tenant: the tenant recorded or deleted it.
-- No foreign key to surveys: the responses of a deleted survey are deleted in slices.
CREATE TABLE IF NOT EXISTS survey_responses (
  survey_id TEXT NOT NULL,
  respondent TEXT NOT NULL,
  account_id TEXT NOT NULL,
  answers TEXT NOT NULL,
  counted TEXT NOT NULL,
  revision TEXT NOT NULL,
  step INTEGER NOT NULL DEFAULT 0,
  first_step INTEGER NOT NULL DEFAULT 0,
  by_tenant INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (survey_id, respondent)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS survey_responses_by_creation ON survey_responses (survey_id, created_at, respondent);
CREATE INDEX IF NOT EXISTS survey_responses_by_respondent ON survey_responses (respondent, created_at);

-- The texts in responses, for reading one question's. place: of a response of an anonymous survey a hash, so that the texts of each question
-- stand in a random order of their own. Otherwise its time, with the panelist. The team sees a text from step on, and until the step until.
CREATE TABLE IF NOT EXISTS survey_texts (
  survey_id TEXT NOT NULL,
  question_id TEXT NOT NULL,
  place TEXT NOT NULL,
  step INTEGER NOT NULL DEFAULT 0,
  until INTEGER,
  text TEXT NOT NULL,
  PRIMARY KEY (survey_id, question_id, place, step)
) STRICT, WITHOUT ROWID;

CREATE INDEX IF NOT EXISTS survey_texts_by_end ON survey_texts (survey_id, until) WHERE until IS NOT NULL;

-- Of anonymous surveys: what responses counted for that were changed or deleted after the team had seen them. It sees them until the next step.
CREATE TABLE IF NOT EXISTS survey_former (
  survey_id TEXT NOT NULL,
  step INTEGER NOT NULL,
  id TEXT NOT NULL,
  counted TEXT NOT NULL,
  PRIMARY KEY (survey_id, step, id)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER IF NOT EXISTS quota_surveys_added AFTER INSERT ON surveys BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + 150 + octet_length(NEW.title) + octet_length(NEW.description) + octet_length(NEW.thanks) + octet_length(NEW.questions) + NEW.shown_bytes + coalesce(octet_length(NEW.url), 0) + coalesce(octet_length(NEW.external_id), 0)
  WHERE id = NEW.account_id; END;
CREATE TRIGGER IF NOT EXISTS quota_surveys_removed AFTER DELETE ON surveys BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes - (150 + octet_length(OLD.title) + octet_length(OLD.description) + octet_length(OLD.thanks) + octet_length(OLD.questions) + OLD.shown_bytes + coalesce(octet_length(OLD.url), 0) + coalesce(octet_length(OLD.external_id), 0))
  WHERE id = OLD.account_id; END;
CREATE TRIGGER IF NOT EXISTS quota_surveys_changed AFTER UPDATE OF title, description, thanks, questions, url, external_id, shown_bytes ON surveys BEGIN
  UPDATE accounts SET stored_bytes = stored_bytes + (octet_length(NEW.title) + octet_length(NEW.description) + octet_length(NEW.thanks) + octet_length(NEW.questions) + NEW.shown_bytes + coalesce(octet_length(NEW.url), 0) + coalesce(octet_length(NEW.external_id), 0))
    - (octet_length(OLD.title) + octet_length(OLD.description) + octet_length(OLD.thanks) + octet_length(OLD.questions) + OLD.shown_bytes + coalesce(octet_length(OLD.url), 0) + coalesce(octet_length(OLD.external_id), 0))
  WHERE id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_idea_banks_changed
AFTER UPDATE OF name, status, internal, changelog_enabled, changelog_max_entries, submissions_enabled,
  voting_enabled, comments_enabled, approval_required, surveys_enabled, url ON idea_banks
WHEN
  OLD.name IS NOT NEW.name OR OLD.status IS NOT NEW.status OR OLD.internal IS NOT NEW.internal
  OR OLD.changelog_enabled IS NOT NEW.changelog_enabled OR OLD.changelog_max_entries IS NOT NEW.changelog_max_entries
  OR OLD.submissions_enabled IS NOT NEW.submissions_enabled OR OLD.voting_enabled IS NOT NEW.voting_enabled
  OR OLD.comments_enabled IS NOT NEW.comments_enabled OR OLD.approval_required IS NOT NEW.approval_required OR OLD.surveys_enabled IS NOT NEW.surveys_enabled OR OLD.url IS NOT NEW.url
BEGIN
  INSERT INTO change_log (account_id, number, type, idea_bank_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'ideabank.updated', NEW.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = NEW.account_id; END;

-- A survey that has closed by itself, or asks the voters of the idea that stays after a merge, is the service's change.
CREATE TRIGGER IF NOT EXISTS log_surveys_changed AFTER UPDATE OF idea_bank_id, title, description, thanks, status, url, external_id, questions, voters_of, anonymous, editable, closes_at, max_responses ON surveys
WHEN OLD.idea_bank_id IS NOT NEW.idea_bank_id OR OLD.title IS NOT NEW.title OR OLD.description IS NOT NEW.description OR OLD.thanks IS NOT NEW.thanks OR
  OLD.status IS NOT NEW.status OR OLD.url IS NOT NEW.url OR OLD.external_id IS NOT NEW.external_id OR OLD.questions IS NOT NEW.questions OR
  OLD.voters_of IS NOT NEW.voters_of OR OLD.anonymous IS NOT NEW.anonymous OR OLD.editable IS NOT NEW.editable OR
  OLD.closes_at IS NOT NEW.closes_at OR OLD.max_responses IS NOT NEW.max_responses
BEGIN
  INSERT INTO change_log (account_id, number, type, survey_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'survey.updated', NEW.id, iif(OLD.idea_bank_id IS NOT NULL AND NEW.revision = OLD.revision, 'system', 'tenant'), CAST(unixepoch('subsec') * 1000 AS INTEGER),
    iif(OLD.idea_bank_id IS NOT NULL AND NEW.revision = OLD.revision, NULL, (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)))
  FROM accounts a WHERE a.id = NEW.account_id; END;

CREATE TRIGGER IF NOT EXISTS log_surveys_removed AFTER DELETE ON surveys
WHEN OLD.idea_bank_id IS NULL OR EXISTS (SELECT 1 FROM idea_banks WHERE id = OLD.idea_bank_id)
BEGIN
  INSERT INTO change_log (account_id, number, type, survey_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1,
    'survey.deleted', OLD.id, 'tenant', CAST(unixepoch('subsec') * 1000 AS INTEGER),
    (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0))
  FROM accounts a WHERE a.id = OLD.account_id; END;


-- The totals of a survey move in the transaction of the response. The response that reaches max_responses closes the survey. Of an anonymous
-- survey, what the team sees moves with the fifth response since it has moved last.
CREATE TRIGGER IF NOT EXISTS survey_response_added AFTER INSERT ON survey_responses BEGIN
  UPDATE surveys SET responses = responses + 1, bytes = bytes + 300 + 2 * octet_length(NEW.answers) + octet_length(NEW.counted),
    shown_bytes = shown_bytes + iif(anonymous, 0, 300 + 2 * octet_length(NEW.answers) + octet_length(NEW.counted)), unshown = unshown + anonymous,
    status = iif(responses + 1 >= max_responses, 'CLOSED', status), full = iif(responses + 1 >= max_responses, 1, full),
    salt = iif(responses + 1 >= max_responses, NULL, salt),
    totals = (SELECT json_group_object(key, n) FROM (SELECT key, sum(n) AS n FROM (
      SELECT key, value AS n FROM json_each(surveys.totals)
      UNION ALL SELECT value, 1 FROM json_each(NEW.counted))
      GROUP BY key HAVING sum(n) <> 0))
  WHERE id = NEW.survey_id;
  UPDATE surveys SET step = step + 1, unshown = 0, shown_responses = responses, shown_totals = totals, shown_bytes = bytes
  WHERE id = NEW.survey_id AND anonymous = 1 AND unshown >= 5;
  INSERT INTO change_log (account_id, number, type, idea_bank_id, survey_id, panelist_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1, 'survey-response.created', s.idea_bank_id, s.id, NEW.respondent,
    iif(NEW.by_tenant, 'tenant', 'panelist'), CAST(unixepoch('subsec') * 1000 AS INTEGER),
    iif(NEW.by_tenant, (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)), NULL)
  FROM surveys s JOIN accounts a ON a.id = s.account_id
  WHERE s.id = NEW.survey_id AND s.anonymous = 0;
END;

CREATE TRIGGER IF NOT EXISTS survey_response_changed AFTER UPDATE OF answers, counted ON survey_responses
WHEN OLD.answers <> NEW.answers OR OLD.counted <> NEW.counted
BEGIN
  INSERT INTO survey_former (survey_id, step, id, counted)
  SELECT s.id, s.step, hex(randomblob(12)), OLD.counted FROM surveys s
  WHERE s.id = OLD.survey_id AND s.anonymous = 1 AND OLD.step <= s.step;
  UPDATE surveys SET bytes = bytes + (300 + 2 * octet_length(NEW.answers) + octet_length(NEW.counted)) - (300 + 2 * octet_length(OLD.answers) + octet_length(OLD.counted)),
    shown_bytes = shown_bytes + iif(anonymous, 0, (300 + 2 * octet_length(NEW.answers) + octet_length(NEW.counted)) - (300 + 2 * octet_length(OLD.answers) + octet_length(OLD.counted))),
    totals = (SELECT json_group_object(key, n) FROM (SELECT key, sum(n) AS n FROM (
      SELECT key, value AS n FROM json_each(surveys.totals)
      UNION ALL SELECT value, 1 FROM json_each(NEW.counted)
      UNION ALL SELECT value, -1 FROM json_each(OLD.counted))
      GROUP BY key HAVING sum(n) <> 0))
  WHERE id = NEW.survey_id;
  INSERT INTO change_log (account_id, number, type, idea_bank_id, survey_id, panelist_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1, 'survey-response.updated', s.idea_bank_id, s.id, NEW.respondent,
    iif(NEW.by_tenant, 'tenant', 'panelist'), CAST(unixepoch('subsec') * 1000 AS INTEGER),
    iif(NEW.by_tenant, (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)), NULL)
  FROM surveys s JOIN accounts a ON a.id = s.account_id
  WHERE s.id = NEW.survey_id AND s.anonymous = 0;
END;

-- A deleted panelist's are no changes of their own: `panelist.deleted` stands for them.
CREATE TRIGGER IF NOT EXISTS survey_response_removed AFTER DELETE ON survey_responses BEGIN
  INSERT INTO survey_former (survey_id, step, id, counted)
  SELECT s.id, s.step, hex(randomblob(12)), OLD.counted FROM surveys s
  WHERE s.id = OLD.survey_id AND s.anonymous = 1 AND OLD.step <= s.step;
  DELETE FROM survey_texts WHERE survey_id = OLD.survey_id AND question_id IN (SELECT key FROM json_each(OLD.answers))
    AND place = printf('%015d', OLD.created_at) || OLD.respondent AND EXISTS (SELECT 1 FROM surveys WHERE id = OLD.survey_id);
  UPDATE surveys SET responses = responses - 1, bytes = bytes - (300 + 2 * octet_length(OLD.answers) + octet_length(OLD.counted)),
    shown_bytes = shown_bytes - iif(anonymous, 0, 300 + 2 * octet_length(OLD.answers) + octet_length(OLD.counted)), unshown = unshown - (anonymous AND OLD.first_step > step),
    totals = (SELECT json_group_object(key, n) FROM (SELECT key, sum(n) AS n FROM (
      SELECT key, value AS n FROM json_each(surveys.totals)
      UNION ALL SELECT value, -1 FROM json_each(OLD.counted))
      GROUP BY key HAVING sum(n) <> 0))
  WHERE id = OLD.survey_id;
  INSERT INTO change_log (account_id, number, type, idea_bank_id, survey_id, panelist_id, actor, changed_at, api_key_id)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1, 'survey-response.deleted', s.idea_bank_id, s.id, OLD.respondent,
    iif(OLD.by_tenant, 'tenant', 'panelist'), CAST(unixepoch('subsec') * 1000 AS INTEGER),
    iif(OLD.by_tenant, (SELECT api_key_id FROM acting_keys k WHERE k.account_id = a.id AND k.until_number > coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0)), NULL)
  FROM surveys s JOIN accounts a ON a.id = s.account_id
  WHERE s.id = OLD.survey_id AND s.anonymous = 0
    AND NOT EXISTS (SELECT 1 FROM panelists WHERE id = OLD.respondent AND deleted_at IS NOT NULL);
END;

CREATE TRIGGER IF NOT EXISTS survey_step AFTER UPDATE OF step ON surveys
WHEN NEW.step > OLD.step
BEGIN
  DELETE FROM survey_texts WHERE survey_id = NEW.id AND until < NEW.step;
  DELETE FROM survey_former WHERE survey_id = NEW.id AND step < NEW.step;
  INSERT INTO change_log (account_id, number, type, idea_bank_id, survey_id, actor, changed_at)
  SELECT a.id, coalesce((SELECT max(number) FROM change_log WHERE account_id = a.id), 0) + 1, 'survey-response.created', NEW.idea_bank_id, NEW.id, 'panelist', CAST(unixepoch('subsec') * 1000 AS INTEGER)
  FROM accounts a WHERE a.id = NEW.account_id;
END;

-- No step may come any more: texts that were taken back go with the close.
CREATE TRIGGER IF NOT EXISTS survey_closed AFTER UPDATE OF salt ON surveys
WHEN OLD.salt IS NOT NULL AND NEW.salt IS NULL
BEGIN
  DELETE FROM survey_texts WHERE survey_id = NEW.id AND until <= NEW.step;
END;

-- Of an idea that is merged, the survey asks the voters of the one that stays.
CREATE TRIGGER IF NOT EXISTS survey_audience_merged AFTER UPDATE OF duplicate_of ON proposals
WHEN NEW.duplicate_of IS NOT NULL
BEGIN
  UPDATE surveys SET voters_of = NEW.duplicate_of WHERE voters_of = NEW.id;
END;

-- Its responses are deleted in slices, as an idea bank's contents are.
CREATE TRIGGER IF NOT EXISTS survey_removed AFTER DELETE ON surveys
WHEN OLD.idea_bank_id IS NOT NULL AND EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account_id)
BEGIN
  INSERT INTO deleted_idea_banks (id, account_id, deleted_at, idea_bank_id)
  VALUES (OLD.id, OLD.account_id, unixepoch() * 1000, OLD.idea_bank_id);
END;
