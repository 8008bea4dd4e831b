"""The evidence is computed once for the same ratings; after a change, only the raters concerned are read again."""

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, text

from app.rating.review.answers_by_rater import Compared
from app.rating.review.known_evidence import KEPT, KnownEvidence
from tests.kit.builder import build_study, protocol_of

QUESTIONS = Compared("empathy", "preference")
RATE = """
INSERT INTO ratings (study_id, rater_id, question, item_id, response_id, number, active_ms)
SELECT p.study_id, :rater, 'empathy', p.item_id, p.id, 1 + (p.id * :rater) % 5, 1000 * p.id
FROM responses p ORDER BY p.id LIMIT :n
"""
CHANGE = "UPDATE ratings SET number = 5 WHERE id = (SELECT max(id) FROM ratings WHERE rater_id = :rater)"
EXCLUDE = "UPDATE ratings SET exclude = 'late' WHERE id = (SELECT max(id) FROM ratings WHERE rater_id = :rater)"
REMOVE = "DELETE FROM ratings WHERE id = (SELECT max(id) FROM ratings WHERE rater_id = :rater)"
REPLACE = "WITH gone AS (" + REMOVE + ")" + RATE + "OFFSET 4"


@pytest.fixture
def reading(engine: Engine) -> Iterator[Connection]:
    """A study in which three raters have rated four responses; each statement reads what is committed."""
    with engine.begin() as db:
        study = build_study(db, protocol_of(), n_items=3)
        for key in "abc":
            adding = "INSERT INTO raters (study_id, key) VALUES (:study, :key) RETURNING id"
            rater = db.execute(text(adding), {"study": study, "key": key}).scalar_one()
            db.execute(text(RATE), {"rater": rater, "n": 4})
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as db:
        yield db


def asked(db: Connection) -> list[list[int] | None]:
    """Fills with the raters whose answers are read from now on; None stands for all."""
    found: list[list[int] | None] = []

    def note(_db: Any, _cursor: Any, statement: str, values: Any, *_more: Any) -> None:  # noqa: ANN401 - what SQLAlchemy passes
        if "float8send" in statement:
            found.append(sorted(values["raters"]) if "raters" in values else None)

    event.listen(db, "before_cursor_execute", note)
    return found


def test_only_raters_whose_ratings_changed_are_read_again(engine: Engine, reading: Connection) -> None:
    study, known, read = reading.execute(text("SELECT id FROM studies")).scalar_one(), KnownEvidence(), asked(reading)
    first, second, third = reading.execute(text("SELECT id FROM raters ORDER BY id")).scalars()
    before = known.of(reading, study, QUESTIONS)
    assert known.of(reading, study, QUESTIONS) is before
    assert read == [None]
    changes = (
        (first, CHANGE),
        (second, EXCLUDE),
        (third, REMOVE),
        (first, REPLACE),
        (second, "DELETE FROM raters WHERE id = :rater"),
    )
    for rater, change in changes:
        with engine.begin() as db:
            db.execute(text(change), {"rater": rater, "n": 1})
        assert dict(known.of(reading, study, QUESTIONS)) == dict(KnownEvidence().of(reading, study, QUESTIONS)), change
    assert [raters for raters in read if raters is not None] == [[first], [second], [third], [first]]


def test_a_rating_that_is_committed_late_is_noticed(engine: Engine, reading: Connection) -> None:
    """A transaction that began before the ratings were read, and ends afterwards, while another one ends in between."""
    study, known = reading.execute(text("SELECT id FROM studies")).scalar_one(), KnownEvidence()
    rater = reading.execute(text("SELECT min(id) FROM raters")).scalar_one()
    with engine.begin() as slow:
        slow.execute(text(CHANGE), {"rater": rater})
        with engine.begin() as quick:
            quick.execute(text("DELETE FROM ratings WHERE id = (SELECT min(id) FROM ratings)"))
        known.of(reading, study, QUESTIONS)
    assert dict(known.of(reading, study, QUESTIONS)) == dict(KnownEvidence().of(reading, study, QUESTIONS))


def test_evidence_of_few_studies_are_kept(db: Connection) -> None:
    study, known = build_study(db, protocol_of(), n_items=1), KnownEvidence()
    for number in range(KEPT + 1):
        known.of(db, study, Compared(f"question-{number}"))
    assert len(known._known) == 0, "nothing is kept of a study without ratings"
