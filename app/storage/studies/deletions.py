"""Deletions recorded outside of the database, and repeated after an older backup has been restored.

A backup from before a deletion contains what was deleted. The list holds no answers and no names: for a rater the row
of `withdrawals` (receipt, times, hash of the cookie), for a study its number and random token.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from sqlalchemy import text

from app.storage.raters.withdrawals import delete_rows
from app.storage.studies.life import delete_study

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

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
