"""A report is known to be current without reading the data, and every change of the data is noticed."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import text

from app.analysis.data.report_filters import ALL, Filters
from app.results.reports import known_marks
from app.results.reports.known_marks import KnownMarks
from app.studies.studies import get_study
from tests.kit.builder import build_study, protocol_of

if TYPE_CHECKING:
    import pytest
    from sqlalchemy import Engine

RATE = """
INSERT INTO ratings (study_id, rater_id, question, item_id, response_id, number)
SELECT p.study_id, r.id, 'empathy', p.item_id, p.id, 1 + p.id % 5 FROM responses p CROSS JOIN raters r
WHERE NOT EXISTS (SELECT FROM ratings a WHERE a.rater_id = r.id AND a.response_id = p.id) ORDER BY p.id LIMIT 4
"""
CHANGES = (
    "UPDATE ratings SET number = number WHERE id = (SELECT max(id) FROM ratings)",
    "DELETE FROM ratings WHERE id = (SELECT max(id) FROM ratings)",
    RATE,
    "UPDATE raters SET pool = 'expert'",
    "INSERT INTO rater_exclusions (study_id, rater_id, is_excluded, reason) SELECT study_id, id, true, '-' FROM raters",
    "UPDATE responses SET text = 'Other words' WHERE id = (SELECT max(id) FROM responses)",
    'UPDATE items SET attributes = \'{"topic": "grief"}\' WHERE id = (SELECT min(id) FROM items)',
    "UPDATE protocols SET version = version",
)
OTHER = "CREATE TABLE elsewhere AS SELECT 1 AS n"


def test_every_change_is_noticed_and_nothing_else_is(engine: Engine) -> None:
    with engine.begin() as db:
        build_study(db, protocol_of(), n_items=3)
        db.execute(text("INSERT INTO raters (study_id, key) SELECT id, 'a' FROM studies"))
        db.execute(text(RATE))
        study = get_study(db, "study")
        assert study
        marks = KnownMarks()
        assert marks.glance(db, study, ALL) is None

    def name() -> str:
        with engine.begin() as db:
            glanced = marks.glance(db, study, ALL)
            assert glanced
            seen = marks.look(db, glanced)
            assert glanced.name in {"", seen.name}
            if seen.is_behind or not seen.name:
                marks.keep(seen, "new")
            return "" if seen.is_behind else seen.name

    assert name() == ""
    assert name() == "new"
    for change in (OTHER, *CHANGES):
        with engine.begin() as db:
            db.execute(text(change))
        assert name() == ("new" if change == OTHER else ""), change
        assert name() == "new"
    with engine.begin() as db:
        for other, filters in ((replace(study, status="closed"), ALL), (study, Filters(sources=("human",)))):
            glanced = marks.glance(db, other, filters)
            assert glanced
            assert not marks.look(db, glanced).name


def test_mark_of_a_large_study_is_trusted_for_a_while_but_decisions_are_seen_at_once(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_marks, "MANY", 3)
    monkeypatch.setattr(known_marks, "TRUSTED", 1e9)
    marks = KnownMarks()
    with engine.begin() as db:
        build_study(db, protocol_of(), n_items=3)
        db.execute(text("INSERT INTO raters (study_id, key) SELECT id, 'a' FROM studies"))
        db.execute(text(RATE))
        study = get_study(db, "study")
        assert study

    def glanced() -> str:
        with engine.begin() as db:
            found = marks.glance(db, study, ALL)
            assert found
            return found.name

    with engine.begin() as db:
        seen = marks.glance(db, study, ALL)
        assert seen
        marks.keep(marks.look(db, seen), "new")
    assert marks.is_slow(study.id)
    for change, name in ((CHANGES[0], "new"), (CHANGES[4], "")):
        with engine.begin() as db:
            db.execute(text(change))
        assert glanced() == name
    with engine.begin() as db:
        seen = marks.glance(db, study, ALL)
        assert seen
        assert not marks.look(db, seen).name
