"""A new study from a study folder or from a spreadsheet: checked as a whole, stored or not at all."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from app.actions.studies.new_study import Sheet, SourceColumn, store_sheet, store_template, store_upload
from app.actions.studies.templates import list_templates
from app.design.problem import InvalidInputError, Problem
from app.storage.leads.leads import Lead
from app.web.deps import Db
from app.web.lead.session import SignedIn, maybe_lead, signed_in_lead
from app.web.pages import page

router = APIRouter()

MOST_FILES = 40
# Thousands of rows can be wrong in the same way; nobody reads more at once.
MOST_PROBLEMS = 200
N_SOURCES = 5
USUAL = (("person", "human"), ("model", "model"))
USUAL_FIELDS: dict[str, Any] = {
    "title": "",
    "slug": "",
    "text": "text",
    "item": "",
    "template": {"name": "", "title": "", "slug": ""},
    "source": [name for name, _ in USUAL],
    "kind": [kind for _, kind in USUAL],
    "column": [],
}


class Upload(NamedTuple):
    """What a browser sent: files by name, and every other field with its values."""

    files: dict[str, bytes]
    fields: dict[str, list[str]]

    def text(self, name: str) -> str:
        """The value of a field, or nothing."""
        return next(iter(self.fields.get(name, ())), "").strip()


def check_signed_in(request: Request) -> None:
    """Before a byte is read, and in a transaction that ends: a slow upload must not hold one open."""
    with request.app.state.begin() as db:
        signed_in_lead(maybe_lead(request, db))


async def uploaded(request: Request) -> Upload:
    """The form. It is read here and not by declared fields: that would be before the lead is known."""
    await run_in_threadpool(check_signed_in, request)
    async with request.form(max_files=MOST_FILES) as form:
        parts = form.multi_items()
        files = [part for _, part in parts if isinstance(part, UploadFile) and part.filename]
        fields: dict[str, list[str]] = {}
        for name, part in parts:
            if isinstance(part, str):
                fields.setdefault(name, []).append(part)
        return Upload({file.filename or "": await file.read() for file in files}, fields)


Uploaded = Annotated[Upload, Depends(uploaded)]


@router.get("/studies/new")
def show_new_study(request: Request, lead: SignedIn) -> Response:
    return _form(request, lead, USUAL_FIELDS)


@router.post("/studies/new")
def submit_new_study(request: Request, upload: Uploaded, lead: SignedIn, db: Db) -> Response:
    return _answer(request, lead, upload, lambda: store_upload(db, upload.files, lead.id))


@router.post("/studies/new/template")
def submit_template(request: Request, upload: Uploaded, lead: SignedIn, db: Db) -> Response:
    form = {part: upload.text(part) for part in ("name", "title", "slug")}
    return _answer(request, lead, upload, lambda: store_template(db, **form, lead_id=lead.id))


@router.get("/studies/new/spreadsheet", dependencies=[Depends(check_signed_in)])
@router.get("/studies/new/template", dependencies=[Depends(check_signed_in)])
def show_form_again(request: Request) -> Response:
    """Where a form came back with problems and its address is opened again."""
    return RedirectResponse(request.app.url_path_for("show_new_study"), status_code=303)


@router.post("/studies/new/spreadsheet")
def submit_spreadsheet(request: Request, upload: Uploaded, lead: SignedIn, db: Db) -> Response:
    return _answer(request, lead, upload, lambda: store_sheet(db, _sheet(upload), lead.id))


def _answer(request: Request, lead: Lead, upload: Upload, store: Callable[[], str]) -> Response:
    try:
        slug = store()
    except InvalidInputError as error:
        return _form(request, lead, _typed(upload), error.problems)
    return RedirectResponse(request.app.url_path_for("show_study", slug=slug), status_code=303)


def _typed(upload: Upload) -> dict[str, Any]:
    """What the lead typed, for the form that comes back."""
    if "name" in upload.fields:
        return USUAL_FIELDS | {"template": {part: upload.text(part) for part in ("name", "title", "slug")}}
    if "title" not in upload.fields:
        return USUAL_FIELDS
    lists: dict[str, Any] = {name: upload.fields.get(name, []) for name in ("source", "kind", "column")}
    return USUAL_FIELDS | lists | {name: upload.text(name) for name in ("title", "slug", "text", "item")}


def _sheet(upload: Upload) -> Sheet:
    name, content = next(iter(upload.files.items()), ("", b""))
    rows = zip_longest(*(upload.fields.get(part, []) for part in ("source", "kind", "column")), fillvalue="")
    columns = [SourceColumn(source.strip(), kind, column) for source, kind, column in rows if source.strip() and column]
    fields = {part: upload.text(part) for part in ("title", "slug", "text", "item")}
    return Sheet(name, content, columns=columns, **fields)


def _form(request: Request, lead: Lead, fields: dict[str, Any], problems: list[Problem] | None = None) -> Response:
    errors = [problem for problem in problems or [] if problem.severity == "error"]
    notes = [problem for problem in problems or [] if problem.severity != "error"]
    kinds = [*fields["kind"], *["model"] * N_SOURCES]
    rows = zip_longest(range(N_SOURCES), fields["source"], kinds, fields["column"], fillvalue="")
    return page(
        request,
        "lead/new_study.html",
        status=422 if problems else 200,
        lead=lead,
        n_errors=len(errors),
        problems=[*errors[:MOST_PROBLEMS], *notes[:MOST_PROBLEMS]],
        fields=fields,
        templates=list_templates(),
        sources=[(source, kind, column) for _, source, kind, column in rows][:N_SOURCES],
        max_upload_bytes=request.app.state.max_upload_bytes,
    )
