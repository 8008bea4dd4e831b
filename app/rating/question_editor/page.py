"""The questions of a study on the page that raters see: each is edited, moved, duplicated and removed in its place."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.responses import RedirectResponse, Response

from app.accounts.leads import Lead
from app.accounts.session import SignedIn
from app.base.language.language import language_of
from app.base.rendering.pages import Pages, is_htmx
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError
from app.base.words import counted, readable
from app.protocol.questions.registry import KINDS
from app.rating.question_editor.shown_questions import ShownQuestions, shown_questions
from app.studies.creation.templates import template_question, template_questions
from app.studies.editor.changes import changes
from app.studies.editor.design_page import DesignForm, SentForm, conflict_page, design_page, placed
from app.studies.editor.nodes import Data
from app.studies.editor.problem_words import problem_words
from app.studies.editor.protocol_edits import (
    Change,
    Edit,
    EditConflictError,
    get_draft,
    get_edit,
    save_change,
    save_text,
)
from app.studies.editor.published_scales import BY_SHORT, ScaleWordsError, listed, with_published
from app.studies.editor.question_form import (
    ABOUT_WORDS,
    QuestionEditor,
    question_editor,
    with_edited,
    without_gone_answers,
)
from app.studies.editor.question_list import (
    acted,
    key_in,
    neighbours,
    on_pages,
    questions_in,
    statements_in,
    with_copy,
    with_new,
    with_statements,
    without_rating_page,
)
from app.studies.editor.scale_labels import Pasted, read_lines
from app.studies.editor.scale_library import ScaleChoice, has_scale, scale_choices, scale_parts, with_scale
from app.studies.editor.sections import BY_KEY, QUESTIONS
from app.studies.editor.shown_draft import shown_protocol
from app.studies.editor.stored_texts import NO_COLUMNS, columns_of
from app.studies.own_study import Own, own_study
from app.studies.protocols import answered_questions, get_protocol
from app.studies.studies import StudyRow

router = APIRouter()
SECTION = BY_KEY[QUESTIONS]
MAX_STATEMENTS = 200


@dataclass(frozen=True, slots=True)
class Entry:
    """One question on the page. `up` and `down`: the places of its neighbours, from 0."""

    number: int
    key: str
    title: str
    html: Markup | None
    problems: tuple[str, ...]
    up: int | None = None
    down: int | None = None


@router.get("/studies/{slug}/design/questions")
def show_questions_list(
    request: Request, db: Db, lead: SignedIn, study: Own, at: int = 0, undo: int = 0, there: int = 0, repeated: int = 0
) -> Response:
    edit = get_draft(db, study)
    said = []
    for n, words in ((there, "there already and not added again"), (repeated, "pasted more than once and added once")):
        if n:
            said.append(f"{counted(n, 'statement')} {'was' if n == 1 else 'were'} {words}.")
    before = get_edit(db, study.id, undo - 1) if undo and undo == edit.number else None
    gone = changes(before.yaml, edit.yaml) if before else None
    return _page(request, db, lead, study, edit, at=at, said=said, gone=gone or ())


@router.post("/studies/{slug}/design/questions")
def submit_questions_list(request: Request, db: Db, lead: SignedIn, study: Own, form: DesignForm) -> Response:
    draft = get_draft(db, study)
    if answer := {"undo": _undone, "statements": _statements, "published": _published}.get(form.do):
        return answer(request, db, lead, study, draft, form)
    if form.do == "remove" and form.target in answered_questions(db, study.id):
        words = _title_of(draft.data, form.target)
        problem = f"Raters have answered “{words}”: it stays in the study, and its answers stay in the results."
        return _page(request, db, lead, study, draft, problem=problem, status=422)
    edit = save_change(db, study, lead, form.number, Change(lambda _: None, lambda data: _changed(data, form)))
    questions = questions_in(edit.data)
    if form.do in {"new", "copy"}:
        return _to(request, study, number=len(questions))
    key = form.target.partition(" ")[2] if form.do == "place" else form.target
    place = next((number for number, one in enumerate(questions, 1) if key_in(one) == key), 0)
    if form.do == "remove":
        return _to(request, study, undo=edit.number)
    return _to(request, study, number=place + 1) if form.do == "duplicate" and place else _to(request, study, at=place)


@router.get("/studies/{slug}/design/questions/{number}")
def show_question(request: Request, db: Db, lead: SignedIn, study: Own, number: int, add: str = "") -> Response:
    edit = get_draft(db, study)
    _check_there(edit, number)
    return _page(request, db, lead, study, edit, editor=_editor(db, study, edit, number, add=add))


def _editor(db: Db, study: StudyRow, edit: Edit, number: int, *, add: str = "") -> QuestionEditor:
    kind = KINDS.get(str(questions_in(edit.data)[number - 1].get("type")))
    has_key = kind is not None and "correct_column" in kind.model_fields
    columns = columns_of(db, study.id) if has_key else NO_COLUMNS
    return question_editor(edit.data, number, columns, add=add)


@router.post("/studies/{slug}/design/questions/{number}")
def submit_question(request: Request, db: Db, lead: SignedIn, study: Own, number: int, form: DesignForm) -> Response:
    draft = get_draft(db, study)
    _check_there(draft, number)
    choices = scale_choices(db, study.id, lead.id, draft.data, number)
    pasted: list[Pasted] = []
    published = {one.key for one in get_protocol(db, study.id, study.protocol_version).questions}

    def apply(data: Data) -> Data:
        if not _has(data, number):
            return data
        key = key_in(questions_in(data)[number - 1])
        may_rename = key not in answered_questions(db, study.id) and (study.opened_at is None or key not in published)
        fit = {"fit": [form.target]} if form.do == "fit" else {}
        data, misfit = with_edited(data, number, form.fields | fit, may_rename=may_rename)
        pasted[:] = [misfit] if misfit else []
        scale = next((one for one in choices if form.do == "scale" and one.key == form.target), None)
        if scale is None:
            return data
        pasted.clear()
        questions = questions_in(data)
        before, questions[number - 1] = questions[number - 1], with_scale(questions[number - 1], scale.parts)
        return without_gone_answers({**data, QUESTIONS: questions}, before, questions[number - 1])

    change = Change(lambda data: questions_in(data)[number - 1 : number], apply)
    try:
        edit = save_change(db, study, lead, form.number, change)
    except EditConflictError as error:
        return conflict_page(request, lead, study, get_draft(db, study), error, form, SECTION)
    if pasted or (is_htmx(request) and not form.do):
        editor = _editor(db, study, edit, number)
        study = own_study(request, study.slug, lead, db)
        return _page(request, db, lead, study, edit, editor=editor, pasted=pasted[0] if pasted else None, form=form)
    if form.do == "done":
        return _to(request, study, at=number)
    return _to(request, study, number=number, **({"add": form.target} if form.do == "add" else {}))


def _changed(data: Data, form: SentForm) -> Data:
    """The questions after the action of a button. Questions are named by their keys, whatever others have moved."""
    kind = _first(form, "kind")
    if form.do == "new" and kind in KINDS:
        return with_new(data, kind, "rater" if _first(form, "about") == "rater" else "")
    if form.do == "copy":
        template, _, key = _first(form, "question").partition("/")
        question = template_question(template, key)
        return with_copy(data, question) if question else data
    return acted(data, form.do, form.target)


def _statements(request: Request, db: Db, lead: Lead, study: StudyRow, draft: Edit, form: SentForm) -> Response:
    answered = answered_questions(db, study.id)
    is_instead = bool(_first(form, "instead"))
    there_now = without_rating_page(draft.data, answered) if is_instead else draft.data
    statements, there, repeated = statements_in(_first(form, "statements"), there_now)
    scale = next(
        (one for one in scale_choices(db, study.id, lead.id, draft.data, None) if one.key == _first(form, "scale")),
        None,
    )
    own = read_lines(_first(form, "labels"))
    if own:
        scale = ScaleChoice("", "", "", {"type": "rating", "scale": Pasted(own, {}).as_points()})
    problem = ""
    if len(statements) > MAX_STATEMENTS:
        problem = f"These are {len(statements)} statements. At most {MAX_STATEMENTS} can be added at once."
    elif scale is None or _first(form, "about") not in ABOUT_WORDS:
        problem = "Choose a scale, and what the statements are about."
    elif len(own) == 1:
        problem = "A scale has at least two labels. Write one per line."
    elif not statements:
        problem = "There is no new statement. Write one per line."
    if problem or scale is None:
        return _page(request, db, lead, study, draft, problem=problem, status=422, form=form)
    name = " ".join(_first(form, "score").split())
    score = name if name or _first(form, "combine") else None

    def apply(data: Data) -> Data:
        data = without_rating_page(data, answered) if is_instead else data
        return with_statements(data, statements, _first(form, "about"), scale.parts, score)

    edit = save_change(db, study, lead, form.number, Change(lambda _: None, apply))
    first = len(questions_in(edit.data)) - len(statements) + 1
    said = {"there": len(there), "repeated": len(repeated), "undo": edit.number if is_instead else 0}
    return _to(request, study, at=first, **{name: n for name, n in said.items() if n})


def _published(request: Request, db: Db, lead: Lead, study: StudyRow, draft: Edit, form: SentForm) -> Response:
    scale, pasted = BY_SHORT.get(form.target), _first(form, "words")
    if scale is None:
        raise NotFoundError
    about = about if (about := _first(form, "about")) in ABOUT_WORDS else scale.about

    def apply(data: Data) -> Data:
        return with_published(data, scale, pasted, about)

    try:
        edit = save_change(db, study, lead, form.number, Change(lambda _: None, apply))
    except ScaleWordsError as error:
        return _page(request, db, lead, study, draft, problem=str(error), status=422, form=form)
    return _to(request, study, at=len(questions_in(edit.data)) - scale.n + 1)


def _undone(request: Request, db: Db, lead: Lead, study: StudyRow, draft: Edit, form: SentForm) -> Response:
    """Restore what a removal removed, unless somebody has saved since then."""
    before = get_edit(db, study.id, draft.number - 1) if form.target == str(draft.number) else None
    if before is None:
        problem = "Not undone: something else has been changed since then."
        return _page(request, db, lead, study, draft, problem=problem, status=422)
    save_text(db, study, lead, draft.number, before.yaml)
    return _to(request, study)


def _to(request: Request, study: StudyRow, number: int = 0, **query: int | str) -> RedirectResponse:
    """Go to the list of questions, or to the editor of one."""
    name, path = ("show_question", {"number": number}) if number else ("show_questions_list", {})
    url = request.url_for(name, slug=study.slug, **path).include_query_params(**query)
    return RedirectResponse(f"{url.path}?{url.query}" if url.query else url.path, status_code=303)


def _page(  # noqa: PLR0913 - what one of its forms may say
    request: Request,
    db: Db,
    lead: Lead,
    study: StudyRow,
    edit: Edit,
    *,
    editor: QuestionEditor | None = None,
    pasted: Pasted | None = None,
    form: SentForm | None = None,
    problem: str = "",
    said: Sequence[str] = (),
    gone: Sequence[object] = (),
    at: int = 0,
    status: int = 200,
) -> Response:
    protocol = shown_protocol(edit, get_protocol(db, study.id, study.protocol_version))
    language = language_of(protocol.language)
    pages: Pages = request.app.state.pages

    def seen(template: str, **context: Any) -> Markup:  # noqa: ANN401 - a template takes anything
        return Markup(pages.render(f"rating/question_editor/{template}", {"request": request, **context}, language))  # noqa: S704

    shown = shown_questions(db, study.id, protocol)
    entries = _entries(edit, shown, seen)
    number = editor.number if editor else None
    question = questions_in(edit.data)[number - 1] if number else None
    return design_page(
        request,
        "rating/question_editor/page.html",
        lead,
        study,
        edit,
        QUESTIONS,
        status=status,
        shown_language=language,
        texts=seen("texts.html", slug=study.slug, view=shown.view, sheet=shown.sheet),
        shape=shown.sheet.shape,
        pages=[
            (title, [entries[place + 1] for place in places if place + 1 in entries])
            for title, places in on_pages(edit.data)
        ],
        editor=editor,
        wrong=placed(edit, (*editor.main, *editor.marks, *editor.more)).at if editor else {},
        scale_now=_scale_now(question) if question else "",
        choices=_grouped(scale_choices(db, study.id, lead.id, edit.data, number)),
        pasted=pasted,
        sent={name: values[-1] for name, values in form.fields.items()} if form else {},
        problem=problem,
        said=said,
        gone=gone,
        at=at,
        kinds=KINDS,
        scripts=[name for name, kind in KINDS.items() if kind.has_script],
        abouts=ABOUT_WORDS,
        templates=template_questions(),
        published=listed(),
        study_language=str(edit.data.get("language") or "en").partition("-")[0],
        sent_scale=form.target if form and form.do == "published" else "",
    )


def _entries(edit: Edit, shown: ShownQuestions, seen: Callable[..., Markup]) -> dict[int, Entry]:
    """The questions by their numbers."""
    questions = questions_in(edit.data)
    beside = neighbours(edit.data)
    problems: dict[int, list[str]] = {}
    for problem in edit.problems:
        name, _, rest = (problem.column or "").partition(".")
        place = rest.partition(".")[0]
        if name == QUESTIONS and place.isdecimal():
            words = problem_words(problem, edit.data).removeprefix(f"Questions.{place} ")
            problems.setdefault(int(place), []).append(words[:1].upper() + words[1:])
    entries = {}
    for number, question in enumerate(questions, 1):
        if isinstance(question, dict):
            rows = shown.rows.get(key_in(question))
            html = seen("asked.html", rows=rows) if rows else None
            title = str(question.get("text") or "") or "Question without a text"
            found = tuple(problems.get(number, ()))
            before, after = beside.get(number - 1, (None, None))
            entries[number] = Entry(number, key_in(question), title, html, found, before, after)
    return entries


def _grouped(choices: Sequence[ScaleChoice]) -> dict[str, list[ScaleChoice]]:
    groups: dict[str, list[ScaleChoice]] = {}
    for choice in choices:
        groups.setdefault(choice.group, []).append(choice)
    return groups


def _scale_now(question: Data) -> str:
    return ScaleChoice("", "", "", scale_parts(question)).words if has_scale(question) else ""


def _title_of(data: Data, key: str) -> str:
    question: Data = next((one for one in questions_in(data) if key_in(one) == key), {})
    return str(question.get("label") or question.get("text") or readable(key))


def _first(form: SentForm, name: str) -> str:
    return next(iter(form.fields.get(name, ())), "")


def _has(data: Data, number: int) -> bool:
    questions = questions_in(data)
    return 1 <= number <= len(questions) and isinstance(questions[number - 1], dict)


def _check_there(edit: Edit, number: int) -> None:
    if not _has(edit.data, number):
        raise NotFoundError
