"""Plans of the statements that raters cause most often: they read the rows they need, however the tables were filled.

Plans are kept as long as a connection. One that reads all raters of a study costs more with each rater, unnoticed.
"""

import re

import pytest
from sqlalchemy import Connection, Engine, text

from app.base.database.engine import FIRST_RENEWAL
from app.rating.answers import submit
from app.rating.seats import assignment_view
from tests.kit.builder import build_study, protocol_of

HOT = {
    "own": assignment_view._OWN,
    "save": submit._STORE,
    "submit and next": submit._STORE_AND_NEXT,
    "skip": submit._SKIP,
}
pytestmark = pytest.mark.slow
# Tables that grow with the raters of a study.
GROWING = {"raters", "rating_sessions", "steps", "assignments", "ratings"}
# What PostgreSQL prepares for the foreign keys of ratings and of their history.
KEYS = {
    f"key of {table}": f"SELECT 1 FROM ONLY {table} x WHERE study_id = $1 AND id = $2 FOR KEY SHARE OF x"  # noqa: S608
    for table in ("raters", "rating_sessions", "assignments", "ratings")
}
KEPT = {name: statement.sql for name, statement in HOT.items()} | KEYS
# A hundred raters: few enough that PostgreSQL's default costs would prefer to read them all.
RATERS = """
    WITH r AS (INSERT INTO raters (study_id, key) SELECT :study, 'r' || n FROM generate_series(1, :n) n RETURNING id),
    s AS (INSERT INTO rating_sessions (study_id, rater_id, token_hash, protocol_version, lease_expires_at)
          SELECT :study, id, sha256(CAST(CAST(id AS text) AS bytea)), 1, now() FROM r RETURNING id, rater_id),
    p AS (INSERT INTO steps (study_id, rating_session_id, step) SELECT :study, id, 'instructions' FROM s),
    t AS (INSERT INTO trials (study_id, item_id, response_ids, shuffle)
          SELECT :study, item_id, array_agg(id ORDER BY id), 0 FROM responses WHERE study_id = :study GROUP BY item_id
          RETURNING id, response_ids)
    INSERT INTO assignments (study_id, trial_id, rater_id, rating_session_id, position, response_ids)
    SELECT :study, t.id, s.rater_id, s.id, row_number() OVER (PARTITION BY s.id), t.response_ids FROM s CROSS JOIN t
"""
ANSWERS = """
    INSERT INTO ratings (study_id, rater_id, assignment_id, question, item_id, number)
    SELECT a.study_id, a.rater_id, a.id, 'empathy', t.item_id, 3
    FROM assignments a JOIN trials t ON t.study_id = a.study_id AND t.id = a.trial_id WHERE a.study_id = :study
"""


# The number of times that a connection is used before it makes its plans again for the second time.
USES = 2 * FIRST_RENEWAL


def test_only_needed_rows_are_read(unused_engine: Engine) -> None:
    with unused_engine.begin() as db:
        plans = {f"{name} while tables are empty": generic_plan(db, statement) for name, statement in KEPT.items()}
    unused_engine.dispose()  # psycopg would prepare statements that it sees again, and PostgreSQL cannot prepare these
    with unused_engine.begin() as db:
        fill(db)
        db.execute(text(f"ANALYZE {', '.join(GROWING)}"))
        plans |= {name: generic_plan(db, statement.sql) for name, statement in HOT.items()}
    assert {name: wide_reads(plan) for name, plan in plans.items()} == {name: [] for name in plans}


@pytest.mark.parametrize("n_raters", [0, 1])
def test_plans_of_small_tables_are_replaced(unused_engine: Engine, n_raters: int) -> None:
    """The tables are not analyzed again after they have grown: autovacuum may take a minute or two."""
    with unused_engine.begin() as db:
        fill(db, n_raters=n_raters, n_items=1)
        db.execute(text("ANALYZE"))
    with unused_engine.begin() as db:
        for name, statement in KEPT.items():
            db.exec_driver_sql(f'PREPARE "{name}" AS {statement}'.replace("%", "%%"))
        assert any(wide_reads(kept_plan(db, name)) for name in KEPT)
    with unused_engine.begin() as db:
        fill(db, n_raters=600, n_items=4)
    for _ in range(USES):
        with unused_engine.connect():
            pass
    with unused_engine.begin() as db:
        assert {name: wide_reads(kept_plan(db, name)) for name in KEPT} == {name: [] for name in KEPT}


def fill(db: Connection, *, n_raters: int = 100, n_items: int = 20) -> None:
    """Raters who have answered one question about each item of a new study."""
    study = build_study(db, protocol_of(f"study-{n_raters}"), n_items=n_items)
    db.execute(text(RATERS), {"study": study, "n": n_raters})
    db.execute(text(ANSWERS), {"study": study})


def wide_reads(plan: str) -> list[str]:
    """Parts of a plan that read a whole table, or all rows of a study in it."""
    scans = re.findall(rf"Scan[^\n]* on ({'|'.join(GROWING)})\b[^\n]*\n(?:\s+Index Cond: ([^\n]*))?", plan)
    return [f"{table}: {condition}" for table, condition in scans if re.fullmatch(r"|\(study_id = [^()]*\)", condition)]


def generic_plan(db: Connection, statement: str) -> str:
    return "\n".join(db.exec_driver_sql("EXPLAIN (GENERIC_PLAN) " + statement.replace("%", "%%")).scalars())


def kept_plan(db: Connection, name: str) -> str:
    """The plan that this connection keeps for a prepared statement, which it makes if there is none."""
    n_parameters = len(set(re.findall(r"\$\d+", KEPT[name])))
    nulls = ", ".join(["NULL"] * n_parameters)
    return "\n".join(db.exec_driver_sql(f'EXPLAIN EXECUTE "{name}" ({nulls})').scalars())
