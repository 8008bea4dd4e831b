"""The list of questions, and the form of one of them."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.leads import Lead
from app.accounts.session import SignedIn
from app.base.rendering.pages import is_htmx
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError
from app.protocol.questions.registry import KINDS
from app.studies.creation.templates import template_question, template_questions
from app.studies.editor.design_page import DesignForm, SentForm, conflict_page, design_page, placed
from app.studies.editor.preview_pages import preview_pages
from app.studies.editor.protocol_edits import Change, Edit, EditConflictError, get_draft, save_change
from app.studies.editor.question_list import moved, questions_in, with_copy, with_new, without
from app.studies.editor.sections import BY_KEY, QUESTIONS, question_control, with_question
from app.studies.own_study import Own
from app.studies.studies import StudyRow

router = APIRouter()
SECTION = BY_KEY[QUESTIONS]
_STEPS = {"up": -1, "down": 1}


@router.get("/studies/{slug}/design/questions")
def show_questions_list(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    edit = get_draft(db, study)
    return design_page(
        request,
        "questions.html",
        lead,
        study,
        edit,
        QUESTIONS,
        questions=questions_in(edit.data),
        n_problems_of=_count_by_question(edit),
        kinds=list(KINDS),
        templates=template_questions(),
        pages=preview_pages(edit.protocol) if edit.protocol else [],
    )


@router.post("/studies/{slug}/design/questions")
def submit_questions_list(request: Request, db: Db, lead: SignedIn, study: Own, form: DesignForm) -> Response:
    change = Change(lambda data: data.get(QUESTIONS), lambda data: _changed(data, form))
    try:
        edit = save_change(db, study, lead, form.number, change)
    except EditConflictError as error:
        return conflict_page(request, lead, study, get_draft(db, study), error, form, SECTION)
    is_new = form.do in {"new", "copy"}
    last = len(questions_in(edit.data))
    name = "show_question" if is_new else "show_questions_list"
    place = {"number": last} if is_new else {}
    return RedirectResponse(request.app.url_path_for(name, slug=study.slug, **place), status_code=303)


@router.get("/studies/{slug}/design/questions/{number}")
def show_question(request: Request, db: Db, lead: SignedIn, study: Own, number: int) -> Response:
    return _page(request, lead, study, get_draft(db, study), number)


@router.post("/studies/{slug}/design/questions/{number}")
def submit_question(request: Request, db: Db, lead: SignedIn, study: Own, number: int, form: DesignForm) -> Response:
    change = Change(
        lambda data: questions_in(data)[number - 1 : number],
        lambda data: with_question(data, number - 1, form.fields) if _has(data, number) else data,
    )
    _check_there(get_draft(db, study), number)
    try:
        edit = save_change(db, study, lead, form.number, change)
    except EditConflictError as error:
        return conflict_page(request, lead, study, get_draft(db, study), error, form, SECTION)
    if is_htmx(request):
        return _page(request, lead, study, edit, number)
    return RedirectResponse(f"{request.url.path}?saved=1", status_code=303)


def _changed(data: dict[str, object], form: SentForm) -> dict[str, object]:
    """The list of questions after the action of a button."""
    first = next(iter(form.fields.get("kind", ())), "")
    if form.do == "new" and first in KINDS:
        return with_new(data, first)
    if form.do == "copy":
        template, _, key = next(iter(form.fields.get("question", ())), "").partition("/")
        question = template_question(template, key)
        return with_copy(data, question) if question else data
    number = int(form.target) - 1 if form.target.isascii() and form.target.isdecimal() else -1
    if form.do == "remove" and number >= 0:
        return without(data, number)
    return moved(data, number, _STEPS[form.do]) if form.do in _STEPS else data


def _has(data: dict[str, object], number: int) -> bool:
    questions = questions_in(data)
    return 1 <= number <= len(questions) and isinstance(questions[number - 1], dict)


def _check_there(edit: Edit, number: int) -> None:
    if not _has(edit.data, number):
        raise NotFoundError


def _count_by_question(edit: Edit) -> dict[int, int]:
    """Number of problems per question, by the question's number from 1."""
    counts: dict[int, int] = {}
    for problem in edit.problems:
        name, _, rest = (problem.column or "").partition(".")
        number = rest.partition(".")[0]
        if name == QUESTIONS and number.isdecimal():
            counts[int(number)] = counts.get(int(number), 0) + 1
    return counts


def _page(request: Request, lead: Lead, study: StudyRow, edit: Edit, number: int) -> Response:
    _check_there(edit, number)
    control = question_control(edit.data, number - 1)
    question = questions_in(edit.data)[number - 1]
    return design_page(
        request,
        "question.html",
        lead,
        study,
        edit,
        QUESTIONS,
        section=SECTION,
        control=control,
        controls=control.children,
        number=number,
        n_questions=len(questions_in(edit.data)),
        placed=placed(edit.problems, control.children, whole=control.path),
        pages=preview_pages(edit.protocol) if edit.protocol else [],
        title=f"Question {number}: {question.get('type', '')}",
        intro="",
    )
