-- The first trial that has not been revisited, now served again. Repeats are not revisited, because their trial already
-- is; neither are gold trials.
pick AS (
  SELECT o.study_id, o.id, o.response_ids, t.item_id
  FROM assignments o JOIN trials t ON t.study_id = o.study_id AND t.id = o.trial_id
  WHERE o.study_id = :study AND o.rating_session_id = :session
    AND o.state = 'done' AND o.repeat = 0 AND t.purpose = 'rating' AND o.revisited_at IS NULL
  ORDER BY o.position LIMIT 1
),
served AS (
  UPDATE assignments SET revisit_served_at = coalesce(revisit_served_at, now())
  WHERE study_id = :study AND id = (SELECT id FROM pick)
)
