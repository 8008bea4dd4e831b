"""A new study from the files of a study folder, or from one zip of them: checked as a whole, stored or not at all."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from app.actions.new_study import store_upload
from app.design.fault import Fault, FaultsError
from app.storage.leads import Lead
from app.web.deps import Db
from app.web.lead.session import SignedIn, maybe_lead, signed_in_lead
from app.web.pages import page

router = APIRouter()

MOST_FILES = 40
# Thousands of rows can be wrong in the same way; nobody reads more at once.
MOST_FAULTS = 200


@router.get("/studies/new")
def show_new_study(request: Request, lead: SignedIn) -> Response:
    return _form(request, lead)


def check_signed_in(request: Request) -> None:
    """Before a byte is read, and in a transaction that ends: a slow upload must not hold one open."""
    with request.app.state.begin() as db:
        signed_in_lead(maybe_lead(request, db))


async def uploaded_files(request: Request) -> dict[str, bytes]:
    """Name to content. The form is read here and not by a declared field: that would be before the lead is known."""
    await run_in_threadpool(check_signed_in, request)
    async with request.form(max_files=MOST_FILES) as form:
        files = [part for part in form.getlist("files") if isinstance(part, UploadFile) and part.filename]
        return {file.filename or "": await file.read() for file in files}


@router.post("/studies/new")
def submit_new_study(
    request: Request, files: Annotated[dict[str, bytes], Depends(uploaded_files)], lead: SignedIn, db: Db
) -> Response:
    try:
        slug = store_upload(db, files, lead.id)
    except FaultsError as error:
        return _form(request, lead, error.faults, status=422)
    return RedirectResponse(request.app.url_path_for("show_study", slug=slug), status_code=303)


def _form(request: Request, lead: Lead, faults: list[Fault] | None = None, status: int = 200) -> Response:
    errors = [fault for fault in faults or [] if fault.severity == "error"]
    warnings = [fault for fault in faults or [] if fault.severity != "error"]
    return page(
        request, "lead/new_study.html", status=status, lead=lead, n_errors=len(errors),
        faults=[*errors[:MOST_FAULTS], *warnings[:MOST_FAULTS]], max_upload_bytes=request.app.state.max_upload_bytes,
    )  # fmt: skip
