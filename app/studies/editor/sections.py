"""The pages on which a lead edits the protocol, with the fields of each page."""

from dataclasses import dataclass
from functools import cache
from typing import Any

from app.protocol.study import Protocol
from app.studies.editor.controls import Control, controls_of
from app.studies.editor.nodes import Kinds, Member, Part, Rows, part_of
from app.studies.editor.reading import Form, read_member


@dataclass(frozen=True, slots=True)
class Section:
    """One page. `paths` are its fields in study.yaml; `shows` is the step whose preview is shown beside it. Rare
    pages are listed under *More*. A page that `folds` has what is not used yet under *More settings*.
    """

    key: str
    title: str
    intro: str
    paths: tuple[str, ...]
    shows: str = "rating"
    is_rare: bool = False
    folds: bool = False


_DESIGN = tuple(
    f"design.{member.name}"
    for member in part_of(Protocol.model_fields["design"].default.__class__).members
    if member.name != "links"
)
QUESTIONS = "questions"
ENDINGS = ("completion.code", "completion.url", "completion.text", "completion.otherwise")
SECTIONS = (
    Section(
        "study",
        "Title and instructions",
        "What the study is called, and what raters read before they start.",
        ("title", "rater_title", "instructions", "description", "about_texts", "language", "layout", "render"),
        "instructions",
    ),
    Section("sources", "Sources", "Who wrote the responses.", ("sources", "attributes")),
    Section(QUESTIONS, "Questions", "What raters are asked, in this order.", ("questions",)),
    Section(
        "consent",
        "Consent and eligibility",
        "What raters agree to, who can take part, and where they find help.",
        ("flow.consent", "flow.eligibility", "flow.help", "flow.skip_reasons", "flow.exposure_cap"),
        "consent",
    ),
    Section(
        "questionnaires",
        "Questionnaires",
        "Pages with questions about the rater, and questions to ask once all trials are rated.",
        ("flow.before", "flow.revisit", "flow.after"),
        "before-1",
    ),
    Section(
        "waves",
        "Later waves",
        "Raters come back after days or weeks, and answer questions about themselves again.",
        ("waves",),
        "wave2-1",
        is_rare=True,
    ),
    Section(
        "practice",
        "Practice and comprehension",
        "What follows the instructions, before the first trial.",
        ("checks.comprehension", "checks.comprehension_attempts", "flow.practice"),
        is_rare=True,
    ),
    Section(
        "checks",
        "Checks",
        "Attention checks and gold trials. They flag raters and never reject anyone.",
        ("checks.attention", "checks.gold", "checks.flag_at", "checks.too_fast_sd"),
    ),
    Section(
        "conditions", "Conditions", "What the design varies between or within raters.", ("conditions",), is_rare=True
    ),
    Section(
        "conversation",
        "Conversations",
        "Whom raters write with before they answer the questions, and how that is kept safe.",
        ("conversation",),
        is_rare=True,
    ),
    Section(
        "draft",
        "Drafts",
        "Who helps raters with the texts that they write before they answer the questions, and how that is kept safe.",
        ("draft",),
        is_rare=True,
    ),
    Section("assignment", "Trials", "Who rates what, how often, and in which order.", _DESIGN, folds=True),
    Section("ending", "Debriefing", "What raters read at the end.", ("flow.debrief",), "debrief", is_rare=True),
    Section(
        "recruitment",
        "Recruitment",
        "Where raters come from, what they are paid, and how they return.",
        (
            *(
                f"recruitment.{member.name}"
                for member in part_of(Protocol.model_fields["recruitment"].default.__class__).members
            ),
            "design.links",
            *ENDINGS,
        ),
    ),
    Section(
        "privacy",
        "Privacy",
        "What raters read about their data, besides what follows from the other pages.",
        tuple(
            f"privacy.{member.name}" for member in part_of(Protocol.model_fields["privacy"].default.__class__).members
        ),
        "consent",
        is_rare=True,
    ),
    Section(
        "analysis",
        "Analysis",
        "Decisions declared before the data are collected.",
        (
            *(
                f"analysis.{member.name}"
                for member in part_of(Protocol.model_fields["analysis"].default.__class__).members
            ),
            "raters.identity",
        ),
    ),
    Section(
        "monitoring",
        "Monitoring",
        "Looks at the primary contrast before the end, and whether estimates are hidden until the study closes.",
        tuple(
            f"monitoring.{member.name}"
            for member in part_of(Protocol.model_fields["monitoring"].default.__class__).members
        ),
        is_rare=True,
    ),
    Section(
        "preregistration",
        "Preregistration",
        "What you expect and when you stop. Everything else in a preregistration follows from the other pages.",
        tuple(
            f"preregistration.{member.name}"
            for member in part_of(Protocol.model_fields["preregistration"].default.__class__).members
        ),
        is_rare=True,
    ),
)
BY_KEY = {section.key: section for section in SECTIONS}


