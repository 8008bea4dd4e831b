"""The last results of a study, which every server process can show at once. They may always be deleted."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

from app.storage.database.process_locks import lock_until_commit

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

COUNTS = "counts"
# Of all ratings, and with the filters used last.
MAX_KEPT = 8

# The lock of transactions that keep results, and of those that delete them with a rater's answers. Each waits for the
# other: results are kept before the deletion, which then deletes them, or after it, which can then be counted.
_KEEPING = "keeping results"
_N_DELETED = "(SELECT count(deleted_at) FROM withdrawals WHERE study_id = :study)"
_RECORD = text(f"""
    INSERT INTO kept_results AS k
      (study_id, part, name, mark, decisions, n_ratings, protocol_version, program, read_at, content)
    SELECT id, :part, :name, :mark, :decisions, :n_ratings, :protocol_version, :program, :read_at, :content
    FROM studies WHERE id = :study AND :n_deleted = {_N_DELETED}
    ON CONFLICT (study_id, part) DO UPDATE SET
      name = excluded.name, mark = excluded.mark, decisions = excluded.decisions, n_ratings = excluded.n_ratings,
      protocol_version = excluded.protocol_version, program = excluded.program, read_at = excluded.read_at,
      content = excluded.content
    WHERE k.read_at < excluded.read_at OR k.program <> excluded.program
""")  # noqa: S608 - constants only
_DROP_OLD = text("""
    DELETE FROM kept_results WHERE study_id = :study AND part NOT IN (
      SELECT part FROM kept_results WHERE study_id = :study ORDER BY read_at DESC LIMIT :most)
""")
_USABLE = "study_id = :study AND part = :part AND program = :program"
_OUTLINE = f"part, name, mark, decisions, n_ratings, protocol_version, program, read_at, {_N_DELETED} AS n_deleted"
_GET_OUTLINE = text(f"SELECT {_OUTLINE} FROM kept_results WHERE {_USABLE}")  # noqa: S608 - constants only
_GET = text(f"""
    SELECT {_OUTLINE}, content FROM kept_results WHERE {_USABLE}
      AND read_at > coalesce(CAST(:since AS timestamptz), '-infinity')
""")  # noqa: S608 - constants only
_SAME_DATA = text("""
    UPDATE kept_results SET mark = :mark, decisions = :decisions WHERE study_id = :study AND part = :part
""")
_DROP = text("DELETE FROM kept_results WHERE study_id = :study AND part = :part")
_DROP_ALL = text("DELETE FROM kept_results WHERE study_id = :study")
_COUNT_DELETED = text(f"SELECT {_N_DELETED}")


@dataclass(frozen=True, slots=True)
class KeptOutline:
    """What is known of kept results without reading them; see the table and `count_deleted_raters`."""

    part: str
    name: str
    mark: str
    decisions: str
    n_ratings: int
    protocol_version: int
    program: str
    read_at: datetime
    n_deleted: int


def record_kept(db: Connection, study_id: int, outline: KeptOutline, content: bytes) -> None:
    """Keep results in the place of earlier ones, unless a rater's answers were deleted since they were read."""
    lock_until_commit(db, _KEEPING, study_id)
    db.execute(_RECORD, {**asdict(outline), "study": study_id, "content": content})
    db.execute(_DROP_OLD, {"study": study_id, "most": MAX_KEPT})


def record_same_data(db: Connection, study_id: int, part: str, *, mark: str, decisions: str) -> None:
    """Note that the data of kept results have another mark now, although they are the same."""
    db.execute(_SAME_DATA, {"study": study_id, "part": part, "mark": mark, "decisions": decisions})


def get_kept_outline(db: Connection, study_id: int, part: str, program: str) -> KeptOutline | None:
    """What is known of kept results that this program can show, or None."""
    row = db.execute(_GET_OUTLINE, {"study": study_id, "part": part, "program": program}).one_or_none()
    return None if row is None else KeptOutline(*row)


def get_kept(
    db: Connection, study_id: int, part: str, program: str, *, since: datetime | None = None
) -> tuple[KeptOutline, bytes] | None:
    """Kept results that this program can show, read after `since`, or None."""
    values = {"study": study_id, "part": part, "program": program, "since": since}
    row = db.execute(_GET, values).one_or_none()
    return None if row is None else (KeptOutline(*row[:-1]), bytes(row.content))


def drop_kept(db: Connection, study_id: int, part: str) -> None:
    """Delete kept results; they are computed again when they are needed."""
    db.execute(_DROP, {"study": study_id, "part": part})


def drop_all_kept(db: Connection, study_id: int) -> None:
    """Delete the kept results of the study, in the transaction that deletes a rater's answers, and at its end."""
    lock_until_commit(db, _KEEPING, study_id)
    db.execute(_DROP_ALL, {"study": study_id})


def count_deleted_raters(db: Connection, study_id: int) -> int:
    """Of how many raters the answers were deleted; it never falls.

    To be counted before answers are read: results of the answers of a rater who is deleted later have a lower number
    than the study, also if the answers were read a moment before the deletion was committed.
    """
    return int(db.execute(_COUNT_DELETED, {"study": study_id}).scalar_one())
