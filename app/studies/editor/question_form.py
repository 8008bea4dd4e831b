"""The editor of one question: its text, what it is about and its scale in words, and rare settings behind *More*."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.base.words import readable
from app.protocol.conditions import LEVELS
from app.protocol.questions.registry import KINDS
from app.protocol.questions.scale import DEFAULT_STRENGTH
from app.studies.editor.controls import Control, Option, is_true, named_of, part_of_kind
from app.studies.editor.nodes import Named, Scalar
from app.studies.editor.question_keys import free_key, is_made, key_of, renamed
from app.studies.editor.question_list import NO_TEXT, questions_in
from app.studies.editor.scale_labels import Pasted, points_text, read_points
from app.studies.editor.scale_library import points_of
from app.studies.editor.sections import QUESTIONS, question_control, question_kinds, with_question

Data = dict[str, Any]
Form = Mapping[str, Sequence[str]]
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
    "help": "Explanation",
    "required": "An answer is required",
    "comment": "Raters may add a comment",
    "condition": "Asked only in this condition",
    "show_if": "Asked only after certain answers",
    "question": "Earlier question",
    "equals": "Answer",
    "one_of": "Any of these answers",
    "at_least": "A number of at least",
    "level": "Distances between points",
    "reversed": "A high value is undesirable (scores are reversed)",
    "cannot_judge": "Offer “Cannot judge”",
    "orientation": "Points side by side or below each other",
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
    "exclusive": "Answers that exclude all others",
    "correct": "Correct answer",
    "correct_column": "Column with the correct answer",
    "min_length": "Fewest characters",
    "max_length": "Most characters",
    "typing_rhythm": "Count keystrokes and typing time",
}
# Fields that the editor shows in a way of its own.
_OWN = frozenset({"key", "target", "text", "label", "scale", "codes", "options", "strength"})
_MAIN = frozenset({"min", "max", "min_words", "max_words", "tie", "neither", "multiple", "ties", "total", "points"})
_CODES = Named(Scalar())
_STRENGTH = Named(Scalar(), is_scale=True)


@dataclass(frozen=True, slots=True)
class QuestionEditor:
    """What the editor of a question shows. `labels` are lines; None if the question has none. `short` is the default
    of `label`.
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
    strength: str | None
    strengths: tuple[Option, ...]
    main: tuple[Control, ...]
    more: tuple[Control, ...]

    @property
    def kind_words(self) -> str:
        """The type of question, in words."""
        return KINDS[self.kind].type_words if self.kind in KINDS else self.kind


def question_editor(data: Data, number: int, *, add: str = "") -> QuestionEditor:
    """The editor of the question with this number, from 1."""
    question: Data = questions_in(data)[number - 1]
    kind = str(question.get("type", ""))
    controls = [
        _in_words(one) for one in question_control(data, number - 1, add=add).children if _field(one) not in _OWN
    ]
    main = tuple(replace(one, is_set=True) for one in controls if _field(one) in _MAIN)
    text = str(question.get("text") or "")
    key = str(question.get("key") or "")
    labels, help_ = _labels(question)
    strength, strengths = _strength(question)
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
        strength,
        strengths,
        main,
        tuple(_with_choices(one, data, number) for one in controls if _field(one) not in _MAIN),
    )


def with_edited(data: Data, number: int, form: Form, *, may_rename: bool) -> tuple[Data, Pasted | None]:
    """The data after the editor of a question was saved, and labels that do not fit the number of points.

    The key follows the label, or else the text, as long as nothing has been collected under it.
    """
    data = with_question(data, number - 1, form)
    before: Data = questions_in(data)[number - 1]
    question, pasted = _with_labels(dict(before), form)
    if "text" in form:
        _set(question, "text", _value(form, "text") or NO_TEXT)
    if _value(form, "about"):
        _set(question, "target", _value(form, "about"))
    if "label" in form:
        _set(question, "label", " ".join(_value(form, "label").split()) or None)
    if _value(form, "strength") in {"none", "default"}:
        _set(question, "strength", True if _value(form, "strength") == "default" else None)
    questions = questions_in(data)
    questions[number - 1] = question if question != before else before
    data = {**data, QUESTIONS: questions}
    old = str(before.get("key") or "")
    words = str(question.get("label") or question.get("text") or "")
    has_words = words != NO_TEXT and words != str(before.get("label") or before.get("text") or "")
    if may_rename and old and has_words and is_made(old, before):
        new = free_key(data, key_of(words, str(question.get("type"))), but=old)
        data = renamed(data, old, new) if new != old else data
    return data, pasted