@cache
def member_at(path: str) -> Member:
    """Return the protocol field at a path such as `flow.consent`."""
    part: Part = part_of(Protocol)
    *outer, last = path.split(".")
    for name in outer:
        node = next(member.node for member in part.members if member.name == name)
        if not isinstance(node, Part):
            raise KeyError(path)
        part = node
    return next(member for member in part.members if member.name == last)


def question_kinds() -> Kinds:
    """Return the types of question."""
    node = member_at(QUESTIONS).node
    if not isinstance(node, Rows) or not isinstance(node.of, Kinds):
        raise TypeError(QUESTIONS)
    return node.of


def section_controls(section: Section, data: dict[str, Any], *, add: str = "") -> list[Control]:
    """Return the inputs of a page, filled with the values in study.yaml."""
    return [
        controls_of(member_at(path), value_at(data, path), tuple(path.split(".")), add=add) for path in section.paths
    ]


def question_control(data: dict[str, Any], number: int, *, add: str = "") -> Control:
    """Return the inputs of one question; `number` counts from 0."""
    member = Member("question", "Question", "", question_kinds(), None, is_required=True)
    return controls_of(member, data[QUESTIONS][number], (QUESTIONS, number), add=add)


def with_section(section: Section, data: dict[str, Any], form: Form) -> dict[str, Any]:
    """Return the content of study.yaml after a page is saved."""
    for path in section.paths:
        data = with_value(data, path, read_member(member_at(path), value_at(data, path), path, form))
    return data


def with_question(data: dict[str, Any], number: int, form: Form) -> dict[str, Any]:
    """Return the content of study.yaml after a question is saved."""
    member = Member("question", "Question", "", question_kinds(), None, is_required=True)
    questions = list(data[QUESTIONS])
    questions[number] = read_member(member, questions[number], f"{QUESTIONS}.{number}", form)
    return {**data, QUESTIONS: questions}


def value_at(data: Any, path: str) -> Any:  # noqa: ANN401 - any value of the file
    """Return the value at a path; None if there is none."""
    for name in path.split("."):
        data = data.get(name) if isinstance(data, dict) else None
    return data


def with_value(data: Any, path: str, value: Any) -> dict[str, Any]:  # noqa: ANN401 - any value of the file
    """Return the data with a new value at a path; None removes it, and its parent if that becomes empty."""
    name, _, rest = path.partition(".")
    there = dict(data) if isinstance(data, dict) else {}
    below = with_value(there.get(name), rest, value) if rest else value
    if below is None or (rest and not below and there.get(name) is None):
        there.pop(name, None)
    else:
        there[name] = below
    return there


def section_of(path: str) -> Section | None:
    """Return the page with the field of a path such as `flow.consent.text`, or with all fields below `monitoring`."""
    holders = {one.key: one for one in SECTIONS for own in one.paths if f"{path}.".startswith(f"{own}.")}
    holders = holders or {one.key: one for one in SECTIONS for own in one.paths if own.startswith(f"{path}.")}
    return next(iter(holders.values())) if len(holders) == 1 else None
