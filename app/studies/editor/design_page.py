"""Shared code of the design pages: the submitted form, problems next to their fields, the list of sections."""

import difflib
from collections.abc import Callable, Container, Sequence
from typing import Annotated, Any, NamedTuple

from fastapi import Depends, Request
from starlette.responses import Response

from app.accounts.leads import Lead
from app.base.problem import Problem
from app.base.rendering.pages import page
from app.base.web.deps import Db
from app.base.web.middleware.security import FRAMING_POLICY
from app.base.words import readable
from app.protocol.opening import placeholders
from app.protocol.study import Protocol
from app.studies.editor.changes import changes
from app.studies.editor.controls import Control
from app.studies.editor.problem_words import label_at, path_of, problem_words
from app.studies.editor.protocol_edits import Change, Edit, EditConflictError, get_draft, save_change
from app.studies.editor.question_form import FIELD_WORDS
from app.studies.editor.reading import REMOVE
from app.studies.editor.sections import QUESTIONS, SECTIONS, Section, section_of, value_at
from app.studies.studies import StudyRow

# Far above the size of our forms: a large study has sixty questions with twenty fields each.
MAX_FIELDS = 20_000
_CONTEXT_LINES = 2


class SentForm(NamedTuple):
    """A submitted form. `number` is the save that its page showed; `do` is the action of a button other than saving."""

    fields: dict[str, list[str]]
    number: int
    do: str
    target: str


async def sent_form(request: Request) -> SentForm:
    """The form; a button that acts on an entry becomes a field of that entry."""
    async with request.form(max_fields=MAX_FIELDS, max_files=0) as form:
        fields: dict[str, list[str]] = {}
        for name, value in form.multi_items():
            if isinstance(value, str):
                fields.setdefault(name, []).append(value.encode("utf-8", "replace").decode())
    number = next(iter(fields.pop("number", ())), "")
    do, _, target = next(iter(fields.pop("do", ())), "").partition(" ")
    if do in {"remove", "up", "down"}:
        fields[f"{target}:{do}"] = [""]
    return SentForm(fields, int(number) if number.isascii() and number.isdecimal() else 0, do, target)


DesignForm = Annotated[SentForm, Depends(sent_form)]


class Placed(NamedTuple):
    """Problems by the path of the control where they are shown; of the page as a whole; and without a place on it."""

    at: dict[str, list[str]]
    whole: list[str]
    elsewhere: list[Problem]


def placed(edit: Edit, controls: Sequence[Control], section: Section | None = None) -> Placed:
    """Assign each problem to the innermost control that contains its path.

    On the page of a section, what it has no control for, such as all of *Monitoring*, is about the page as a whole.
    """
    paths = {path for control in controls for path in control.paths} - {""}
    at: dict[str, list[str]] = {}
    whole, elsewhere = list[str](), list[Problem]()
    for problem in edit.problems:
        path = path_of(problem)
        while path and path not in paths:
            path = path.rpartition(".")[0]
        if path:
            at.setdefault(path, []).append(problem_words(problem, edit.data))
        elif section and section_of(path_of(problem)) == section:
            whole.append(problem_words(problem, edit.data))
        else:
            elsewhere.append(problem)
    return Placed(at, whole, elsewhere)


def count_problems(edit: Edit) -> dict[str, int]:
    """Number of problems per section, by its key."""
    counts: dict[str, int] = {}
    for problem in edit.problems:
        section = section_of(path_of(problem))
        key = section.key if section else "text"
        counts[key] = counts.get(key, 0) + 1
    return counts


def address_of_problem(problem: Problem) -> tuple[str, int | None]:
    """The key of the page where a problem can be solved, and the number of the question if it is about one."""
    section = section_of(path_of(problem))
    if section is None:
        return "text", None
    number = path_of(problem).split(".")[1:2]
    is_question = section.key == QUESTIONS and number and number[0].isdecimal()
    return section.key, int(number[0]) if is_question else None