def _with_labels(question: Data, form: Form) -> tuple[Data, Pasted | None]:
    if "labels" not in form:
        return question, None
    text = _value(form, "labels")
    if question.get("type") == "category":
        codes = _codes_of(question)
        lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
        if lines != [words or code for code, words in codes.items()]:
            question["options" if "options" in question else "codes"] = _codes(lines, codes)
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


def _codes(lines: Sequence[str], now: Mapping[str, str]) -> dict[str, str]:
    """The answers with their codes: one of the same words keeps its code, and so does a reworded one in its place."""
    by_words = {words or code: code for code, words in now.items()}
    places = list(now)
    found: dict[str, str] = {}
    for place, line in enumerate(lines):
        code = by_words.get(line)
        if code is None and len(lines) == len(now) and (now[places[place]] or places[place]) not in lines:
            code = places[place]
        code = code or key_of(line, "answer").replace("|", "_")
        number, free = 2, code
        while free in found or (free in now and by_words.get(line) != free and len(lines) != len(now)):
            free, number = f"{code}_{number}", number + 1
        found[free] = line
    return found


def _codes_of(question: Data) -> dict[str, str]:
    found = named_of(_CODES, question.get("codes", question.get("options")))
    return {code: str(words or "") for code, words in found.items()}


def _labels(question: Data) -> tuple[str | None, str]:
    if question.get("type") == "rating":
        return points_text(
            points_of(question)
        ), "One label per line, from low to high. Numbers such as “1 = never” are understood."
    if question.get("type") == "category":
        codes = _codes_of(question)
        return "\n".join(words or code for code, words in codes.items()), "One answer per line."
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


def _with_choices(control: Control, data: Data, number: int) -> Control:
    """Names of other parts are chosen, not typed: the condition, and the earlier question of `show_if`."""
    if _field(control) == "condition":
        levels = [
            (f"{name}={level}", f"{factor.get('label') or readable(name)}: {level}")
            for name, factor in named_of(_CODES, data.get("conditions")).items()
            if isinstance(factor, dict)
            for level in named_of(_CODES, factor.get("levels") or LEVELS.get(str(factor.get("kind"))))
        ]
        return _choice(control, levels, "Always")
    if _field(control) == "show_if":
        earlier = [
            (str(one.get("key")), str(one.get("label") or one.get("text") or one.get("key")))
            for place, one in enumerate(questions_in(data), 1)
            if isinstance(one, dict) and one.get("target") == "rater" and place != number
        ]
        children = tuple(
            _choice(one, earlier, "Choose") if one.name.endswith(".question") else one for one in control.children
        )
        return replace(control, children=children)
    return control


def _in_words(control: Control) -> Control:
    children = tuple(_in_words(one) for one in control.children)
    return replace(control, label=FIELD_WORDS.get(_field(control), control.label), children=children)


def _choice(control: Control, options: Sequence[tuple[str, str]], none: str) -> Control:
    return replace(control, shape="choice", options=(Option("", none), *(Option(*one) for one in options)))


def _field(control: Control) -> str:
    return control.name.rpartition(".")[2]


def _value(form: Form, name: str) -> str:
    return next(reversed(form.get(name, ())), "").replace("\x00", "").replace("\r\n", "\n").strip()


def _set(question: Data, field: str, value: object) -> None:
    """Set a field unless it means the same already; None removes it."""
    if value is None:
        question.pop(field, None)
    elif str(question.get(field, "")).strip() != value:
        question[field] = value
