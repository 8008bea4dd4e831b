"""Studies are deleted after their retention date only if their protocol says so and they collect no data."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from app.rating.life_cycle import open_study
from app.rating.withdrawal.deletions import DeletionList, Outdated, delete_outdated
from app.studies.studies import record_keep_until
from tests.kit.builder import build_study, protocol_of

DELETES = {"delete_at_retention": True}
KEPT_UNTIL = date(2026, 11, 21)
AFTER = datetime(2026, 11, 22, 3, tzinfo=UTC)
HOURS, NEARLY_A_DAY, A_DAY = timedelta(hours=6), timedelta(hours=23, minutes=59), timedelta(days=1)


@pytest.fixture
def delete(db: Connection, tmp_path: Path) -> Callable[[datetime], Outdated]:
    """What the server does at a time."""

    @contextmanager
    def begin() -> Iterator[Connection]:
        yield db

    return lambda now: delete_outdated(begin, DeletionList(tmp_path), now)


def study_kept(db: Connection, slug: str, privacy: dict[str, bool] = DELETES) -> int:
    study_id = build_study(db, protocol_of(slug=slug, privacy=privacy))
    record_keep_until(db, study_id, KEPT_UNTIL)
    return study_id


def test_only_closed_studies_that_say_so_are_deleted_and_noted(
    db: Connection, tmp_path: Path, delete: Callable[[datetime], Outdated]
) -> None:
    for slug, privacy in (("gone", DELETES), ("open", DELETES), ("reminded", {})):
        study_kept(db, slug, privacy)
    open_study(db, "open")
    assert delete(AFTER - HOURS) == ([], [])
    assert delete(AFTER) == (["gone"], [])
    assert delete(AFTER + NEARLY_A_DAY) == ([], [])
    assert delete(AFTER + A_DAY) == ([], ["gone"])
    slugs = db.execute(text("SELECT slug FROM studies ORDER BY slug")).scalars().all()
    assert slugs == ["open", "reminded"]
    assert [deletion["kind"] for deletion in DeletionList(tmp_path).read()] == ["study"]
    acts = db.execute(text("SELECT slug, action FROM audit_log WHERE lead_id IS NULL ORDER BY id")).all()
    assert [tuple(act) for act in acts] == [
        ("gone", "deletion at the retention date announced"),
        ("gone", "study deleted at its retention date"),
    ]


def test_clock_that_was_ahead_for_hours_deletes_nothing(db: Connection, delete: Callable[[datetime], Outdated]) -> None:
    """It deleted the study at once, years too early."""
    study_kept(db, "small")
    ahead, right = AFTER + timedelta(days=3_000), AFTER - 30 * A_DAY
    assert delete(ahead) == (["small"], [])
    assert delete(right) == ([], [])
    assert delete(AFTER) == (["small"], [])
    assert delete(AFTER + HOURS) == ([], [])


def test_announcement_from_the_future_is_made_again(db: Connection, delete: Callable[[datetime], Outdated]) -> None:
    study_kept(db, "small")
    assert delete(AFTER + A_DAY) == (["small"], [])
    assert delete(AFTER) == (["small"], [])
    assert delete(AFTER + A_DAY) == ([], ["small"])


def test_later_retention_date_takes_the_announcement_back(
    db: Connection, delete: Callable[[datetime], Outdated]
) -> None:
    study_id = study_kept(db, "small")
    delete(AFTER)
    record_keep_until(db, study_id, KEPT_UNTIL + 2 * A_DAY)
    assert delete(AFTER + A_DAY) == ([], [])
    assert delete(AFTER + 2 * A_DAY) == (["small"], [])
