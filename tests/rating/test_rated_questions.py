"""Ratings have no foreign key to questions; triggers ensure the same, also for transactions at the same time."""

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import IntegrityError

from tests.kit.builder import build_study, protocol_of

RATE = text("""
    INSERT INTO ratings (study_id, rater_id, item_id, question, number)
    SELECT r.study_id, r.id, i.id, :question, 3 FROM raters r JOIN items i USING (study_id) LIMIT 1
""")
DELETE = text("DELETE FROM questions WHERE key = 'empathy'")
N_WAITING = text("""
    SELECT count(*) FROM pg_locks WHERE NOT granted AND pid IN (
      SELECT pid FROM pg_stat_activity WHERE datname = current_database())
""")


@pytest.fixture
def filled(engine: Engine) -> Engine:
    with engine.begin() as db:
        study = build_study(db, protocol_of(), n_items=1)
        db.execute(text("INSERT INTO raters (study_id, key) VALUES (:study, 'anna')"), {"study": study})
    return engine


def rate(engine: Engine, question: str = "empathy") -> None:
    with engine.begin() as db:
        db.execute(RATE, {"question": question})


def delete(engine: Engine) -> None:
    with engine.begin() as db:
        db.execute(DELETE)


def wait_until_one_waits(db: Connection) -> None:
    end = time.monotonic() + 30
    while not db.execute(N_WAITING).scalar_one():
        db.rollback()
        assert time.monotonic() < end
        time.sleep(0.01)


def test_questions_and_ratings_belong_together(filled: Engine) -> None:
    with pytest.raises(IntegrityError, match="the question of a rating does not exist"):
        rate(filled, "unknown")
    rate(filled)
    with pytest.raises(IntegrityError, match="the question has ratings"):
        delete(filled)
    with filled.begin() as db:
        assert db.execute(text("DELETE FROM questions WHERE key = 'preference'")).rowcount == 1


def test_deleting_a_question_waits_for_open_ratings(filled: Engine) -> None:
    with ThreadPoolExecutor(1) as pool, filled.connect() as db, filled.connect() as watcher:
        db.execute(RATE, {"question": "empathy"})
        deletion = pool.submit(delete, filled)
        wait_until_one_waits(watcher)
        db.commit()
        with pytest.raises(IntegrityError, match="the question has ratings"):
            deletion.result(30)


def test_rating_waits_for_a_question_that_is_being_deleted(filled: Engine) -> None:
    with ThreadPoolExecutor(1) as pool, filled.connect() as db, filled.connect() as watcher:
        db.execute(DELETE)
        rating = pool.submit(rate, filled)
        wait_until_one_waits(watcher)
        db.commit()
        with pytest.raises(IntegrityError, match="the question of a rating does not exist"):
            rating.result(30)
