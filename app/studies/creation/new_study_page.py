"""Create a study from a folder, a template or a methods section: validated as a whole, stored completely or not."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from app.accounts.leads import Lead
from app.accounts.session import SignedIn, maybe_lead, session_token, signed_in_lead
from app.base.files.file_names import safe_file_name
from app.base.problem import InvalidInputError, Problem
from app.base.rendering.pages import page
from app.studies.creation.new_study import free_slug
from app.studies.creation.templates import (
    FIRST,
    KINDS,
    TemplateCard,
    find_cards,
    first_cards,
    kinds_in_use,
    template_card,
    template_cards,
)
from app.studies.creation.upload_form import upload_form, upload_reader
from app.studies.methods.methods_text import MethodsError, check_text

if TYPE_CHECKING:
    from app.analysis.data.study_folder import StudyFolder

router = APIRouter()

MAX_FILES = 40
# Maximum number of problems shown: thousands of rows may have the same problem.
MAX_PROBLEMS = 200
# Longer searches for a template are cut off.
MAX_WORDS = 100
DEFAULT_FIELDS = {"name": "", "title": "", "slug": ""}


class Upload(NamedTuple):
    """The contents of a submitted form: files by name, and the values of all other fields."""

    lead: Lead
    files: dict[str, Path]
    fields: dict[str, list[str]]

    def text(self, name: str) -> str:
        """The value of a field, or an empty text."""
        return next(iter(self.fields.get(name, ())), "").strip()


def check_signed_in(request: Request) -> Lead:
    """Check the session before the body is read, in a short transaction: a slow upload must not keep one open."""
    with request.app.state.begin() as db:
        return signed_in_lead(request, maybe_lead(request, db))


async def uploaded(request: Request) -> AsyncIterator[Upload]:
    """The submitted form, which is read here because declared fields would be read before the lead is known.

    Its files are kept on disk until the response is sent, because another process reads them.
    """
    lead = await run_in_threadpool(check_signed_in, request)
    async with upload_form(request, max_files=MAX_FILES) as form:
        parts = form.multi_items()
        files = [part for _, part in parts if isinstance(part, UploadFile) and part.filename]
        fields: dict[str, list[str]] = {}
        for name, part in parts:
            if isinstance(part, str):
                fields.setdefault(name, []).append(part)
        with tempfile.TemporaryDirectory(prefix="attune-upload-") as folder:
            paths = await run_in_threadpool(_to_disk, files, Path(folder))
            async with request.app.state.long_turns.turn(session_token(request) or ""):
                yield Upload(lead, paths, fields)


def _to_disk(files: Sequence[UploadFile], folder: Path) -> dict[str, Path]:
    """Copy each file to a separate folder, so that problems name the file as the lead does."""
    paths: dict[str, Path] = {}
    for number, file in enumerate(files):
        name = file.filename or ""
        paths[name] = folder / str(number) / safe_file_name(name)
        paths[name].parent.mkdir()
        with paths[name].open("wb") as copy:
            shutil.copyfileobj(file.file, copy)
    return paths


Uploaded = Annotated[Upload, Depends(uploaded, scope="function")]


@router.get("/studies/new")
def show_new_study(request: Request, lead: SignedIn, words: str = "", kind: str = "") -> Response:
    """Every way to start a study; the templates can be narrowed to a kind and to words."""
    return _form(request, lead, words=words[:MAX_WORDS], kind=kind if kind in KINDS else "")


@router.get("/studies/new/template")
def show_template(request: Request, lead: SignedIn, name: str = "") -> Response:
    """One template, with the form that makes a study of it."""
    card = template_card(name)
    if card is None:
        return RedirectResponse(request.app.url_path_for("show_new_study"), status_code=303)
    return _template_form(request, lead, card, DEFAULT_FIELDS)


@router.post("/studies/new")
def submit_new_study(request: Request, upload: Uploaded) -> Response:
    return _answer(request, upload, lambda: upload_reader(request).read_files(upload.files))


@router.post("/studies/new/template")
def submit_template(request: Request, upload: Uploaded) -> Response:
    from app.studies.creation.read_new_study import read_template

    form = {"name": upload.text("name"), "title": upload.text("title"), "slug": _slug(request, upload)}
    return _answer(request, upload, lambda: read_template(**form), then="show_texts")


@router.post("/studies/new/methods")
def submit_new_methods(request: Request, upload: Uploaded) -> Response:
    """Make a draft, and send the pasted text on to its page *Paste your methods*, which shows what was found."""
    from app.studies.creation.blank_study import TITLE, blank_study
    from app.studies.creation.read_new_study import store_study

    text = upload.text("text")
    try:
        check_text(text)
    except MethodsError as error:
        return _form(request, upload.lead, methods=text, methods_problem=str(error))
    with request.app.state.begin() as db:
        slug = store_study(db, blank_study(free_slug(db, TITLE)), upload.lead.id)
    # With this status the browser sends the same form again.
    return RedirectResponse(request.app.url_path_for("submit_methods", slug=slug), status_code=307)


def _slug(request: Request, upload: Upload) -> str:
    """The short name in the form; if it is empty, one that is made from the title and not taken yet."""
    if slug := upload.text("slug"):
        return slug
    with request.app.state.begin() as db:
        return free_slug(db, upload.text("title"))


def _answer(request: Request, upload: Upload, read: Callable[[], StudyFolder], *, then: str = "show_study") -> Response:
    """Read the study outside of any transaction, which could otherwise be open for minutes; then store it."""
    from app.studies.creation.read_new_study import store_study

    try:
        study = read()
        with request.app.state.begin() as db:
            slug = store_study(db, study, upload.lead.id)
    except InvalidInputError as error:
        return _rejected(request, upload, error.problems)
    return RedirectResponse(request.app.url_path_for(then, slug=slug), status_code=303)


def _rejected(request: Request, upload: Upload, problems: list[Problem]) -> Response:
    """The form that was sent, with its problems."""
    typed = {part: upload.text(part) for part in DEFAULT_FIELDS}
    if card := template_card(typed["name"]):
        return _template_form(request, upload.lead, card, typed, problems)
    return _form(request, upload.lead, problems)


def _template_form(
    request: Request, lead: Lead, card: TemplateCard, fields: dict[str, str], problems: list[Problem] | None = None
) -> Response:
    status = 422 if problems else 200
    context = {"card": card, "kinds": KINDS, "fields": fields, **_listed(problems)}
    return page(request, "studies/creation/new_from_template.html", status=status, lead=lead, **context)


def _listed(problems: list[Problem] | None) -> dict[str, Any]:
    """The number of errors, and the first problems with errors before warnings."""
    errors = [problem for problem in problems or [] if problem.severity == "error"]
    notes = [problem for problem in problems or [] if problem.severity != "error"]
    return {"n_errors": len(errors), "problems": [*errors[:MAX_PROBLEMS], *notes[:MAX_PROBLEMS]]}


def _form(
    request: Request,
    lead: Lead,
    problems: list[Problem] | None = None,
    *,
    words: str = "",
    kind: str = "",
    methods: str = "",
    methods_problem: str = "",
) -> Response:
    is_narrowed = bool(words or kind)
    return page(
        request,
        "studies/creation/new_study.html",
        status=422 if problems or methods_problem else 200,
        lead=lead,
        **_listed(problems),
        methods=methods,
        methods_problem=methods_problem,
        first=[] if is_narrowed else first_cards(),
        cards=[card for card in find_cards(words, kind) if is_narrowed or card.name not in FIRST],
        n_cards=len(template_cards()),
        kinds=KINDS,
        n_of_kind=kinds_in_use(template_cards()),
        words=words,
        kind=kind,
        max_upload_bytes=request.app.state.max_upload_bytes,
    )
