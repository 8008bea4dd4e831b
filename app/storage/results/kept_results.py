"""The last results of a study, which every server process can show at once. They may always be deleted."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from sqlalchemy import text

from app.storage.raters.withdrawals import N_DELETED_RATERS, lock_deletions

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

COUNTS = "counts"
# Of all ratings, and with the filters used last.
MAX_KEPT = 8

_RECORD = text(f"""
    INSERT INTO kept_results AS k
      (study_id, part, name, mark, decisions, n_ratings, protocol_version, program, read_at, content)
    SELECT id, :part, :name, :mark, :decisions, :n_ratings, :protocol_version, :program, :read_at, :content
    FROM studies WHERE id = :study AND :n_deleted = {N_DELETED_RATERS}
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
_OUTLINE = (
    f"part, name, mark, decisions, n_ratings, protocol_version, program, read_at, {N_DELETED_RATERS} AS n_deleted"
)
_GET_OUTLINE = text(f"SELECT {_OUTLINE} FROM kept_results WHERE {_USABLE}")  # noqa: S608 - constants only
_GET = text(f"""
    SELECT {_OUTLINE}, content FROM kept_results WHERE {_USABLE}
      AND read_at > coalesce(CAST(:since AS timestamptz), '-infinity')
""")  # noqa: S608 - constants only
_SAME_DATA = text("""
    UPDATE kept_results SET mark = :mark, decisions = :decisions WHERE study_id = :study AND part = :part
""")
_DROP = text("DELETE FROM kept_results WHERE study_id = :study AND part = :part")


@dataclass(frozen=True, slots=True)
class KeptOutline:
    """What is known of kept results without reading them; see the table, and `count_deleted_raters`."""

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
    lock_deletions(db, study_id)
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
