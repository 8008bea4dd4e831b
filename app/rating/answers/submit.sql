-- What a rater sends for one page, stored once or not at all: answers before the page is complete (:action is 'save'),
-- those about one turn of a dialogue ('turn'), the whole page ('submit'), or that it is skipped ('skip', skip.sql).
--
-- It can arrive twice, and late. So everything bears the time when it left, by the clock of its page (:page_ms), and
-- what left earlier changes nothing that left later. `submit.py` adds what is read at the end, such as the next page.
-- The rating session is locked before (`get_own_assignment`), so that a rater's requests run one after the other.
-- Each clause has a test in tests/rating/answers/test_submit_sql.py.
WITH

-- The page: an assignment of this rater, if the seat is still theirs. A revisit is shown a second time, after the last
-- trial. What ends a page (not a save or a turn) counts only if nothing that left later is stored for it.
page AS (
  SELECT o.study_id, o.id, t.item_id, t.condition, t.purpose,
    CASE WHEN :is_revisit THEN o.revisit_served_at ELSE o.served_at END AS served_at,
    :action = 'submit' AND CASE WHEN :is_revisit THEN o.revisited_at ELSE o.submitted_at END IS NULL AS is_first
  FROM assignments o JOIN trials t ON t.study_id = o.study_id AND t.id = o.trial_id
  WHERE o.study_id = :study AND o.id = :assignment AND o.rating_session_id = :session
    AND (o.state = 'done' AND :action <> 'skip' OR o.state = 'leased' AND NOT :is_revisit)
    AND (:action IN ('save', 'turn')
      OR (o.page_ms <= :page_ms) IS NOT FALSE AND NOT EXISTS (
        SELECT FROM ratings r WHERE r.study_id = :study AND r.assignment_id = :assignment AND r.page_ms > :page_ms))
),

-- How long the rater was active on it: from its showing until now, without the time in a hidden tab or in breaks. A
-- browser that stayed open during a break counts the same time as hidden. Sending a page again does not add to it.
active AS (
  SELECT coalesce(CAST(:active AS bigint), greatest(0,
    CAST(extract(epoch FROM now() - page.served_at) * 1000 AS bigint) - greatest(:hidden, (
      SELECT coalesce(sum(CAST(e.detail ->> 'paused_ms' AS bigint)), 0) FROM events e
      WHERE e.study_id = :study AND e.rater_id = :rater AND e.kind = 'resume' AND e.assignment_id = :assignment
        AND e.happened_at >= page.served_at)))) AS ms
  FROM page WHERE page.is_first
),

-- The plan advances: the page is done or skipped, or the next turn is revealed.
a AS (
  UPDATE assignments AS o
  SET state = CASE :action WHEN 'submit' THEN 'done' WHEN 'skip' THEN 'skipped' ELSE o.state END,
    page_ms = CASE :action WHEN 'submit' THEN :page_ms ELSE o.page_ms END,
    first_action_at = CASE WHEN :action IN ('save', 'turn') AND NOT :is_revisit
      THEN coalesce(o.first_action_at, now()) ELSE o.first_action_at END,
    submitted_at = CASE WHEN page.is_first AND NOT :is_revisit THEN now() ELSE o.submitted_at END,
    revisited_at = CASE WHEN page.is_first AND :is_revisit THEN now() ELSE o.revisited_at END,
    hidden_ms = CASE WHEN page.is_first AND NOT :is_revisit THEN :hidden ELSE o.hidden_ms END,
    active_ms = CASE WHEN page.is_first AND NOT :is_revisit THEN (SELECT ms FROM active) ELSE o.active_ms END,
    n_turns_done = greatest(o.n_turns_done, CAST(:turn AS integer)),
    skip_reason = CASE :action WHEN 'skip' THEN :reason ELSE o.skip_reason END
  FROM page WHERE o.study_id = page.study_id AND o.id = page.id
  RETURNING o.*, page.item_id, page.condition, page.purpose, page.served_at AS shown_at,
    CASE WHEN :is_revisit THEN (SELECT ms FROM active) ELSE o.active_ms END AS answer_ms,
    -- Answers count when their page is submitted; until then they are excluded from every estimate.
    :action <> 'submit' AND CASE WHEN :is_revisit THEN o.revisited_at IS NULL ELSE o.state <> 'done' END AS is_draft
),

