"""Snapshots: reports of a study that are kept under a name, each with an address that is never used again."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, text

_RECORD = text("""
    INSERT INTO snapshots (study_id, name, protocol_version, data_hash, read_at, report, lead_id)
    VALUES (:study, :name, :version, :data_hash, :read_at, :report, :lead) RETURNING token
""")
_LIST = text("""
    SELECT token, name, protocol_version, data_hash, read_at, saved_at FROM snapshots
    WHERE study_id = :study ORDER BY saved_at, token
""")
_GET = text("""
    SELECT token, name, protocol_version, data_hash, read_at, saved_at, report FROM snapshots
    WHERE study_id = :study AND token = :token
""")
_FIND = text("""
    SELECT s.slug, n.deleted_at FROM snapshots n LEFT JOIN studies s ON s.id = n.study_id WHERE n.token = :token
""")


@dataclass(frozen=True, slots=True)
class SnapshotRow:
    """One snapshot; `read_at` is when its ratings were read."""

    token: str
    name: str
    protocol_version: int
    data_hash: str
    read_at: datetime
    saved_at: datetime


@dataclass(frozen=True, slots=True)
class SnapshotPlace:
    """Where a snapshot is: the slug of its study, or when that was deleted."""

    slug: str | None
    deleted_at: datetime | None


def record_snapshot(
    db: Connection,
    study_id: int,
    *,
    name: str,
    version: int,
    data_hash: str,
    read_at: datetime,
    report: bytes,
    lead_id: int | None,
) -> str:
    """Store a snapshot; returns its token."""
    row = {"study": study_id, "name": name, "version": version, "data_hash": data_hash, "read_at": read_at}
    return str(db.execute(_RECORD, {**row, "report": report, "lead": lead_id}).scalar_one())


def list_snapshots(db: Connection, study_id: int) -> list[SnapshotRow]:
    """All snapshots of a study, the oldest first."""
    return [SnapshotRow(*row) for row in db.execute(_LIST, {"study": study_id})]


def get_snapshot(db: Connection, study_id: int, token: str) -> tuple[SnapshotRow, bytes] | None:
    """A snapshot of this study with its report, or None."""
    row = db.execute(_GET, {"study": study_id, "token": token}).one_or_none()
    return None if row is None else (SnapshotRow(*row[:-1]), bytes(row.report))


def find_snapshot(db: Connection, token: str) -> SnapshotPlace | None:
    """Where the snapshot with this token is, or None if there never was one."""
    row = db.execute(_FIND, {"token": token}).one_or_none()
    return None if row is None else SnapshotPlace(row.slug, row.deleted_at)
