"""Studies are deleted after their retention date only if their protocol says so and they collect no data."""

from __future__ import annotations

from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING

from sqlalchemy import text

from app.actions.deletion_list import DeletionList
from app.actions.studies.life_cycle import open_study
from app.actions.studies.retention import delete_outdated
from app.storage.studies.life import record_keep_until
from tests.builder import build_study, protocol_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from sqlalchemy import Connection

DAY = date(2026, 11, 21)
DELETES = {"delete_at_retention": True}


def test_only_closed_studies_that_say_so_are_deleted_and_noted(db: Connection, tmp_path: Path) -> None:
    for slug, privacy in (("gone", DELETES), ("open", DELETES), ("reminded", {})):
        study_id = build_study(db, protocol_of(slug=slug, privacy=privacy))
        record_keep_until(db, study_id, DAY)
    open_study(db, "open")

    @contextmanager
    def begin() -> Iterator[Connection]:
        yield db

    deletions = DeletionList(tmp_path)
    assert delete_outdated(begin, deletions, DAY) == []
    assert delete_outdated(begin, deletions, date(2026, 11, 22)) == ["gone"]
    slugs = db.execute(text("SELECT slug FROM studies ORDER BY slug")).scalars().all()
    assert slugs == ["open", "reminded"]
    assert [deletion["kind"] for deletion in deletions.read()] == ["study"]
    acts = db.execute(text("SELECT slug, action FROM audit_log WHERE lead_id IS NULL")).all()
    assert [tuple(act) for act in acts] == [("gone", "study deleted at its retention date")]
