-- The texts and the image of `pick`, of which there is one: those of its item, and of the responses in the order in which they are shown.
texts AS (
  SELECT i.text, i.turns, i.profile, i.content_note,
    (SELECT jsonb_build_object('token', m.token, 'width', m.width, 'height', m.height, 'alt', i.image_alt)
     FROM images m WHERE m.study_id = i.study_id AND m.name = i.image) AS image,
    (SELECT jsonb_agg(jsonb_build_object('text', r.text, 'turns', r.turns) ORDER BY o.place)
     FROM unnest(pick.response_ids) WITH ORDINALITY AS o (id, place)
     JOIN responses r ON r.study_id = i.study_id AND r.id = o.id) AS responses
  FROM pick JOIN items i ON i.study_id = pick.study_id AND i.id = pick.item_id
)
