"""Studies whose retention date has passed are deleted, if their protocol says so and they are closed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.storage.leads.audit import record_automatic_act
from app.storage.studies.deletions import deletion_of_study
from app.storage.studies.life import count_contents, delete_study, list_outdated
from app.storage.studies.protocols import get_protocol

if TYPE_CHECKING:
    from datetime import date

    from app.actions.deletion_list import DeletionList
    from app.storage.database.engine import Begin


def delete_outdated(begin: Begin, deletions: DeletionList, today: date) -> list[str]:
    """Delete the studies whose data were to be kept until a day before `today`; returns their slugs."""
    deleted = []
    with begin() as db:
        for study_id, slug, version in list_outdated(db, today):
            if not get_protocol(db, study_id, version).privacy.delete_at_retention:
                continue
            counts = count_contents(db, study_id)
            deletions.add(deletion_of_study(db, study_id))
            delete_study(db, study_id)
            record_automatic_act(db, study_id, slug, "study deleted at its retention date", **counts)
            deleted.append(slug)
    return deleted