def place_in_words(problem: Problem, data: dict[str, Any]) -> str:
    """Where a problem is, in the words of the pages: *Trials: Trials per rater*, *Question 2: Scale*.

    >>> place_in_words(Problem("study.yaml", 3, "design.trials_per_rater", "0", "1 or more"), {})
    'Trials: Trials per rater'
    >>> place_in_words(Problem("study.yaml", 9, "questions.2.scale", "1", "2 points"), {})
    'Question 2: Scale'
    >>> place_in_words(Problem("study.yaml", 9, "questions", "no questions", "questions"), {})
    'Questions'
    >>> rule = "flow.debrief must tell raters the true source"
    >>> place_in_words(Problem("study.yaml", 9, "flow", "nothing", rule, is_rule=True), {})
    'Debriefing: Debrief'
    """
    path = path_of(problem)
    section, (_, number) = section_of(path), address_of_problem(problem)
    if section is None:
        return path or problem.file
    page = f"Question {number}" if number else section.title
    return page if path in {section.key, f"{QUESTIONS}.{number}"} else f"{page}: {_label(path, data)}"


def places_of_placeholders(protocol: Protocol, known: Container[str] = ()) -> list[tuple[str, str, str]]:
    """The placeholders that are not `known`, each with the key and the title of the page where it is filled in."""
    found = ((words, section_of(part)) for words, part in placeholders(protocol).items() if words not in known)
    return [(words, section.key, section.title) for words, section in found if section is not None]


def _label(path: str, data: dict[str, Any]) -> str:
    """The label of a field; below a question, a readable form of its name."""
    name = path.rpartition(".")[2]
    return FIELD_WORDS.get(name) or readable(name) if path.startswith(f"{QUESTIONS}.") else label_at(path, data)


def design_page(
    request: Request,
    template: str,
    lead: Lead,
    study: StudyRow,
    edit: Edit,
    here: str,
    *,
    status: int = 200,
    **context: Any,  # noqa: ANN401 - a template takes anything
) -> Response:
    """A design page, which may show the preview in a frame."""
    response = page(
        request,
        template if "/" in template else f"studies/editor/{template}",
        status=status,
        lead=lead,
        study=study,
        edit=edit,
        here=here,
        sections=SECTIONS,
        n_problems=count_problems(edit),
        remove=REMOVE,
        **context,
    )
    response.headers["Content-Security-Policy"] = FRAMING_POLICY
    return response


def save_section(
    request: Request,
    db: Db,
    lead: Lead,
    study: StudyRow,
    form: SentForm,
    section: Section,
    apply: Callable[[dict[str, Any]], dict[str, Any]],
) -> Edit | Response:
    """The draft with a change to one section, or the page to answer with if someone else has changed it meanwhile."""
    change = Change(lambda data: [value_at(data, path) for path in section.paths], apply)
    try:
        return save_change(db, study, lead, form.number, change)
    except EditConflictError as error:
        return conflict_page(request, lead, study, get_draft(db, study), error, form, section)


def conflict_page(
    request: Request,
    lead: Lead,
    study: StudyRow,
    edit: Edit,
    error: EditConflictError,
    form: SentForm,
    section: Section | None,
) -> Response:
    """A page with both changes and the choice between them: submit one's own input again, or discard it.

    The other change may be the lead's own, from another tab.
    """
    titles = ("Their change (saved)", "Your change (not saved)")
    if error.last.email == lead.email:
        titles = ("Your change there (saved)", "Your change here (not saved)")
    return design_page(
        request,
        "conflict.html",
        lead,
        study,
        edit,
        section.key if section else "text",
        status=409,
        sides=[
            (title, changes(error.base, yaml), differences(error.base, yaml))
            for title, yaml in zip(titles, (error.last.yaml, error.mine), strict=True)
        ],
        last=error.last,
        fields=[(name, value) for name, values in form.fields.items() for value in values],
        action=str(request.url.path),
    )


class DiffLine(NamedTuple):
    """One line of a comparison. `kind` is `added`, `removed`, `same`, or `gap` between two parts."""

    kind: str
    words: str


def differences(before: str, after: str) -> list[DiffLine]:
    """The differences between two texts, with a few lines of context."""
    kinds = {"+": "added", "-": "removed", "@": "gap"}
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=_CONTEXT_LINES)
    found = [DiffLine(kinds.get(line[:1], "same"), line[1:]) for line in list(lines)[2:]]
    return [DiffLine("gap", "…") if line.kind == "gap" else line for line in found]
