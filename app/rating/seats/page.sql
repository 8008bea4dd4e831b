-- The page of `pick`: the assignment, and what is read only when its page is shown, not for a save.
page_shown AS (
  SELECT o.study_id, o.id, o.token, o.rater_id, o.trial_id, o.position, o.response_ids, o.shown_labels, o.repeat,
    o.state, o.n_turns_done, o.served_at, t.condition, t.item_id, t.purpose, o.revisited_at, o.move_id,
    (SELECT m.role FROM dyad_members m WHERE m.study_id = o.study_id AND m.assignment_id = o.id) AS role,

    -- The answers so far, without those of another browser.
    (SELECT jsonb_agg(jsonb_build_object('question', question, 'response_id', response_id, 'turn', turn,
         'number', number, 'outcome', outcome, 'side', side, 'strength', strength, 'codes', codes, 'text', text,
         'comment', comment))
     FROM ratings WHERE study_id = o.study_id AND assignment_id = o.id
       AND (o.moved_at IS NULL OR rated_at >= o.moved_at)) AS answers,

    -- When the last of what is stored for the page left its browser: a page that is shown now begins after it.
    (SELECT greatest(o.page_ms, max(r.page_ms)) FROM ratings r
     WHERE r.study_id = o.study_id AND r.assignment_id = o.id) AS latest_ms,

    list.n_all, list.place, list.previous, list.pace_ms
  FROM assignments o JOIN trials t ON t.study_id = o.study_id AND t.id = o.trial_id

  -- Its place in the rater's list; for a revisit, among the trials that are revisited.
  CROSS JOIN LATERAL (
    SELECT count(*) AS n_all, count(*) FILTER (WHERE b.position <= o.position) AS place,
      (array_agg(b.token ORDER BY b.position DESC) FILTER (
        WHERE b.position < o.position AND b.state <> 'skipped' AND (o.move_id IS NULL OR b.move_id = o.move_id)
      ))[1] AS previous,
      -- The rater's own pace, from three pages on: one page is no pace.
      CASE WHEN count(b.active_ms) >= 3 THEN percentile_cont(0.5) WITHIN GROUP (ORDER BY b.active_ms) END AS pace_ms
    FROM assignments b
    WHERE b.study_id = o.study_id AND b.rating_session_id = o.rating_session_id AND b.state <> 'returned'
      AND (NOT CAST(:is_revisit AS boolean) OR b.state = 'done' AND b.repeat = 0 AND EXISTS (
        SELECT FROM trials u WHERE u.study_id = b.study_id AND u.id = b.trial_id AND u.purpose = 'rating'))
  ) AS list
  WHERE o.study_id = :study AND o.id = (SELECT id FROM pick)
)
