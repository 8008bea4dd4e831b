"""From a dropped spreadsheet to a draft study: nothing is asked before the texts and the rating page are shown."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, NamedTuple
from uuid import UUID

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.responses import RedirectResponse, Response

from app.accounts.leads import Lead
from app.accounts.session import SignedIn, session_token
from app.base.files.file_names import safe_file_name
from app.base.problem import InvalidInputError, Problem
from app.base.rendering.pages import page
from app.base.web.deps import Db
from app.studies.creation.goals import COLLECTED, GOALS, goals_for, missing_texts
from app.studies.creation.new_study_page import MAX_PROBLEMS, check_signed_in
from app.studies.creation.sheet_drafts import SheetDraft, get_draft
from app.studies.creation.templates import template_cards
from app.studies.creation.upload_form import upload_form, upload_reader
from app.studies.imports.source_kinds import recognized_kind
from app.studies.imports.texts_page import KINDS, ROLES, described

router = APIRouter()
MAX_FIELDS = 5000
# Values of the form's choice of how a value is read.
READ_AS = (("skip", "No answer"), ("answer", "An answer"))


class SheetForm(NamedTuple):
    """The submitted form: a file if one was chosen, and the fields."""

    lead: Lead
    file_name: str
    content: bytes
    fields: dict[str, list[str]]

    def text(self, name: str, default: str = "") -> str:
        """The first value of a field."""
        return next(iter(self.fields.get(name, ())), default)


async def sheet_form(request: Request) -> AsyncIterator[SheetForm]:
    """The form, read once its lead is known; handlers that read a file wait for their turn."""
    lead = await run_in_threadpool(check_signed_in, request)
    async with upload_form(request, max_files=1, max_fields=MAX_FIELDS) as form:
        fields: dict[str, list[str]] = {}
        file_name, content = "", b""
        for name, part in form.multi_items():
            if isinstance(part, UploadFile):
                file_name, content = safe_file_name(part.filename) if part.filename else "", await part.read()
            else:
                fields.setdefault(name, []).append(part)
        async with request.app.state.long_turns.turn(session_token(request) or ""):
            yield SheetForm(lead, file_name, content, fields)


Sent = Annotated[SheetForm, Depends(sheet_form, scope="function")]


@router.get("/studies/new/sheets", dependencies=[Depends(check_signed_in)])
def show_drop_again(request: Request) -> Response:
    """Redirect to the place to drop a file if the address of a file that was refused is opened again."""
    return RedirectResponse(request.app.url_path_for("show_studies"), status_code=303)


@router.post("/studies/new/sheets")
def submit_sheet(request: Request, sent: Sent) -> Response:
    from app.studies.creation.sheet_study import keep_dropped

    if not sent.file_name:
        allowed = "a spreadsheet: .xlsx, .csv, .tsv, .json, .jsonl or .parquet"
        return _refused(request, sent.lead, [Problem("upload", None, None, "no file", allowed)])
    try:
        token = keep_dropped(request.app.state.begin, upload_reader(request), sent.lead, sent.file_name, sent.content)
    except InvalidInputError as error:
        return _refused(request, sent.lead, error.problems)
    return RedirectResponse(request.app.url_path_for("show_sheet", token=token), status_code=303)


@router.get("/studies/new/sheets/{token}")
def show_sheet(request: Request, db: Db, lead: SignedIn, token: UUID) -> Response:
    draft = get_draft(db, token, lead.id)
    return _forgotten(request, lead) if draft is None else _page(request, lead, draft)


@router.post("/studies/new/sheets/{token}")
def submit_sheet_description(request: Request, sent: Sent, token: UUID) -> Response:
    from app.studies.creation.sheet_study import import_collected, keep_description, make_study
    from app.studies.imports.pipeline import StudyChangedError

    begin, reader = request.app.state.begin, upload_reader(request)
    with begin() as db:
        draft = get_draft(db, token, sent.lead.id)
    if draft is None:
        return _forgotten(request, sent.lead)
    said = _described(draft, sent)
    goal = next((goal for goal in (COLLECTED, *GOALS) if goal.name == sent.text("template")), None)
    try:
        said = keep_description(begin, reader, draft, said, _sheet(draft, sent))
        if goal is not None:
            slug = make_study(begin, reader, sent.lead, said, goal)
            shown = "show_questions_list"
            if goal.has_ratings:
                shown = "show_results"
                try:
                    import_collected(begin, reader, sent.lead, slug)
                except (InvalidInputError, StudyChangedError):
                    shown = "show_sheet_ratings"
            return RedirectResponse(request.app.url_path_for(shown, slug=slug), status_code=303)
    except InvalidInputError as error:
        return _page(request, sent.lead, said, error.problems)
    return RedirectResponse(request.app.url_path_for("show_sheet", token=token), status_code=303)


def _described(draft: SheetDraft, sent: SheetForm) -> SheetDraft:
    """What the form says about the file; what it leaves out stays as it was."""
    columns = [described(column, number, sent.fields) for number, column in enumerate(draft.columns)]
    choices = dict(draft.report["choices"])
    for one in draft.report["problems"]:
        key = one["key"]
        act, text = sent.text(f"act.{key}", one["usual"]), sent.text(f"edit.{key}", one["text"])
        text = text.replace("\r\n", "\n")
        choices.pop(key, None)
        if act != one["usual"] or text != one["text"].replace("\r\n", "\n"):
            # A changed text counts as an edit, even if “Edit” was not chosen; an empty text changes nothing.
            is_edit = text.strip() != one["text"].strip() and bool(text.strip())
            choices[key] = {"act": "edit", "text": text} if is_edit else {"act": act}
    rated = [one["name"] for one in draft.report["rated"]]
    scales = {
        name: (sent.text(f"low.{place}"), sent.text(f"high.{place}"))
        for place, name in enumerate(rated)
        if f"low.{place}" in sent.fields
    }
    read_as: dict[str, dict[str, str]] = {name: {} for name in rated}
    for place, (name, odd) in enumerate(_odd(draft)):
        if odd["is_decided"]:
            read_as[name][odd["found"]] = "answer" if odd["is_answer"] else "skip"
        question, found, value = (sent.text(f"recode.{place}.{part}") for part in ("question", "found", "value"))
        if question in rated and value in dict(READ_AS):
            read_as[question][found] = value
    is_repaired = "repair" in sent.fields or not draft.report["repairs"]
    said = {"choices": choices, "scales": scales, "read_as": read_as}
    return replace(draft, columns=columns, is_repaired=is_repaired, report={**draft.report, **said})


def _odd(draft: SheetDraft) -> list[tuple[str, Mapping[str, Any]]]:
    """The values that may be no answers, each with its question."""
    return [(one["name"], value) for one in draft.report["rated"] for value in one["odd"]]


def _sheet(draft: SheetDraft, sent: SheetForm) -> int:
    chosen = sent.text("sheet", "")
    places = {str(place) for place in range(len(draft.report["sheets"]))}
    return int(chosen) if chosen in places else int(draft.report["sheet"])


def _page(request: Request, lead: Lead, draft: SheetDraft, problems: list[Problem] | None = None) -> Response:
    report = draft.report
    context: dict[str, Any] = {"roles": ROLES, "kinds": KINDS, "recognized_kind": recognized_kind, "read_as": READ_AS}
    return page(
        request,
        "studies/creation/sheet.html",
        status=422 if problems else 200,
        lead=lead,
        draft=draft,
        problems=[one for one in problems or [] if one.severity == "error"][:MAX_PROBLEMS],
        goals=goals_for(len(report["sources"]), has_turns=report["has_turns"], has_ratings=bool(report["rated"])),
        odd=_odd(draft),
        missing=missing_texts(draft.columns),
        cards={card.name: card for card in template_cards()},
        **context,
    )


def _forgotten(request: Request, lead: Lead) -> Response:
    allowed = "a file of the last day; drop it again"
    return _refused(request, lead, [Problem("the spreadsheet", None, None, "a file that is no longer kept", allowed)])


def _refused(request: Request, lead: Lead, problems: list[Problem]) -> Response:
    errors = [problem for problem in problems if problem.severity == "error"][:MAX_PROBLEMS]
    limit = request.app.state.max_upload_bytes
    return page(
        request,
        "studies/creation/dropped.html",
        status=422,
        lead=lead,
        problems=errors,
        n_errors=len(errors),
        max_upload_bytes=limit,
    )
