"""Deletions recorded outside of the database, and repeated after an older backup has been restored.

A backup from before a deletion contains what was deleted. The list holds no answers and no names: for a rater the row
of `withdrawals` (receipt, times, hash of the cookie), for a study its number and random token.
"""

import json
import logging
import os
from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from app.base.database.engine import Begin
from app.base.postgres.private_files import open_private
from app.rating.withdrawal.withdraw import delete_rows
from app.studies.audit import record_automatic_act
from app.studies.protocols import get_protocol
from app.studies.studies import (
    DELETION_NOTICE,
    OutdatedStudy,
    announce_deletion,
    count_contents,
    delete_study,
    list_outdated,
    take_back_announcements,
)

Deletion = dict[str, Any]
_OF_RATER = text("""
    SELECT s.rater_token, to_jsonb(w) AS withdrawal FROM withdrawals w JOIN studies s ON s.id = w.study_id
    WHERE w.study_id = :study AND w.receipt = :receipt
""")
_OF_STUDY = text("SELECT id, rater_token FROM studies WHERE id = :study")
_STUDY = text("SELECT id FROM studies WHERE id = :study AND rater_token = :token")
_SESSION = text("""
    SELECT id, rater_id FROM rating_sessions
    WHERE study_id = :study AND token_hash = decode(substr(:hash, 3), 'hex')
""")
# An older backup may lack the version of the protocol that the rater saw.
_RECORD = text("""
    INSERT INTO withdrawals
    SELECT w.* FROM jsonb_populate_record(NULL::withdrawals, CAST(:row AS jsonb) || jsonb_build_object(
      'protocol_version', (SELECT coalesce(max(version) FILTER (WHERE version <= :version), min(version))
                           FROM protocols WHERE study_id = :study))) w
    ON CONFLICT (study_id, token_hash) DO UPDATE SET deleted_at = EXCLUDED.deleted_at, receipt = EXCLUDED.receipt
""")


def deletion_of_rater(db: Connection, study_id: int, receipt: str) -> Deletion:
    """The record of a rater whose answers were deleted."""
    row = db.execute(_OF_RATER, {"study": study_id, "receipt": receipt}).one()
    return {"kind": "rater", "study": study_id, "token": row.rater_token, "withdrawal": row.withdrawal}


def deletion_of_study(db: Connection, study_id: int) -> Deletion:
    """The record of a study that is about to be deleted."""
    row = db.execute(_OF_STUDY, {"study": study_id}).one()
    return {"kind": "study", "study": study_id, "token": row.rater_token}


def delete_again(db: Connection, deletions: Iterable[Deletion]) -> int:
    """Carry out all deletions that this database does not know of; returns how many raters and studies it still had."""
    return sum(_delete(db, deletion) for deletion in deletions)


def _delete(db: Connection, deletion: Deletion) -> bool:
    study = {"study": deletion["study"], "token": deletion["token"]}
    if db.execute(_STUDY, study).one_or_none() is None:
        return False
    if deletion["kind"] == "study":
        delete_study(db, deletion["study"])
        return True
    row = deletion["withdrawal"]
    session = db.execute(_SESSION, {"study": deletion["study"], "hash": row["token_hash"]}).one_or_none()
    values = {"row": json.dumps(row), "study": deletion["study"], "version": row["protocol_version"]}
    db.execute(_RECORD, values)
    if session is None:
        return False
    delete_rows(db, deletion["study"], session.id, session.rater_id, row["receipt"])
    return True


# The list of deletions beside the backups: one line of JSON per deletion, on disk before the deletion is committed.

NAME = "deletions.jsonl"
log = logging.getLogger("attune.store")


class DeletionList:
    """The list of deletions beside the backups, which `attune restore` carries out again."""

    def __init__(self, folder: Path) -> None:
        """Nothing is created before the first deletion."""
        self.file = folder / NAME

    def add(self, deletion: Deletion) -> None:
        """Record a deletion. If the folder cannot be written to, this is logged, and the deletion goes on."""
        try:
            self.add_all([deletion])
        except OSError as error:
            log.error("a deletion could not be recorded in %s: %s", self.file, error.strerror)  # noqa: TRY400

    def add_all(self, deletions: Iterable[Deletion]) -> None:
        """Append deletions that the list does not have.

        Raises:
            OSError: the folder cannot be written.
        """
        known = self.read()
        lines = [json.dumps(deletion) + "\n" for deletion in deletions if deletion not in known]
        self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = open_private(self.file, os.O_WRONLY | os.O_APPEND)
        try:
            os.write(fd, "".join(lines).encode())
            os.fsync(fd)
        finally:
            os.close(fd)

    def read(self) -> list[Deletion]:
        """All deletions; a last line that was cut off by a crash is left out, its deletion was not committed.

        Raises:
            OSError: the file exists but cannot be read.
        """
        if not self.file.exists():
            return []
        lines = self.file.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in lines[:-1] if line.strip()]


# Studies whose retention date has passed are deleted, if their protocol says so and they are closed.


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
                _delete_due(db, study, deletions)
                found.deleted.append(study.slug)
    return found


def _deletes_itself(db: Connection, study: OutdatedStudy) -> bool:
    return get_protocol(db, study.id, study.protocol_version).privacy.delete_at_retention


def _delete_due(db: Connection, study: OutdatedStudy, deletions: DeletionList) -> None:
    counts = count_contents(db, study.id)
    deletions.add(deletion_of_study(db, study.id))
    delete_study(db, study.id)
    record_automatic_act(db, study.id, study.slug, "study deleted at its retention date", **counts)
