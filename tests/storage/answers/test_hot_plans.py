"""Plans of the statements that raters cause most often: they read the rows they need, however the tables were filled.

Plans are kept as long as a connection. One that reads all raters of a study costs more with each rater, unnoticed.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sqlalchemy import text

from app.storage.answers import ratings, submit_and_next
from app.storage.assignments import assignment_view
from tests.builder import build_study, protocol_of

if TYPE_CHECKING:
    from sqlalchemy import Connection, Engine

    from app.storage.database.hot_statement import HotStatement

HOT = {
    "own": assignment_view._OWN,
    "save": ratings._SAVE,
    "submit": ratings._SUBMIT,
    "submit and next": submit_and_next._SUBMIT_AND_NEXT,
}
# Tables that grow with the raters of a study.
GROWING = {"raters", "rating_sessions", "steps", "assignments", "ratings"}
# A hundred raters: few enough that PostgreSQL's default costs would prefer to read them all.
RATERS = """
    WITH r AS (INSERT INTO raters (study_id, key) SELECT :study, 'r' || n FROM generate_series(1, 100) n RETURNING id),
    s AS (INSERT INTO rating_sessions (study_id, rater_id, token_hash, protocol_version, lease_expires_at)
          SELECT :study, id, sha256(CAST(CAST(id AS text) AS bytea)), 1, now() FROM r RETURNING id, rater_id),
    p AS (INSERT INTO steps (study_id, rating_session_id, step) SELECT :study, id, 'instructions' FROM s),
    t AS (INSERT INTO trials (study_id, item_id, response_ids, shuffle)
          SELECT :study, item_id, array_agg(id ORDER BY id), 0 FROM responses GROUP BY item_id
          RETURNING id, response_ids)
    INSERT INTO assignments (study_id, trial_id, rater_id, rating_session_id, position, response_ids)
    SELECT :study, t.id, s.rater_id, s.id, row_number() OVER (PARTITION BY s.id), t.response_ids FROM s CROSS JOIN t
"""
ANSWERS = """
    INSERT INTO ratings (study_id, rater_id, assignment_id, question, item_id, number)
    SELECT a.study_id, a.rater_id, a.id, 'empathy', t.item_id, 3
    FROM assignments a JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id
"""


def test_no_table_is_read_whole(engine: Engine) -> None:
    with engine.begin() as db:
        study = build_study(db, protocol_of(), n_items=20)
        db.execute(text(RATERS), {"study": study})
        db.execute(text(ANSWERS))
        db.execute(text(f"ANALYZE {', '.join(GROWING)}"))
        plans = {name: generic_plan(db, statement) for name, statement in HOT.items()}
    read = {name: re.findall(rf"Seq Scan on ({'|'.join(GROWING)})\b", plan) for name, plan in plans.items()}
    assert read == {name: [] for name in HOT}


def generic_plan(db: Connection, statement: HotStatement) -> str:
    return "\n".join(db.exec_driver_sql("EXPLAIN (GENERIC_PLAN) " + statement.sql.replace("%", "%%")).scalars())
