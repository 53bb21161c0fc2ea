-- A comment on an implemented proposal is not activity, whoever writes it.
DROP TRIGGER IF EXISTS comment_added;
CREATE TRIGGER comment_added AFTER INSERT ON comments
BEGIN
  UPDATE proposals SET comments = comments + 1,
    last_activity_at = iif(status = 'implemented', last_activity_at, max(last_activity_at, NEW.created_at))
  WHERE id = NEW.proposal_id;
END;
