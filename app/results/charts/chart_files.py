"""Cache of chart files, by the hash of the chart's specification."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from importlib.metadata import version

from sqlalchemy import Connection, select, text

from app.base.database.engine import Begin
from app.rating.withdrawal.withdraw import N_DELETED_RATERS, lock_deletions
from app.results.charts.drawing_process import DRAWING_PROCESS
from app.results.charts.render import FORMATS, Format
from app.results.charts.theme import Spec
from app.results.tables import chart_files

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


# Chart files: slow to create, so they are cached.


@dataclass(frozen=True, slots=True)
class Drawing:
    """The specification of a chart of a study, read when the answers of `n_deleted` raters had been deleted."""

    study_id: int
    n_deleted: int
    spec: Spec


def chart_picture(begin: Begin, drawing: Drawing, picture: Format) -> tuple[str, bytes]:
    """The media type and the bytes of a chart, from the cache or newly created.

    The cache key is the hash of the specification and the version of the renderer.
    """
    drawn = json.dumps([version("vl-convert-python"), drawing.spec], sort_keys=True)
    sha256 = hashlib.sha256(drawn.encode()).hexdigest()
    with begin() as db:
        content = get_chart_file(db, sha256, picture)
    if content is None:
        content = DRAWING_PROCESS.render(drawing.spec, picture)
        with begin() as db:
            record_chart_file(db, drawing.study_id, drawing.n_deleted, sha256, picture, content)
    return FORMATS[picture], content
