"""Cache of chart files, by the hash of the chart's specification."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.storage.tables import chart_files

if TYPE_CHECKING:
    from sqlalchemy import Connection


def get_chart_file(db: Connection, sha256: str, picture: str) -> bytes | None:
    """A cached chart file, or None."""
    statement = select(chart_files.c.content).where(chart_files.c.sha256 == sha256, chart_files.c.format == picture)
    content = db.execute(statement).scalar()
    return None if content is None else bytes(content)


def record_chart_file(db: Connection, sha256: str, picture: str, content: bytes) -> None:
    """Cache a chart file; if one is cached already, it is kept."""
    statement = insert(chart_files).values(sha256=sha256, format=picture, content=content)
    db.execute(statement.on_conflict_do_nothing())
