-- The rest of a skip, after submit.sql: what belonged to the page goes.

-- The seat becomes free for another rater.
freed AS (
  UPDATE seats s SET assignment_id = NULL
  WHERE s.study_id = :study AND s.assignment_id = :assignment AND EXISTS (SELECT FROM a)
),

-- A planned repeat of the trial is returned with it.
never_repeated AS (
  UPDATE assignments AS o SET state = 'returned' FROM a
  WHERE o.study_id = :study AND o.rating_session_id = :session AND o.trial_id = a.trial_id AND o.repeat > a.repeat
    AND o.state = 'planned'
),

-- Answers that were saved, but not submitted, are deleted.
forgotten AS (
  DELETE FROM ratings r WHERE r.study_id = :study AND r.assignment_id = :assignment AND EXISTS (SELECT FROM a)
),

-- What remains is that it was skipped, and why.
told AS (
  INSERT INTO events (study_id, rater_id, assignment_id, kind, detail)
  SELECT a.study_id, a.rater_id, a.id, 'skip', jsonb_build_object(
    'reason', CAST(:reason AS text), 'item', i.key, 'position', a.position, 'repeat', a.repeat)
  FROM a JOIN items i ON i.study_id = a.study_id AND i.id = a.item_id
)
