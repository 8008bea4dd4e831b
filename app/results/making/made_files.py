"""What jobs made, in the database, where every web process finds it. It may always be deleted: it is made again."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import BinaryIO

from sqlalchemy import Connection, text

from app.base.web.errors import GoneError
from app.rating.withdrawal.withdraw import N_DELETED_RATERS, lock_deletions

GONE = "This file is no longer kept. Download it again."
MADE, REFUSED, STOPPED = "made", "refused", "stopped"
# A file of a gigabyte would otherwise be in memory at once, several times.
PIECE = 4_000_000

# What is of no earlier time than the request, or of any time if it always is the same. An attempt that was stopped is
# one of many. The row of the study is locked: a study that is being deleted is waited for, and is gone then.
_GET = text("""
    SELECT state, begun_at, name, CASE WHEN state = 'made' THEN '' ELSE convert_from(content, 'UTF8') END AS words
    FROM made_files WHERE study_id = :study AND part = :part AND place = 0 AND drop_at > now()
      AND (begun_at >= :since OR :is_lasting AND state <> 'stopped')
""")
_PIECE = text("""
    SELECT content FROM made_files WHERE study_id = :study AND part = :part AND begun_at = :begun_at AND place = :place
""")
_RECORD = text(f"""
    INSERT INTO made_files (study_id, part, place, begun_at, drop_at, state, name, content)
    SELECT id, :part, :place, :begun_at, now() + CAST(:kept AS interval), :state, :name, :content
    FROM studies WHERE id = :study AND :n_deleted = {N_DELETED_RATERS} FOR KEY SHARE
""")  # noqa: S608 - constants only
_REPLACE = text("DELETE FROM made_files WHERE study_id = :study AND part = :part")
_FORGET = text("DELETE FROM made_files WHERE drop_at < now()")
_NOW = text("SELECT clock_timestamp()")


@dataclass(frozen=True, slots=True)
class Made:
    """What a job left: a file, or the words that say why there is none.

    It was `refused` for a reason in the study, and the next attempt would be too; or `stopped`, because it took too
    much or failed. `name`: that of the file; empty for what only pages read.
    """

    study_id: int
    part: str
    state: str
    begun_at: datetime
    name: str
    words: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt at making something, read when the answers of `n_deleted` raters had been deleted."""

    study_id: int
    part: str
    begun_at: datetime
    n_deleted: int
    kept: timedelta
    name: str = ""


def database_time(db: Connection) -> datetime:
    """The time of the database: what was asked for and what has begun is compared by one clock."""
    found: datetime = db.execute(_NOW).scalar_one()
    return found


def get_made(db: Connection, study_id: int, part: str, since: datetime, *, is_lasting: bool = False) -> Made | None:
    """What was begun since then; of what is lasting, what was begun before too."""
    row = db.execute(_GET, {"study": study_id, "part": part, "since": since, "is_lasting": is_lasting}).one_or_none()
    return None if row is None else Made(study_id, part, row.state, row.begun_at, row.name, row.words)


def copy_content(db: Connection, made: Made, file: BinaryIO) -> None:
    """Write the content to a file.

    Raises:
        GoneError: it has just been replaced or deleted.
    """
    values = {"study": made.study_id, "part": made.part, "begun_at": made.begun_at}
    place = 0
    while (content := db.execute(_PIECE, {**values, "place": place}).scalar()) is not None:
        file.write(content)
        place += 1
    if place == 0:
        raise GoneError(GONE)


def record_made(db: Connection, attempt: Attempt, path: Path) -> None:
    """Keep a file in the place of an earlier one.

    Nothing is kept if the study or a rater's answers were deleted since the attempt began: the file may show them.
    """
    values = _replaced(db, attempt) | {"state": MADE}
    with path.open("rb") as file:
        place = 0
        while (content := file.read(PIECE)) or place == 0:
            db.execute(_RECORD, {**values, "place": place, "content": content})
            place += 1


def record_not_made(db: Connection, attempt: Attempt, state: str, words: str) -> None:
    """Keep why no file was made: it was refused, or the attempt was stopped."""
    db.execute(_RECORD, {**_replaced(db, attempt), "state": state, "place": 0, "content": words.encode()})


def forget_made(db: Connection) -> None:
    """Delete the files whose time is over, of all studies."""
    db.execute(_FORGET)


def _replaced(db: Connection, attempt: Attempt) -> dict[str, object]:
    lock_deletions(db, attempt.study_id)
    db.execute(_REPLACE, {"study": attempt.study_id, "part": attempt.part})
    return {
        "study": attempt.study_id,
        "part": attempt.part,
        "begun_at": attempt.begun_at,
        "n_deleted": attempt.n_deleted,
        "kept": attempt.kept,
        "name": attempt.name,
    }
