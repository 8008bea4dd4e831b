"""What tests of kept results do to the data, and how they wait."""

import time
from collections.abc import Callable

from sqlalchemy import Connection, Engine, text

from app.studies.studies import StudyRow

PATIENCE_S = 30


def note_a_deletion(db: Connection, study: StudyRow) -> None:
    """Record a deletion as `delete_answers` does first; it deletes the answers and kept results then."""
    db.execute(
        text("""
        INSERT INTO withdrawals (study_id, token_hash, receipt, protocol_version, outcome, deleted_at)
        VALUES (:study, 'gone', 'AAAA-BBBB', 1, 'withdrew', clock_timestamp())
    """),
        {"study": study.id},
    )


def change(engine: Engine, why: str = "a test") -> None:
    """Exclude a rating."""
    with engine.begin() as db:
        db.execute(text("UPDATE ratings SET exclude = :why WHERE id = (SELECT min(id) FROM ratings)"), {"why": why})


def n_kept(engine: Engine) -> int:
    with engine.begin() as db:
        return int(db.execute(text("SELECT count(*) FROM kept_results")).scalar_one())


def until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)
