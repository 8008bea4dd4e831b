"""Cache of chart files, by the hash of the chart's specification."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select, text

from app.storage.raters.withdrawals import N_DELETED_RATERS, lock_deletions
from app.storage.tables import chart_files

if TYPE_CHECKING:
    from sqlalchemy import Connection

# The row of the study is locked: a study that is being deleted is waited for, and is gone then.
_RECORD = text(f"""
    INSERT INTO chart_files (sha256, format, content)
    SELECT :sha256, :format, :content FROM studies WHERE id = :study AND :n_deleted = {N_DELETED_RATERS}
    FOR KEY SHARE
    ON CONFLICT DO NOTHING
""")  # noqa: S608 - constants only


def get_chart_file(db: Connection, sha256: str, picture: str) -> bytes | None:
    """A cached chart file, or None."""
    statement = select(chart_files.c.content).where(chart_files.c.sha256 == sha256, chart_files.c.format == picture)
    content = db.execute(statement).scalar()
    return None if content is None else bytes(content)


def record_chart_file(db: Connection, study_id: int, n_deleted: int, sha256: str, picture: str, content: bytes) -> None:
    """Cache a chart file; if one is cached already, it is kept.

    Nothing is stored if the study or a rater's answers were deleted since the chart's data were read, when the answers
    of `n_deleted` raters had been deleted: the deletion has removed all chart files, and this one may show the answers.
    """
    lock_deletions(db, study_id)
    values = {"study": study_id, "n_deleted": n_deleted, "sha256": sha256, "format": picture, "content": content}
    db.execute(_RECORD, values)
