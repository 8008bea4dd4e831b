"""Downloads of a study: the page that explains each file, and the files."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from fastapi import APIRouter, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, Response

from app.web.errors import PageError
from app.web.lead.results.asked import Asked
from app.web.lead.results.download_list import DownloadName, downloads_of, explained_columns
from app.web.lead.session import OwnExport, OwnForLong
from app.web.rendering.pages import page

router = APIRouter()
ReportFormat = Literal["html", "pdf", "docx", "zip"]
TOO_MANY = (
    "The study has more rows than a sheet of Excel can hold. Download ratings.csv or ratings.parquet instead, and read "
    "it with R or pandas."
)


@router.get("/studies/{slug}/downloads")
def show_downloads(request: Request, own: OwnForLong) -> Response:
    """The page: what is in each file, how to read it, and what the columns of the answers mean."""
    from app.storage.studies.protocols import get_protocol

    with request.app.state.begin() as db:
        protocol = get_protocol(db, own.study.id, own.study.protocol_version)
    context: dict[str, Any] = {
        "groups": downloads_of(own.study.slug, request.app.url_path_for),
        "columns": explained_columns(protocol),
        "answers": [
            (protocol.labels.question(question.key), question, [one for one in question.meanings() if one[0]])
            for question in protocol.questions
        ],
    }
    return page(request, "lead/downloads.html", lead=own.lead, study=own.study, **context)


@router.get("/studies/{slug}/downloads/{file}")
def export_download(request: Request, own: OwnExport, file: DownloadName) -> Response:
    from app.actions.results.exports import TooManyRowsError, download_file
    from app.exchange.downloads.files import MEDIA_TYPES

    try:
        path = download_file(request.app.state.begin_reading, own.study, file, request.app.state.downloads)
    except TooManyRowsError:
        raise PageError(TOO_MANY) from None
    return sent_once(path, f"{own.study.slug}-{file}", MEDIA_TYPES[file])


@router.get("/studies/{slug}/ratings.csv")
def export_ratings(request: Request, own: OwnExport, *, spreadsheet: bool = False) -> Response:
    from app.actions.results.exports import ratings_file, spreadsheet_file

    state = request.app.state
    if spreadsheet:
        path, name = spreadsheet_file(state.begin_reading, own.study, state.downloads), "ratings-spreadsheet.csv"
    else:
        path, name = ratings_file(state.begin_reading, own.study), "ratings.csv"
    return sent_once(path, f"{own.study.slug}-{name}", "text/csv; charset=utf-8")


@router.get("/studies/{slug}/export.zip")
def export_study(request: Request, own: OwnExport) -> Response:
    from app.actions.results.exports import study_zip_file

    state = request.app.state
    path = study_zip_file(state.begin_reading, own.study, state.downloads)
    return sent_once(path, f"{own.study.slug}.zip", "application/zip")


@router.get("/studies/{slug}/report.{file_format}")
def export_report(request: Request, own: OwnExport, asked: Asked, file_format: ReportFormat) -> Response:
    """The report for a paper: one file, or all formats in an archive."""
    from app.actions.results.report_download import report_download

    begin = request.app.state.begin_reading
    opened = asked.opened(request, own) if asked.snapshot else None
    made = opened.made if opened else asked.whole_report(request, own)
    version = opened.row.protocol_version if opened else own.study.protocol_version
    kind, content = report_download(begin, own.study, made, version, file_format)
    part = "-filtered" if made.filters else ""
    name = f"{own.study.slug}-report{part}.{file_format}"
    return Response(content, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}"'})


def sent_once(path: Path, name: str, kind: str) -> Response:
    """A response with the file, which is deleted after it was sent."""
    return FileResponse(path, filename=name, media_type=kind, background=BackgroundTask(path.unlink, missing_ok=True))
