"""Studies whose retention date has passed are deleted, if their protocol says so and they are closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from app.storage.leads.audit import record_automatic_act
from app.storage.studies.deletions import deletion_of_study
from app.storage.studies.life import (
    announce_deletion,
    count_contents,
    delete_study,
    list_outdated,
    take_back_announcements,
)
from app.storage.studies.protocols import get_protocol
from app.storage.studies.studies import DELETION_NOTICE

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

    from app.actions.deletion_list import DeletionList
    from app.storage.database.engine import Begin
    from app.storage.studies.life import OutdatedStudy


class Outdated(NamedTuple):
    """Slugs of studies whose retention date has passed."""

    announced: list[str]
    deleted: list[str]


def delete_outdated(begin: Begin, deletions: DeletionList, now: datetime) -> Outdated:
    """Announce the deletion of studies whose retention date has passed, and delete them a day later."""
    found = Outdated([], [])
    with begin() as db:
        outdated = [study for study in list_outdated(db, now.date()) if _deletes_itself(db, study)]
        take_back_announcements(db, [study.id for study in outdated])
        for study in outdated:
            if study.deletion_announced_at is None or study.deletion_announced_at > now:
                announce_deletion(db, study.id, now)
                record_automatic_act(db, study.id, study.slug, "deletion at the retention date announced")
                found.announced.append(study.slug)
            elif now - study.deletion_announced_at >= DELETION_NOTICE:
                _delete(db, study, deletions)
                found.deleted.append(study.slug)
    return found


def _deletes_itself(db: Connection, study: OutdatedStudy) -> bool:
    return get_protocol(db, study.id, study.protocol_version).privacy.delete_at_retention


def _delete(db: Connection, study: OutdatedStudy, deletions: DeletionList) -> None:
    counts = count_contents(db, study.id)
    deletions.add(deletion_of_study(db, study.id))
    delete_study(db, study.id)
    record_automatic_act(db, study.id, study.slug, "study deleted at its retention date", **counts)
