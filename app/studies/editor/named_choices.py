"""Questions, answers and conditions are chosen in forms, never typed."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from app.base.language.language import country_names, language_names
from app.base.words import counted, readable
from app.protocol.conditions import LEVELS, level_name
from app.studies.editor.answer_codes import answer_lines, codes_of
from app.studies.editor.controls import Control, Option, named_of, text_of
from app.studies.editor.field_help import in_words_of_forms
from app.studies.editor.nodes import Data, Named, Scalar
from app.studies.editor.scale_library import points_of

_LEVELS = Named(Scalar())
# The levels of the kinds of conditions, in words.
LEVEL_WORDS = {
    "shown_label": {
        "none": "Nothing",
        "true": "Who wrote it",
        "swapped": "That another source wrote it",
        "unknown": "That it is not known",
    },
    "profile": {"hidden": "Hidden", "shown": "Shown"},
    "layout": {"single": "One at a time", "side_by_side": "Side by side"},
    "reveal": {"whole": "As a whole", "turns": "Turn by turn"},
    "scale_direction": {"as_written": "As written", "turned": "Turned around"},
}
_LONGEST = 90


def with_choices(control: Control, data: Data) -> Control:
    """A control with choices in place of typed keys and codes, also in the controls inside it."""
    control = in_words_of_forms(control)
    for pattern, choose in _RULES:
        if re.fullmatch(pattern, control.name):
            control = choose(control, data)
    return replace(control, children=tuple(with_choices(child, data) for child in control.children))


def title_of(question: Mapping[str, Any]) -> str:
    """A question as leads read it in a list."""
    words = " ".join(str(question.get("label") or question.get("text") or question.get("key")).split())
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST].rstrip()}…"


def questions_about(data: Data, *, rater: bool | None = None) -> list[Data]:
    """The questions about the rater, or those about something else, or all."""
    found = data.get("questions")
    questions = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return [one for one in questions if rater is None or (one.get("target") == "rater") == rater]


def answers_of(question: Mapping[str, Any]) -> list[Option]:
    """The answers that a question offers, as written in files and in words; none if they cannot be listed."""
    if question.get("type") == "rating":
        return [Option(value, f"{value}: {words}" if words else value) for value, words in points_of(question).items()]
    if question.get("type") == "category":
        codes = codes_of(question)
        return [Option(*pair) for pair in zip(codes, answer_lines(codes), strict=True)]
    return []


def ticks(control: Control, options: Iterable[Option], chosen: Iterable[str]) -> Control:
    """Ticks, first what is chosen in its order, which may be one that the study means."""
    known, ticked = {one.value: one for one in options}, list(chosen)
    first = [known.get(value, Option(value, readable(value))) for value in ticked]
    rest = [one for value, one in known.items() if value not in ticked]
    return replace(control, shape="ticks", value="\n".join(ticked), options=(*first, *rest))


def label_of(key: str, one: object) -> str:
    """The label of an entry; without one, a readable form of its key."""
    return str((one.get("label") if isinstance(one, dict) else None) or readable(key))


def entry_options(data: Data, path: str) -> list[Option]:
    """The entries of a mapping, such as `sources`, by their labels."""
    return [Option(key, label_of(key, one)) for key, one in named_of(_LEVELS, value_of(data, path)).items()]


def fields_of(control: Control) -> dict[str, Control]:
    """The fields of an entry by their names."""
    return {one.name.rpartition(".")[2]: one for one in control.children}


def select(control: Control, options: Iterable[Option], none: str | None, **changes: Any) -> Control:  # noqa: ANN401
    """A select, also of what is written and unknown; `none` are the words for no choice."""
    known = [*(() if none is None else (Option("", none),)), *options]
    if control.value not in {one.value for one in known}:
        known.append(Option(control.value, readable(control.value)))
    return replace(control, shape="choice", options=tuple(known), is_set=True, help="", **changes)


def levels_of(factor: Mapping[str, Any]) -> dict[str, str]:
    """The levels of a factor with the text of each; those of its kind if it names none."""
    return {key: text_of(words) for key, words in named_of(_LEVELS, declared_levels(factor)).items()}


def declared_levels(factor: Mapping[str, Any]) -> object:
    """The levels as a condition declares them, or those of its kind."""
    return factor.get("levels") or LEVELS.get(str(factor.get("kind")))


def level_labels(factor: Mapping[str, Any]) -> dict[str, Any]:
    """The labels of a condition's levels."""
    there = factor.get("level_labels")
    return {level_name(level): value for level, value in there.items()} if isinstance(there, dict) else {}


def level_words_of(factor: Mapping[str, Any], data: Data) -> dict[str, str]:
    """The levels of a condition in words."""
    kind, labels = str(factor.get("kind")), level_labels(factor)
    known = LEVEL_WORDS.get(kind) or {
        one.value: one.words for one in entry_options(data, "sources") if kind == "source"
    }
    return {level: str(labels.get(level) or known.get(level) or readable(level)) for level in levels_of(factor)}


def chosen(control: Control) -> list[str]:
    """What is ticked, or written on lines."""
    return [line for line in control.value.split("\n") if line]


def _questions_as_ticks(*, rater: bool) -> Callable[[Control, Data], Control]:
    def choose(control: Control, data: Data) -> Control:
        options = [Option(str(one.get("key")), title_of(one)) for one in questions_about(data, rater=rater)]
        shown = ticks(control, options, chosen(control))
        return replace(shown, help="") if rater else shown

    return choose


