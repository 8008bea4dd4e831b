"""The editor of one question: its text, what it is about and its scale in words, and rare settings behind *More*."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from app.base.words import readable, typed
from app.protocol.questions.registry import KINDS
from app.protocol.questions.scale import DEFAULT_STRENGTH
from app.studies.editor.answer_codes import answer_lines, codes_from, codes_of
from app.studies.editor.asked_when import AskedWhen, asked_when, with_asked_when
from app.studies.editor.controls import Control, Option, is_true, lines_of, named_of, part_of_kind
from app.studies.editor.design_choices import column_words
from app.studies.editor.named_choices import select, with_choices
from app.studies.editor.nodes import Data, Named, Scalar
from app.studies.editor.question_keys import free_key, is_made, key_of, renamed, without_answers
from app.studies.editor.question_list import NO_TEXT, questions_in
from app.studies.editor.rater_pages import page_options, with_page
from app.studies.editor.reading import Form
from app.studies.editor.scale_labels import Pasted, points_text, read_points
from app.studies.editor.scale_library import points_of
from app.studies.editor.sections import QUESTIONS, question_control, question_kinds, with_question
from app.studies.editor.stored_texts import NO_COLUMNS, Columns

# What leads read in place of what a question is about.
ABOUT_WORDS = {
    "response": "Each response",
    "pair": "The two responses together",
    "set": "All responses together",
    "item": "The item",
    "turn": "Each turn of the dialogue",
    "rater": "The rater, asked once",
}
FIELD_WORDS = {
    "turns": "Whose turns of the conversation",
    "help": "Explanation",
    "required": "An answer is required",
    "comment": "Raters may add a comment",
    "condition": "Asked only in this condition",
    "level": "Distances between points",
    "reversed": "A high value is undesirable (scores are reversed)",
    "cannot_judge": "Offer “Cannot judge”",
    "orientation": "Points side by side or below each other",
    "labels_shown": "Raters read the words of all points or of the two ends",
    "tie": "Offer “About the same”",
    "ties": "Responses may share a rank",
    "neither": "Offer “Neither”",
    "min": "Lowest number",
    "max": "Highest number",
    "step": "Steps of",
    "min_words": "Words at the low end",
    "max_words": "Words at the high end",
    "points": "Points to divide",
    "multiple": "Raters may choose several answers",
    "exclusive": "Excludes all other answers",
    "correct": "Correct answer",
    "correct_column": "Column with the correct answer",
    "min_length": "Fewest characters",
    "max_length": "Most characters",
    "typing_rhythm": "Count keystrokes and typing time",
}
# Fields that the editor shows in a way of its own.
_OWN = frozenset({"key", "target", "text", "label", "scale", "codes", "options", "strength", "show_if", "definitions"})
# Marks of single answers, drawn anew when the answers change.
_MARKS = frozenset({"exclusive", "correct"})
_MAIN = frozenset(
    {"min", "max", "min_words", "max_words", "tie", "neither", "multiple", "ties", "total", "points", "turns"}
)
_STRENGTH = Named(Scalar(), is_scale=True)
_MEANINGS = Named(Scalar())


@dataclass(frozen=True, slots=True)
class QuestionEditor:
    """What the editor of a question shows. `labels` are lines; None if the question has none; `meanings` has a line for
    each of them. `short` is the default of `label`.
    """

    number: int
    kind: str
    text: str
    about: str
    abouts: tuple[Option, ...]
    label: str
    short: str
    labels: str | None
    labels_help: str
    meanings: str
    strength: str | None
    strengths: tuple[Option, ...]
    page: str
    pages: tuple[Option, ...]
    when: AskedWhen | None
    main: tuple[Control, ...]
    marks: tuple[Control, ...]
    more: tuple[Control, ...]

    @property
    def kind_words(self) -> str:
        """The type of question, in words."""
        return KINDS[self.kind].type_words if self.kind in KINDS else self.kind


def question_editor(data: Data, number: int, columns: Columns = NO_COLUMNS, *, add: str = "") -> QuestionEditor:
    """The editor of the question with this number, from 1. `columns` are those of the stored texts."""
    question: Data = questions_in(data)[number - 1]
    kind = str(question.get("type", ""))
    controls = [
        _in_words(_with_columns(with_choices(one, data), data, columns))
        for one in question_control(data, number - 1, add=add).children
        if _field(one) not in _OWN
    ]
    if not (question.get("target") == "turn" and data.get("conversation")):
        controls = [one for one in controls if _field(one) != "turns" or one.is_set]
    marks = [one for one in controls if _field(one) in _MARKS]
    if not is_true(question.get("multiple")):
        marks = [one for one in marks if _field(one) != "exclusive"]
    main = tuple(replace(one, is_set=True) for one in controls if _field(one) in _MAIN)
    text = str(question.get("text") or "")
    key = str(question.get("key") or "")
    labels, help_ = _labels(question)
    strength, strengths = _strength(question)
    page, pages = page_options(data, key) if question.get("target") == "rater" else ("", ())
    return QuestionEditor(
        number,
        kind,
        "" if text == NO_TEXT else text,
        str(question.get("target") or ""),
        _abouts(kind),
        str(question.get("label") or ""),
        readable(key) if text != NO_TEXT else "",
        labels,
        help_,
        "\n".join(_meanings(question).get(one, "") for one in _answers(question)).rstrip(),
        strength,
        strengths,
        page,
        pages,
        asked_when(data, question),
        main,
        tuple(marks),
        tuple(one for one in controls if _field(one) not in _MAIN | _MARKS),
    )


def with_edited(data: Data, number: int, form: Form, *, may_rename: bool) -> tuple[Data, Pasted | None]:
    """The data after the editor of a question was saved, and labels that do not fit the number of points.

    The key follows the label, or else the text, as long as nothing has been collected under it.
    """
    data = with_question(data, number - 1, form)
    before: Data = questions_in(data)[number - 1]
    question, pasted = _with_labels(dict(before), form)
    _define(question, form)
    if "text" in form:
        _set(question, "text", _value(form, "text") or NO_TEXT)
    if _value(form, "about"):
        _set(question, "target", _value(form, "about"))
    if "label" in form:
        _set(question, "label", " ".join(_value(form, "label").split()) or None)
    if _value(form, "strength") in {"none", "default"}:
        _set(question, "strength", True if _value(form, "strength") == "default" else None)
    with_asked_when(question, form)
    if not is_true(question.get("multiple")):
        question.pop("exclusive", None)
    questions = questions_in(data)
    questions[number - 1] = question if question != before else before
    data = {**data, QUESTIONS: questions}
    data = without_gone_answers(data, before, question)
    old = str(before.get("key") or "")
    words = str(question.get("label") or question.get("text") or "")
    has_words = words != NO_TEXT and words != str(before.get("label") or before.get("text") or "")
    if may_rename and old and has_words and is_made(old, before):
        new = free_key(data, key_of(words, str(question.get("type"))), but=old)
        data = renamed(data, old, new) if new != old else data
        old = new
    return with_page(data, old, _value(form, "page")) if "page" in form else data, pasted


def _with_labels(question: Data, form: Form) -> tuple[Data, Pasted | None]:
    if "labels" not in form:
        return question, None
    text = _value(form, "labels")
    if question.get("type") == "category":
        now = codes_of(question)
        codes = codes_from(text, now)
        if codes != now:
            question["options" if "options" in question else "codes"] = codes
            _keep_marks(question, codes)
        return question, None
    now = points_of(question)
    points = read_points(text, now)
    if isinstance(points, Pasted):
        do = _value(form, "fit")
        if do not in {"points", "ends"}:
            return question, points
        points = points.as_points() if do == "points" else points.as_ends()
    if points and points != now:
        question["scale"] = points
    return question, None


def _define(question: Data, form: Form) -> None:
    """What the answers mean: a line for each answer, in their order; of an answer that is gone, nothing."""
    answers, before = _answers(question), _meanings(question)
    now = before
    if "definitions" in form:
        now = dict(zip(answers, (" ".join(line.split()) for line in form["definitions"][0].splitlines()), strict=False))
    now = {answer: words for answer, words in now.items() if words and answer in answers}
    if now != before:
        _set(question, "definitions", now or None)


def _meanings(question: Data) -> dict[str, str]:
    """The definitions by answer."""
    found = named_of(_MEANINGS, question.get("definitions"))
    return {answer: " ".join(str(words or "").split()) for answer, words in found.items()}


def without_gone_answers(data: Data, before: Data, now: Data) -> Data:
    """The data without what names answers that a question had before and has no longer."""
    gone = {*_answers(before)} - {*_answers(now)}
    return without_answers(data, str(before.get("key") or ""), gone) if gone else data


def _answers(question: Data) -> Mapping[str, str]:
    """The answers that other parts of the file may name."""
    return codes_of(question) if question.get("type") == "category" else points_of(question)


def _labels(question: Data) -> tuple[str | None, str]:
    if question.get("type") == "rating":
        return points_text(
            points_of(question)
        ), "One label per line, from low to high. Numbers such as “1 = never” are understood."
    if question.get("type") == "category":
        return "\n".join(answer_lines(codes_of(question))), "One answer per line."
    return None, ""


def _strength(question: Data) -> tuple[str | None, tuple[Option, ...]]:
    """How strong a preference is: not asked, on the scale of every study, or on one of its own."""
    if question.get("type") != "choice":
        return None, ()
    value = question.get("strength")
    words = ", ".join(point.words for point in DEFAULT_STRENGTH.points)
    options = [Option("none", "No"), Option("default", f"Yes: {words}")]
    if value is None or (not isinstance(value, dict) and not is_true(value)):
        return "none", tuple(options)
    own = named_of(_STRENGTH, value)
    if not isinstance(value, dict):
        return "default", tuple(options)
    return "own", (*options, Option("own", f"Yes: {', '.join(str(one or key) for key, one in own.items())}"))


def _abouts(kind: str) -> tuple[Option, ...]:
    part = part_of_kind(question_kinds(), {"type": kind})
    member = next((one for one in part.members if one.name == "target"), None) if part else None
    options = member.node.options if member and isinstance(member.node, Scalar) else ()
    return tuple(Option(one, ABOUT_WORDS[one]) for one in options)


def _keep_marks(question: Data, codes: Mapping[str, str]) -> None:
    """Answers that are gone are neither the correct one nor exclusive."""
    if str(question.get("correct")) not in codes:
        question.pop("correct", None)
    if exclusive := [code for code in lines_of(question.get("exclusive")) if code in codes]:
        question["exclusive"] = exclusive
    else:
        question.pop("exclusive", None)


def _with_columns(control: Control, data: Data, columns: Columns) -> Control:
    if _field(control) != "correct_column":
        return control
    names = dict.fromkeys([*columns.items, *columns.responses])
    options = [Option(name, column_words(data, name)) for name in names]
    choice = select(control, options, "None")
    return replace(choice, help="A column of your texts whose values are the answers.", is_set=bool(control.value))


def _in_words(control: Control) -> Control:
    children = tuple(_in_words(one) for one in control.children)
    return replace(control, label=FIELD_WORDS.get(_field(control), control.label), children=children)


def _field(control: Control) -> str:
    return control.name.rpartition(".")[2]


def _value(form: Form, name: str) -> str:
    return typed(next(reversed(form.get(name, ())), ""))


def _set(question: Data, field: str, value: object) -> None:
    """Set a field unless it means the same already; None removes it."""
    if value is None:
        question.pop(field, None)
    elif str(question.get(field, "")).strip() != value:
        question[field] = value
