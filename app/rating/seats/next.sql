-- The first open assignment of a rating session, now served; none if `a` has no row. `a` has the ID of the assignment
-- that was just left: submit.sql does not change what this statement reads.
pick AS (
  SELECT o.study_id, o.id, o.state, o.response_ids, t.item_id
  FROM assignments o JOIN trials t ON t.study_id = o.study_id AND t.id = o.trial_id
  WHERE o.study_id = :study AND o.rating_session_id = :session AND o.state IN ('planned', 'leased')
    AND o.id <> (SELECT id FROM a)
  ORDER BY o.position LIMIT 1
),
served AS (
  UPDATE assignments SET state = 'leased', served_at = coalesce(served_at, now())
  WHERE study_id = :study AND id = (SELECT id FROM pick WHERE state = 'planned')
)
