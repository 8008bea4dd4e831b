"""How long a rater's trials take, for the page before the first one."""

from __future__ import annotations

import math

from sqlalchemy import Connection, text

from app.protocol.study import Protocol
from app.rating.review.text_words import n_words

# Silent reading of English non-fiction (Brysbaert 2019), and a usual time per answer in web surveys.
WORDS_PER_MINUTE, SECONDS_PER_ANSWER = 238, 7.5
# From this many minutes on, they are rounded to multiples of five.
_LONG, _STEP = 10, 5
# The words and responses of the first trials stand for all of them.
_SHOWN = text(f"""
    SELECT coalesce(avg(words), 0), coalesce(avg(n), 0)
    FROM (
      SELECT cardinality(t.response_ids) AS n, {n_words("i")} + coalesce((
        SELECT sum({n_words("r")}) FROM responses r WHERE r.study_id = t.study_id AND r.id = ANY (t.response_ids)
      ), 0) AS words
      FROM trials t JOIN items i ON i.study_id = t.study_id AND i.id = t.item_id
      WHERE t.study_id = :study AND t.purpose = 'rating' ORDER BY t.id LIMIT 50
    ) AS shown
""")  # noqa: S608 - constants only


def expected_minutes(db: Connection, study_id: int, protocol: Protocol, n_trials: int) -> int:
    """The time to read and rate so many trials, at least a minute."""
    words, n_shown = db.execute(_SHOWN, {"study": study_id}).one()
    asked = [question.target for question in protocol.questions if question.target != "rater"]
    n_answers = sum(float(n_shown) if target == "response" else 1 for target in asked)
    minutes = n_trials * (float(words) / WORDS_PER_MINUTE + n_answers * SECONDS_PER_ANSWER / 60)
    return max(1, math.ceil(minutes)) if minutes < _LONG else _STEP * round(minutes / _STEP)
