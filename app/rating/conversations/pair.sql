-- Match a rater who waits, :assignment, with the one who has waited longest and can have the same item now.
--
-- Both rows are locked; rows that other transactions have locked are passed over, and what they did is looked at again
-- once a lock is there. Without a row of `made`, nothing is changed.
WITH me AS (
  SELECT m.assignment_id, m.rater_id, a.rating_session_id, a.position, a.trial_id, t.condition, s.pool, s.seat,
         r.is_simulated
  FROM dyad_members m
  JOIN raters r ON r.study_id = m.study_id AND r.id = m.rater_id
  JOIN assignments a ON a.study_id = m.study_id AND a.id = m.assignment_id AND a.state = 'leased'
  JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
  JOIN seats s ON s.study_id = a.study_id AND s.assignment_id = a.id
  JOIN rating_sessions z ON z.study_id = a.study_id AND z.id = a.rating_session_id
  WHERE m.study_id = :study AND m.assignment_id = :assignment AND m.dyad_id IS NULL AND m.alone_at IS NULL
    AND m.waits_since > now() - make_interval(secs => :longest_s)
  FOR UPDATE OF m, z SKIP LOCKED
),

-- Whoever has waited longest, in the same condition and pool, on a page that is open. The trial is theirs; the rater
-- has it now, has it later in their list, or never had it and there is a free seat. People are matched with people, but
-- for a lead who tries out the pages.
partner AS (
  SELECT m.assignment_id, m.rater_id, a.trial_id
  FROM me
  JOIN dyad_members m ON m.study_id = :study AND m.rater_id <> me.rater_id
    AND m.dyad_id IS NULL AND m.alone_at IS NULL AND NOT IS_AWAY
    AND m.waits_since > now() - make_interval(secs => :longest_s)
  JOIN assignments a ON a.study_id = m.study_id AND a.id = m.assignment_id AND a.state = 'leased'
  JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id AND t.condition = me.condition
  JOIN seats s ON s.study_id = a.study_id AND s.assignment_id = a.id AND s.pool = me.pool
  JOIN raters r ON r.study_id = m.study_id AND r.id = m.rater_id
    AND (r.is_simulated = me.is_simulated OR CAST(:is_mixed AS boolean))
  WHERE a.trial_id = me.trial_id
    OR EXISTS (
      SELECT FROM assignments b WHERE b.study_id = :study AND b.rating_session_id = me.rating_session_id
        AND b.trial_id = a.trial_id AND b.state = 'planned')
    OR NOT EXISTS (
      SELECT FROM assignments b WHERE b.study_id = :study AND b.rater_id = me.rater_id AND b.trial_id = a.trial_id
        AND NOT b.is_returned)
      AND EXISTS (
        SELECT FROM seats f WHERE f.study_id = :study AND f.trial_id = a.trial_id AND f.pool = me.pool
          AND f.assignment_id IS NULL AND (f.rater_id IS NULL OR f.rater_id = me.rater_id))
  ORDER BY a.trial_id = me.trial_id DESC, m.waits_since, m.assignment_id
  LIMIT 1 FOR UPDATE OF m SKIP LOCKED
),

-- The rater's own assignment of that trial, if it comes later in their list.
later AS (
  SELECT b.id FROM partner p CROSS JOIN me
  JOIN assignments b ON b.study_id = :study AND b.rating_session_id = me.rating_session_id
    AND b.trial_id = p.trial_id AND b.state = 'planned' AND p.trial_id <> me.trial_id
  LIMIT 1 FOR UPDATE OF b
),

-- Otherwise a free seat of it.
free AS (
  SELECT f.trial_id, f.pool, f.seat FROM partner p CROSS JOIN me
  JOIN seats f ON f.study_id = :study AND f.trial_id = p.trial_id AND f.pool = me.pool
    AND f.assignment_id IS NULL AND (f.rater_id IS NULL OR f.rater_id = me.rater_id)
  WHERE p.trial_id <> me.trial_id AND NOT EXISTS (SELECT FROM later)
  LIMIT 1 FOR UPDATE OF f SKIP LOCKED
),

-- Roles are balanced: whoever was less often in the first role gets it; otherwise, of two dyads in a row, the rater who
-- waited longer gets it in one of them, by a coin of the study's seed.
made AS (
  INSERT INTO dyads (study_id, trial_id)
  SELECT :study, p.trial_id FROM partner p CROSS JOIN me
  WHERE p.trial_id = me.trial_id OR EXISTS (SELECT FROM later) OR EXISTS (SELECT FROM free)
  RETURNING id
),
roles AS (
  SELECT CASE
      WHEN mine.n_first <> theirs.n_first THEN theirs.n_first < mine.n_first
      ELSE mod(n.before + (get_byte(sha256(convert_to(concat(CAST(:seed AS bigint), '-', n.before / 2), 'UTF8')), 0) & 1), 2) = 0
    END AS is_partner_first
  FROM me CROSS JOIN partner p
  CROSS JOIN LATERAL (SELECT count(*) AS before FROM dyads WHERE study_id = :study) AS n
  CROSS JOIN LATERAL (
    SELECT count(*) AS n_first FROM dyad_members WHERE study_id = :study AND rater_id = me.rater_id AND role = CAST(:first AS text)
  ) AS mine
  CROSS JOIN LATERAL (
    SELECT count(*) AS n_first FROM dyad_members WHERE study_id = :study AND rater_id = p.rater_id AND role = CAST(:first AS text)
  ) AS theirs
),

-- The rater goes on with that trial: in place of the one they had, whose seat becomes free, or before it.
put_off AS (
  UPDATE assignments a SET state = 'planned', position = 1 + (
    SELECT max(o.position) FROM assignments o WHERE o.study_id = :study AND o.rating_session_id = a.rating_session_id)
  FROM me, later, made WHERE a.study_id = :study AND a.id = me.assignment_id RETURNING me.position AS was_at
),
brought_forward AS (
  UPDATE assignments a SET state = 'leased', position = put_off.was_at, served_at = coalesce(a.served_at, now())
  FROM later, put_off WHERE a.study_id = :study AND a.id = later.id
),
exchanged AS (
  UPDATE assignments a SET trial_id = free.trial_id FROM me, free, made
  WHERE a.study_id = :study AND a.id = me.assignment_id
),
seat_left AS (
  UPDATE seats s SET assignment_id = NULL FROM me, free, made
  WHERE s.study_id = :study AND s.trial_id = me.trial_id AND s.pool = me.pool AND s.seat = me.seat
  RETURNING me.assignment_id
),
seat_taken AS (
  UPDATE seats s SET assignment_id = seat_left.assignment_id FROM free, seat_left
  WHERE s.study_id = :study AND s.trial_id = free.trial_id AND s.pool = free.pool AND s.seat = free.seat
),
matched AS (
  UPDATE dyad_members m SET dyad_id = made.id,
    assignment_id = CASE WHEN m.assignment_id = me.assignment_id THEN coalesce((SELECT id FROM later), m.assignment_id)
                    ELSE m.assignment_id END,
    role = CASE WHEN (m.assignment_id = p.assignment_id) = roles.is_partner_first THEN CAST(:first AS text)
           ELSE CAST(:second AS text) END
  FROM made, me, partner p, roles
  WHERE m.study_id = :study AND m.assignment_id IN (me.assignment_id, p.assignment_id)
  RETURNING m.rater_id, m.assignment_id
)
SELECT matched.assignment_id AS own_id FROM matched JOIN me ON me.rater_id = matched.rater_id