-- The answers, each with its own time and key. A submitted page is stored as a whole. Of others, what has arrived
-- before (its key is known) is left out, and so is what is older than the current answer or the submitted page. A
-- browser's time counts from the showing of the page until now. OFFSET 0 makes PostgreSQL look up the history of these
-- ratings, instead of joining all ratings with their history.
judged AS (
  SELECT g.*,
    :action <> 'submit' AND (
      EXISTS (SELECT FROM ratings r
              WHERE r.study_id = :study AND r.assignment_id = :assignment AND r.idempotency_key = g.key)
      OR EXISTS (SELECT FROM ratings r WHERE r.study_id = :study AND r.assignment_id = :assignment AND EXISTS (
                   SELECT FROM rating_history h WHERE h.study_id = r.study_id AND h.rating_id = r.id
                     AND h.idempotency_key = g.key OFFSET 0))) AS is_repeat,
    :action <> 'submit' AND ((g.page_ms < g.submitted_ms) IS TRUE
      OR EXISTS (SELECT FROM ratings r WHERE r.study_id = :study AND r.assignment_id = :assignment
                   AND r.question = g.question AND r.response_id IS NOT DISTINCT FROM g.response_id
                   AND r.turn IS NOT DISTINCT FROM g.turn AND r.page_ms > g.page_ms)) AS is_older
  FROM (
    SELECT g.*, a.page_ms AS submitted_ms,
      CASE WHEN :action = 'submit' THEN :page_ms ELSE coalesce(g.at_ms, :page_ms) END AS page_ms,
      CASE WHEN g.at_ms IS NULL THEN now()
           ELSE least(now(), greatest(a.shown_at, to_timestamp(g.at_ms / 1000.0))) END AS given_at
    FROM a CROSS JOIN jsonb_to_recordset(CAST(:answers AS jsonb)) AS g (
      response_id bigint, question text, number float8, outcome text, chosen_response_id bigint, codes text[],
      text text, strength float8, turn integer, side text, shown_label text, device text, labels_shown text,
      n_keystrokes integer, n_pasted integer, typing_ms integer, comment text, key uuid, at_ms bigint, n integer)
  ) AS g
),

-- One row per answer, with what was shown. An empty text is stored only in place of another. A changed answer replaces
-- the earlier one, which a trigger copies to the history; an unchanged one keeps its time. What browsers without
-- scripts do not send (the device, how a text was typed) is kept. A row that left later stays.
stored AS (
  INSERT INTO ratings AS r (study_id, rater_id, assignment_id, item_id, response_id, question, number, outcome,
    chosen_response_id, codes, text, strength, turn, side, shown_label, device, labels_shown, n_keystrokes, n_pasted,
    typing_ms, comment, idempotency_key, rated_at, left_response_id, right_response_id, position, condition, repeat, served_at,
    active_ms, exclude, page_ms)
  SELECT a.study_id, a.rater_id, a.id, a.item_id, g.response_id, g.question, g.number, g.outcome,
    g.chosen_response_id, g.codes, g.text, g.strength, g.turn, g.side, g.shown_label, g.device, g.labels_shown,
    g.n_keystrokes, g.n_pasted, g.typing_ms, g.comment, g.key, g.given_at,
    CASE WHEN cardinality(a.response_ids) = 2 THEN a.response_ids[1] END,
    CASE WHEN cardinality(a.response_ids) = 2 THEN a.response_ids[2] END,
    a.position, nullif(a.condition, ''), a.repeat, a.shown_at, a.answer_ms,
    CASE WHEN a.purpose = 'gold' THEN 'gold' WHEN a.is_draft THEN 'not submitted' END, g.page_ms
  FROM a CROSS JOIN judged AS g
  WHERE NOT g.is_repeat AND NOT g.is_older
    AND (g.text IS DISTINCT FROM '' OR EXISTS (
      SELECT FROM ratings o WHERE o.study_id = :study AND o.assignment_id = :assignment AND o.question = g.question
        AND o.response_id IS NOT DISTINCT FROM g.response_id AND o.turn IS NOT DISTINCT FROM g.turn))
  ON CONFLICT (study_id, rater_id, item_id, question, response_id, turn, condition, repeat,
               least(left_response_id, right_response_id), greatest(left_response_id, right_response_id))
  DO UPDATE SET number = excluded.number, outcome = excluded.outcome,
    chosen_response_id = excluded.chosen_response_id, codes = excluded.codes, text = excluded.text,
    strength = excluded.strength, side = excluded.side, comment = excluded.comment,
    device = coalesce(excluded.device, r.device), labels_shown = excluded.labels_shown,
    n_keystrokes = coalesce(excluded.n_keystrokes, r.n_keystrokes),
    n_pasted = coalesce(excluded.n_pasted, r.n_pasted), typing_ms = coalesce(excluded.typing_ms, r.typing_ms),
    idempotency_key = CASE
      WHEN (r.number, r.outcome, r.chosen_response_id, r.strength, r.codes, r.text) IS DISTINCT FROM
           (excluded.number, excluded.outcome, excluded.chosen_response_id, excluded.strength, excluded.codes,
            excluded.text)
      THEN excluded.idempotency_key ELSE coalesce(excluded.idempotency_key, r.idempotency_key) END,
    rated_at = CASE
      WHEN (r.number, r.outcome, r.chosen_response_id, r.strength, r.codes, r.text) IS DISTINCT FROM
           (excluded.number, excluded.outcome, excluded.chosen_response_id, excluded.strength, excluded.codes,
            excluded.text)
      THEN excluded.rated_at ELSE r.rated_at END,
    assignment_id = excluded.assignment_id, position = excluded.position,
    left_response_id = excluded.left_response_id, right_response_id = excluded.right_response_id,
    active_ms = coalesce(excluded.active_ms, r.active_ms), page_ms = greatest(excluded.page_ms, r.page_ms),
    exclude = CASE WHEN r.exclude = 'not submitted' AND excluded.exclude IS NULL THEN NULL ELSE r.exclude END
  WHERE (r.page_ms <= excluded.page_ms) IS NOT FALSE
)
