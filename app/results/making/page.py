"""What jobs make, sent as soon as it is there: at once, or by a page that says how far it is."""

from datetime import datetime
from pathlib import Path as FilePath
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Path, Query, Request
from starlette.background import BackgroundTask
from starlette.responses import FileResponse, RedirectResponse, Response

from app.base.files.temporary_file import temporary_file
from app.base.processes.side_process import SideProcessBusyError, SideProcessError
from app.base.rendering.pages import page
from app.base.web.errors import GoneError, PageError
from app.results.making.made_files import GONE, MADE, REFUSED, STOPPED, Made, copy_content, get_made
from app.results.making.making import FILES, InTheMaking, Making, Wanted, get_making
from app.studies.own_study import OwnForLong
from app.studies.studies import StudyRow

router = APIRouter()
MEDIA_TYPES = {
    "csv": "text/csv; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "html": "text/html; charset=utf-8",
    "jsonl": "application/jsonl; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "pdf": "application/pdf",
    "R": "text/plain; charset=utf-8",
    "sps": "text/plain; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
}
# A browser shows how far the file is after so long. A program waits longer, because it could not read the page.
PATIENCE_S, PATIENCE_OF_PROGRAMS_S = 2.0, 300.0
NOT_READY = "The file is not ready after {:.0f} seconds. It is still being made: ask for it again in a few minutes."
Part = Annotated[str, Path(max_length=200)]
Since = Annotated[datetime, Query()]


def made_file(request: Request, study: StudyRow, wanted: Wanted) -> Response:
    """The file, or where a browser sees how far it is.

    Raises:
        PageError: it cannot be made of this study.
        SideProcessError: it was not made, for the reason in the message, or a program has waited for too long.
    """
    making: Making = request.app.state.making
    is_browser = "text/html" in request.headers.get("accept", "")
    found = making.get(study, wanted, patience_s=PATIENCE_S if is_browser else PATIENCE_OF_PROGRAMS_S)
    if isinstance(found, InTheMaking):
        if not is_browser:
            raise SideProcessBusyError(NOT_READY.format(PATIENCE_OF_PROGRAMS_S))
        return RedirectResponse(_address(request, study, "show_making", wanted.part, found.since), 303)
    return _sent(request, found)


@router.get("/studies/{slug}/making/{part}")
def show_making(request: Request, own: OwnForLong, part: Part, since: Since) -> Response:
    """How far a file is, and then its address."""
    with request.app.state.begin() as db:
        computing = get_making(db, own.study.id, FILES, part)
        made = get_made(db, own.study.id, part, since)
    if computing is None and made is None:
        raise GoneError(GONE)
    if made and made.state != MADE:
        return _sent(request, made)
    file = _address(request, own.study, "export_made", part, since) if made else ""
    context: dict[str, Any] = {"computing": computing, "name": made.name if made else part, "file": file}
    context["address"] = str(request.url)
    return page(request, "results/making/making.html", lead=own.lead, study=own.study, **context)


@router.get("/studies/{slug}/made/{part}")
def export_made(request: Request, own: OwnForLong, part: Part, since: Since) -> Response:
    """A file that was made. Its making was counted and logged as a download."""
    with request.app.state.begin() as db:
        made = get_made(db, own.study.id, part, since)
    if made is None:
        raise GoneError(GONE)
    return _sent(request, made)


def sent_once(path: FilePath, name: str) -> Response:
    """A response with the file, which is deleted after it was sent."""
    kind = MEDIA_TYPES[name.rpartition(".")[2]]
    return FileResponse(path, filename=name, media_type=kind, background=BackgroundTask(path.unlink, missing_ok=True))


def _sent(request: Request, made: Made) -> Response:
    if made.state == REFUSED:
        raise PageError(made.words)
    if made.state == STOPPED:
        raise SideProcessError(made.words)
    with request.app.state.begin() as db:
        path = temporary_file(lambda file: copy_content(db, made, file))
    return sent_once(path, made.name)


def _address(request: Request, study: StudyRow, handler: str, part: str, since: datetime) -> str:
    address = request.app.url_path_for(handler, slug=study.slug, part=part)
    return f"{address}?{urlencode({'since': since.isoformat()})}"
