"""Downloads of a study."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from app.web.lead.session import OwnExport

router = APIRouter()


@router.get("/studies/{slug}/ratings.csv")
def export_ratings(request: Request, own: OwnExport, *, spreadsheet: bool = False) -> Response:
    from app.actions.results.exports import ratings_file

    name = f"{own.study.slug}-ratings{'-spreadsheet' if spreadsheet else ''}.csv"
    path = ratings_file(request.app.state.begin, own.study, spreadsheet=spreadsheet)
    return _once(path, name, "text/csv; charset=utf-8")


@router.get("/studies/{slug}/export.zip")
def export_study(request: Request, own: OwnExport) -> Response:
    from app.actions.results.exports import study_zip_file

    return _once(
        study_zip_file(request.app.state.begin, own.study, request.app.state.reports),
        f"{own.study.slug}.zip",
        "application/zip",
    )


def _once(path: Path, name: str, kind: str) -> Response:
    """A response with the file, which is deleted after it was sent."""
    return FileResponse(path, filename=name, media_type=kind, background=BackgroundTask(path.unlink, missing_ok=True))
