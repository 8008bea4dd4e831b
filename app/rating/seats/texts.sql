-- The texts and the image of `pick`, of which there is one: those of its item, and of the responses in the order in which they are shown.
texts AS (
  SELECT i.text, i.turns, i.profile, i.content_note,
    (SELECT jsonb_build_object('token', m.token, 'width', m.width, 'height', m.height, 'alt', i.image_alt)
     FROM images m WHERE m.study_id = i.study_id AND m.name = i.image) AS image,
    shown.responses, shown.are_erasable
  FROM pick JOIN items i ON i.study_id = pick.study_id AND i.id = pick.item_id

  -- What raters wrote, in this study or in the one that it reuses, is erased when they have it deleted.
  CROSS JOIN LATERAL (
    SELECT jsonb_agg(jsonb_build_object('text', r.text, 'turns', r.turns) ORDER BY o.place) AS responses,
      bool_or(r.rater_id IS NOT NULL OR EXISTS (
        SELECT FROM reused_texts u WHERE u.study_id = r.study_id AND u.response_id = r.id)) AS are_erasable
    FROM unnest(pick.response_ids) WITH ORDINALITY AS o (id, place)
    JOIN responses r ON r.study_id = i.study_id AND r.id = o.id
  ) AS shown
)
