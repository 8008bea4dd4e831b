"""Downloads of a study."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from app.actions.exports import ratings_file, study_zip_file
from app.web.deps import Db
from app.web.lead.session import Own

router = APIRouter()


@router.get("/studies/{slug}/ratings.csv")
def export_ratings(db: Db, study: Own, *, spreadsheet: bool = False) -> Response:
    name = f"{study.slug}-ratings{'-spreadsheet' if spreadsheet else ''}.csv"
    return _once(ratings_file(db, study, spreadsheet=spreadsheet), name, "text/csv; charset=utf-8")


@router.get("/studies/{slug}/export.zip")
def export_study(db: Db, study: Own) -> Response:
    return _once(study_zip_file(db, study), f"{study.slug}.zip", "application/zip")


def _once(path: Path, name: str, kind: str) -> Response:
    """The file, which is gone when it was sent."""
    return FileResponse(path, filename=name, media_type=kind, background=BackgroundTask(path.unlink, missing_ok=True))
