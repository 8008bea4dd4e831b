"""A report is known to be current without reading the data, and every change of the data is noticed."""

import pytest
from sqlalchemy import Engine, text

from app.results.data import study_mark
from app.results.data.study_mark import Data, RecentData, get_data
from app.studies.studies import get_study
from tests.kit.builder import build_study, protocol_of

RATE = """
INSERT INTO ratings (study_id, rater_id, question, item_id, response_id, number)
SELECT p.study_id, r.id, 'empathy', p.item_id, p.id, 1 + p.id % 5 FROM responses p CROSS JOIN raters r
WHERE NOT EXISTS (SELECT FROM ratings a WHERE a.rater_id = r.id AND a.response_id = p.id) ORDER BY p.id LIMIT 4
"""
DECISION = (
    "INSERT INTO rater_exclusions (study_id, rater_id, is_excluded, reason) SELECT study_id, id, true, '-' FROM raters"
)
CHANGES = (
    "UPDATE ratings SET number = number WHERE id = (SELECT max(id) FROM ratings)",
    "DELETE FROM ratings WHERE id = (SELECT max(id) FROM ratings)",
    RATE,
    "UPDATE raters SET pool = 'expert'",
    DECISION,
    "UPDATE responses SET text = 'Other words' WHERE id = (SELECT max(id) FROM responses)",
    'UPDATE items SET attributes = \'{"topic": "grief"}\' WHERE id = (SELECT min(id) FROM items)',
    "UPDATE protocols SET version = version",
    """INSERT INTO rating_sessions (study_id, rater_id, token_hash, protocol_version, lease_expires_at, state)
       SELECT study_id, id, 'h', 1, now(), 'expired' FROM raters LIMIT 1""",
    "UPDATE rating_sessions SET state = 'finished', finished_at = now()",
)
OTHER = ("CREATE TABLE elsewhere AS SELECT 1 AS n", "UPDATE rating_sessions SET last_seen_at = now()")


def study_id(engine: Engine) -> int:
    with engine.begin() as db:
        build_study(db, protocol_of(), n_items=3)
        db.execute(text("INSERT INTO raters (study_id, key) SELECT id, 'a' FROM studies"))
        db.execute(text(RATE))
        study = get_study(db, "study")
        assert study
        return study.id


def do(engine: Engine, statement: str) -> None:
    with engine.begin() as db:
        db.execute(text(statement))


def test_every_change_is_noticed_and_nothing_else_is(engine: Engine) -> None:
    of = study_id(engine)

    def data() -> Data:
        with engine.begin() as db:
            return get_data(db, of)

    for change in (OTHER[0], *CHANGES, OTHER[1]):
        before = data()
        do(engine, change)
        assert (data() == before) == (change in OTHER), change


def test_mark_of_a_large_study_is_trusted_for_a_while_but_decisions_and_new_results_are_seen_at_once(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(study_mark, "MANY", 3)
    monkeypatch.setattr(study_mark, "TRUSTED", 1e9)
    of, recent = study_id(engine), RecentData()

    def data(kept: str) -> Data:
        with engine.begin() as db:
            return recent.get(db, of, kept)

    before = data("one")
    do(engine, CHANGES[0])
    assert data("one") == before
    assert data("another") != before
    do(engine, DECISION)
    assert data("one").decisions != before.decisions