def _expected(control: Control, data: Data) -> Control:
    """A mapping from questions to accepted answers."""
    rater = True if "eligibility" in control.name else None
    questions = {str(one.get("key")): one for one in questions_about(data, rater=rater)}
    rows = []
    for row in control.children:
        answers = answers_of(questions.get(row.key, {}))
        rows.append(ticks(row, answers, chosen(row)) if answers else row)
    options = tuple(Option(key, title_of(one)) for key, one in questions.items())
    return replace(control, options=options, children=tuple(rows))


def _of_sources(control: Control, data: Data) -> Control:
    """A mapping from sources, which are chosen by their labels."""
    rows = tuple(replace(row, key_label="Source") for row in control.children)
    return replace(control, options=tuple(entry_options(data, "sources")), children=rows)


def _check(control: Control, data: Data) -> Control:  # noqa: ARG001 - as the other rules
    return replace(control, children=tuple(one for one in control.children if not one.name.endswith(".key")))


def _answers(control: Control, data: Data) -> Control:
    check = value_of(data, control.name.rpartition(".")[0])
    lines = answer_lines(codes_of(check if isinstance(check, dict) else {}))
    return replace(control, shape="lines", value="\n".join(lines), children=(), help="")


def _right_answer(control: Control, data: Data) -> Control:
    check = value_of(data, control.name.rpartition(".")[0])
    return replace(control, shape="radios", options=tuple(_answers_in(check)), help="")


def _answers_in(check: object) -> list[Option]:
    codes = codes_of(check if isinstance(check, dict) else {})
    return [Option(*pair) for pair in zip(codes, answer_lines(codes), strict=True)]


def _flag_at(control: Control, data: Data) -> Control:
    n = n_checks(data)
    words = {0: "No checks yet", 1: "The check"}.get(n, "2 checks (default)")
    options = [Option(str(at), counted(at, "check")) for at in range(1, n + 1)]
    return replace(control, shape="choice", options=(Option("", words), *options), is_set=True, help="")


def n_checks(data: Data) -> int:
    """The number of attention checks and gold trials."""
    return sum(
        len(found) for name in ("attention", "gold") if isinstance(found := value_of(data, f"checks.{name}"), list)
    )


def _condition(control: Control, data: Data) -> Control:
    levels = [
        Option(f"{name}={level}", f"{label_of(name, factor)}: {words}")
        for name, factor in named_of(_LEVELS, data.get("conditions")).items()
        if isinstance(factor, dict)
        for level, words in level_words_of(factor, data).items()
    ]
    return replace(control, shape="choice", options=(Option("", "Always"), *levels))


def _correct(control: Control, data: Data) -> Control:
    answers = _answers_in(value_of(data, control.name.rpartition(".")[0]))
    return replace(control, shape="choice", options=(Option("", "None is the correct one"), *answers), help="")


def _exclusive(control: Control, data: Data) -> Control:
    answers = _answers_in(value_of(data, control.name.rpartition(".")[0]))
    ticked = chosen(control)
    return replace(control, shape="ticks", value="\n".join(ticked), options=tuple(answers), help="")


def value_of(data: object, name: str) -> Any:  # noqa: ANN401 - any value of study.yaml
    """The value at the name of a form field, in which lists count from 0; None if there is none."""
    for step in name.split("."):
        if isinstance(data, list):
            data = data[int(step)] if step.isdecimal() and int(step) < len(data) else None
        else:
            data = data.get(step) if isinstance(data, dict) else None
    return data


def _language(control: Control, data: Data) -> Control:  # noqa: ARG001 - as the other rules
    names = language_names()
    control = replace(control, value=control.value or control.standard)
    if control.value not in names:
        names[control.value] = f"{names.get(control.value[:2], 'Other')} ({control.value})"
    options = (Option(code, name) for code, name in names.items())
    return select(control, options, None, label="Language of your texts")


def _country(control: Control, data: Data) -> Control:  # noqa: ARG001 - as the other rules
    names = country_names()
    value = control.value.upper() if control.value.upper() in names else control.value
    options = (Option(code, name) for code, name in names.items())
    return select(replace(control, value=value), options, "Choose a country")


_RULES: tuple[tuple[str, Callable[[Control, Data], Control]], ...] = (
    (r"checks\.(attention|comprehension)\.\d+", _check),
    (r"checks\.(attention|comprehension)\.\d+\.codes", _answers),
    (r"checks\.(attention|comprehension)\.\d+\.correct", _right_answer),
    (r"checks\.flag_at", _flag_at),
    (r"language", _language),
    (r"(conversation|draft)\.help_lines\.\d+\.country", _country),
    (r"(conversation|draft)\.partners", _of_sources),
    (r"(flow\.(before|after)|waves\.\d+\.questionnaires)\.\d+\.questions", _questions_as_ticks(rater=True)),
    (r"flow\.revisit", _questions_as_ticks(rater=False)),
    (r"flow\.eligibility\.accept|(flow\.practice\.trials|checks\.gold)\.\d+\.expect", _expected),
    (r"questions\.\d+\.condition", _condition),
    (r"questions\.\d+\.correct", _correct),
    (r"questions\.\d+\.exclusive", _exclusive),
)
