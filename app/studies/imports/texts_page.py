"""Import a study's texts from a spreadsheet: choose it, describe its columns, read the report, use the texts."""

from collections.abc import AsyncIterator
from typing import Annotated, Any, NamedTuple

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from app.accounts.session import SignedIn, session_token
from app.base.files.file_names import safe_file_name
from app.base.problem import InvalidInputError, Problem
from app.base.rendering.pages import page
from app.base.web.deps import Db
from app.studies.coverage import get_counts
from app.studies.creation.upload_form import upload_form, upload_reader
from app.studies.imports.source_kinds import recognized_kind
from app.studies.imports.text_uploads import TextsFixedError, get_upload, has_answers, why_fixed
from app.studies.own_study import LeadAndStudy, Own, find_lead_and_study

router = APIRouter()
ROLES = (
    ("text", "Situation"),
    ("response", "Responses of a source"),
    ("item", "Item ID"),
    ("source", "Source, one per row"),
    ("profile", "Profile of the person"),
    ("content_note", "Content note"),
    ("rating", "Ratings (not texts)"),
    ("rater", "Rater, one per row"),
    ("question", "Question, one per row"),
    ("attribute", "Attribute of the item"),
    ("ignore", "Leave out"),
)
KINDS = (("human", "a person"), ("model", "a model"), ("human+model", "both"))
MAX_PROBLEMS = 20
NOT_USED = "Nothing was changed. Check its columns below, or read your spreadsheet again."


class TextForm(NamedTuple):
    """The submitted form: a file if one was chosen, and the fields."""

    own: LeadAndStudy
    file_name: str
    content: bytes
    fields: dict[str, list[str]]


async def text_form(request: Request, slug: str) -> AsyncIterator[TextForm]:
    """The form, read once its lead is known; handlers that read a file wait for their turn."""
    own = await run_in_threadpool(find_lead_and_study, request, slug)
    async with upload_form(request, max_files=1, max_fields=5000) as form:
        fields: dict[str, list[str]] = {}
        file_name, content = "", b""
        for name, part in form.multi_items():
            if isinstance(part, UploadFile):
                file_name, content = safe_file_name(part.filename or ""), await part.read()
            else:
                fields.setdefault(name, []).append(part)
        async with request.app.state.long_turns.turn(session_token(request) or ""):
            yield TextForm(own, file_name, content, fields)


Sent = Annotated[TextForm, Depends(text_form, scope="function")]


@router.get("/studies/new/{slug}/texts")
def show_texts(request: Request, db: Db, lead: SignedIn, study: Own, *, copied: bool = False) -> Response:
    return _page(request, db, LeadAndStudy(lead, study), is_copied=copied)


@router.post("/studies/new/{slug}/texts")
def submit_text_file(request: Request, sent: Sent) -> Response:
    from app.studies.imports.text_import import keep_sheet

    if not sent.content:
        found = "an empty file" if sent.file_name else "no file"
        allowed = "a spreadsheet: .csv, .tsv, .xlsx, .jsonl, .json or .parquet"
        return _problems(request, sent.own, [Problem(sent.file_name or "upload", None, None, found, allowed)])
    try:
        keep_sheet(request.app.state.begin, upload_reader(request), sent.own.study, sent.file_name, sent.content)
    except InvalidInputError as error:
        return _problems(request, sent.own, error.problems)
    return _redirect_to_texts(request, sent.own.study.slug)


@router.post("/studies/new/{slug}/columns")
def submit_columns(request: Request, sent: Sent) -> Response:
    from app.studies.imports.text_import import keep_columns, use_sheet

    own, begin, reader = sent.own, request.app.state.begin, upload_reader(request)
    with begin() as db:
        upload = get_upload(db, own.study.id)
    if upload is None:
        return _redirect_to_texts(request, own.study.slug)
    if _first(sent.fields, "uploaded_at") not in {None, str(upload.uploaded_at)}:
        words = f"Another spreadsheet was read in the meantime: {upload.file_name}. {NOT_USED}"
        return _problems(request, own, [Problem("the spreadsheet", None, None, "", words)])
    columns = [described(column, number, sent.fields) for number, column in enumerate(upload.columns)]
    try:
        keep_columns(begin, reader, own.study, columns, is_repaired="repair" in sent.fields)
        if "use" in sent.fields:
            use_sheet(begin, reader, own.study, own.lead)
            return RedirectResponse(request.app.url_path_for("show_questions_list", slug=own.study.slug), 303)
    except InvalidInputError as error:
        return _problems(request, own, error.problems)
    except TextsFixedError as error:
        return _problems(request, own, [Problem("the study", None, None, "", str(error))])
    return _redirect_to_texts(request, own.study.slug)


def described(column: dict[str, Any], number: int, fields: dict[str, list[str]]) -> dict[str, Any]:
    """The description of a column in the form; what the form leaves out is not changed."""
    role = next(iter(fields.get(f"role.{number}", ())), column["role"])
    source = next(iter(fields.get(f"source.{number}", ())), column["source"]).strip()
    kind = next(iter(fields.get(f"kind.{number}", ())), column["kind"])
    known_role = role if role in dict(ROLES) else column["role"]
    known_kind = kind if kind in dict(KINDS) else "human"
    parts = {part: _first(fields, f"{part}.{number}") for part in ("rater", "question")}
    of_ratings = {part: words for part, words in parts.items() if words is not None}
    said = {**column, **of_ratings, "role": known_role, "source": source or column["name"], "kind": known_kind}
    if "kinds" in column:
        sent = dict(zip(fields.get("written_source", ()), fields.get("written_kind", ()), strict=False))
        said["kinds"] = column["kinds"] | {key: one for key, one in sent.items() if one in dict(KINDS)}
    return said


def _first(fields: dict[str, list[str]], name: str) -> str | None:
    found = fields.get(name)
    return found[0].strip() if found else None


def _redirect_to_texts(request: Request, slug: str) -> Response:
    return RedirectResponse(request.app.url_path_for("show_texts", slug=slug), status_code=303)


def _problems(request: Request, own: LeadAndStudy, problems: list[Problem]) -> Response:
    with request.app.state.begin() as db:
        return _page(request, db, own, problems)


def _page(
    request: Request, db: Db, own: LeadAndStudy, problems: list[Problem] | None = None, *, is_copied: bool = False
) -> Response:
    fixed = why_fixed(db, own.study)
    return page(
        request,
        "studies/imports/texts.html",
        status=422 if problems else 200,
        lead=own.lead,
        study=own.study,
        upload=get_upload(db, own.study.id),
        counts=get_counts(db, own.study.id),
        problems=[one for one in problems or [] if one.severity == "error" and one.allowed != fixed][:MAX_PROBLEMS],
        fixed=fixed,
        has_ratings=has_answers(db, own.study.id),
        is_copied=is_copied,
        roles=ROLES,
        kinds=KINDS,
        recognized_kind=recognized_kind,
        max_upload_bytes=request.app.state.max_upload_bytes,
    )
