"""“Asked only when [question] is [answer]”: the condition `show_if` of a question about the rater, as choices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from app.base.words import number_text, readable
from app.studies.editor.controls import Option, lines_of
from app.studies.editor.named_choices import answers_of, questions_about, title_of
from app.studies.editor.nodes import Data
from app.studies.editor.reading import Form

FIELD, ANSWERS, LOWEST = "asked_when", "asked_when_answers", "asked_when_lowest"
# Follows the key of a question that is answered by a number.
_AT_LEAST = ">="
_NUMERIC = frozenset({"slider"})


@dataclass(frozen=True, slots=True)
class AskedWhen:
    """The choice among the answers of other questions, by question; the ticks of all answers of the chosen question;
    or, for a question that is answered by a number, the lowest one.
    """

    value: str
    groups: Mapping[str, Sequence[Option]]
    question: str
    ticks: tuple[Option, ...]
    ticked: frozenset[str]
    lowest: str | None


def asked_when(data: Data, question: Data) -> AskedWhen | None:
    """What the editor of a question shows; None for questions that are not about the rater."""
    if question.get("target") != "rater":
        return None
    others = [one for one in questions_about(data, rater=True) if one.get("key") != question.get("key")]
    groups = {title_of(one): options for one in others if (options := _options(one))}
    key, accepted, lowest = _now(question)
    chosen = next((one for one in others if str(one.get("key")) == key), {})
    answers = tuple(answers_of(chosen))
    value = _value(question)
    if value and value not in {option.value for options in groups.values() for option in options}:
        groups = {"Now": [Option(value, f"{readable(key)}: {', '.join(accepted) or lowest}")], **groups}
    return AskedWhen(
        value,
        groups,
        title_of(chosen) if chosen else "",
        answers if accepted else (),
        frozenset(accepted),
        lowest,
    )


def with_asked_when(question: Data, form: Form) -> None:
    """Set or remove the condition of a question as the form says; unchanged choices leave it as it is written."""
    if FIELD not in form:
        return
    value, now = form[FIELD][-1], _value(question)
    if not value:
        question.pop("show_if", None)
        return
    key, sign, answer = _parts(value)
    ticked = [one for one in form.get(ANSWERS, ()) if one]
    lowest = next(iter(form.get(LOWEST, ())), "").strip()
    _, accepted, before = _now(question)
    if value != now:
        question["show_if"] = {"question": key} | ({"at_least": 0} if sign == _AT_LEAST else {"equals": answer})
    elif sign == _AT_LEAST and lowest and lowest != before:
        question["show_if"] = {"question": key, "at_least": lowest}
    elif sign == "=" and ticked and set(ticked) != set(accepted):
        question["show_if"] = {"question": key} | ({"equals": ticked[0]} if len(ticked) == 1 else {"one_of": ticked})


def _options(question: Data) -> list[Option]:
    key = str(question.get("key"))
    if question.get("type") in _NUMERIC:
        return [Option(f"{key}{_AT_LEAST}", "is at least …")]
    return [Option(f"{key}={one.value}", f"is {one.words}") for one in answers_of(question)]


def _parts(value: str) -> tuple[str, str, str]:
    if value.endswith(_AT_LEAST):
        return value.removesuffix(_AT_LEAST), _AT_LEAST, ""
    return value.partition("=")


def _value(question: Data) -> str:
    """The option that is chosen: the question, and its first accepted answer."""
    key, accepted, lowest = _now(question)
    if lowest is not None:
        return f"{key}{_AT_LEAST}"
    return f"{key}={accepted[0]}" if accepted else ""


def _now(question: Data) -> tuple[str, list[str], str | None]:
    rule = question.get("show_if")
    if not isinstance(rule, dict):
        return "", [], None
    accepted = lines_of(rule.get("one_of")) or lines_of(rule.get("equals"))
    lowest = rule.get("at_least")
    words = None if lowest is None else number_text(lowest) if isinstance(lowest, float) else str(lowest)
    return str(rule.get("question") or ""), accepted, words
