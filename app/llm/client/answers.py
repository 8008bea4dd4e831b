"""Read a model's answer: one JSON object with the fields that were asked; nothing else passes for an answer."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from app.llm.client.asked import Asked

# Thoughts of a model, apart from its answer: some servers leave them in the text, with one or both of their tags.


_NAMES = "think|thinking|thought|thoughts|reasoning"
_OPENING = re.compile(rf"\A\s*(?:<(?:{_NAMES})>|\[THINK\])", re.IGNORECASE)
_CLOSING = re.compile(rf"(?:</(?:{_NAMES})>|\[/THINK\])", re.IGNORECASE)
# The marks of gpt-oss, where a server does not read them.
_FINAL = re.compile(r"(?:<\|start\|>assistant)?<\|channel\|>final<\|message\|>")
_MARK = re.compile(r"<\|[a-z_]+\|>")


class Split(NamedTuple):
    """A text in two parts."""

    thoughts: str
    answer: str


def split_thoughts(text: str) -> Split:
    """What a model thought, and what it answered: all after the last closing tag, nothing if the thoughts have no end.

    >>> split_thoughts("<think>Warm, I think.</think> 4")
    Split(thoughts='Warm, I think.', answer='4')
    >>> split_thoughts("Warm, I think.</think> 4")
    Split(thoughts='Warm, I think.', answer='4')
    >>> split_thoughts("<think>Perhaps a 4")
    Split(thoughts='Perhaps a 4', answer='')
    >>> split_thoughts("4")
    Split(thoughts='', answer='4')
    """
    if text.lstrip().startswith("<|channel|>"):
        thoughts, _, answer = _FINAL.sub("\0", text, count=1).partition("\0")
        return Split(_MARK.sub(" ", thoughts).strip(), _MARK.split(answer)[0].strip())
    opening = _OPENING.match(text)
    start = opening.end() if opening else 0
    closing = [*_CLOSING.finditer(text, start)]
    if closing:
        return Split(text[start : closing[-1].start()].strip(), text[closing[-1].end() :].strip())
    return Split(text[start:].strip(), "") if opening else Split("", text)


# The end of a text that may become a mark.
_HALF_A_MARK = re.compile(r"[<\[][/|]?[a-z_|]*\Z", re.IGNORECASE)


def split_so_far(text: str, *, is_held: bool) -> Split:
    """The two parts of a text that is not complete: what may still become a thought is in neither.

    Args:
        text: what has arrived.
        is_held: the thoughts may have no opening tag, so that all before a closing one may be thoughts.

    >>> split_so_far("<think>Warm.</think> A 4, I th", is_held=True)
    Split(thoughts='Warm.', answer='A 4, I th')
    >>> split_so_far("A 4, I <th", is_held=False), split_so_far("A 4, I think", is_held=True)
    (Split(thoughts='', answer='A 4, I '), Split(thoughts='', answer=''))
    """
    split = split_thoughts(_HALF_A_MARK.sub("", text))
    return Split("", "") if is_held and not split.thoughts and _CLOSING.search(text) is None else split


def thinks_untagged(text: str) -> bool:
    """Whether a whole text has thoughts that begin without a tag.

    >>> thinks_untagged("Warm, I think.</think> 4"), thinks_untagged("<think>Warm.</think> 4"), thinks_untagged("4")
    (True, False, False)
    """
    return _CLOSING.search(text) is not None and _OPENING.match(text) is None


# A longer value is named by its beginning only.
_MAX_SHOWN = 60
# Objects that are tried, from the end of the text.
_MAX_OBJECTS = 100


def storable(text: str) -> str:
    r"""A text without what the database does not take: half of a pair of code units, and the character zero.

    >>> storable("A \ud800 B \x00")
    'A ? B �'
    """
    return text.encode("utf-8", "replace").decode().replace("\0", "�")


class UnparsedError(ValueError):
    """The answer cannot be used; the message says why, for the repair and for the lead."""


_SORRY = r"(?:(?:i[’']?m|i am|my apologies|apologies|sorry)\b.{0,40}?)?(?:but )?(?:as an ai\b.{0,60}?)?"
_WILL_NOT = r"can[’']?t|can ?not|won[’']t|will not|unable to|not able to|must decline|decline"
_REFUSING = re.compile(rf"\W*{_SORRY}\bi(?: am|[’']m)? (?:{_WILL_NOT})\b", re.IGNORECASE | re.DOTALL)


def is_refusal(text: str) -> bool:
    """Whether a text without an answer begins with the words by which models refuse to give one.

    >>> is_refusal("I'm sorry, I can't help with that."), is_refusal("As an AI, I cannot judge people.")
    (True, True)
    >>> is_refusal("I prefer A."), is_refusal("I am sorry for the delay. A is better.")
    (False, False)
    """
    return "{" not in text and _REFUSING.match(text.strip()) is not None


def read_reply(text: str, asked: Sequence[Asked]) -> dict[str, list[str]]:
    """The answers by field; a field without an answer is missing.

    A model may write drafts first: the last JSON object that fits counts, also one within another object.

    Args:
        text: what the model wrote.
        asked: the fields.

    Raises:
        UnparsedError: there is no JSON object, or none in which each field has a value that is allowed.
    """
    return _answer_in(text, asked)[0]


def _answer_in(text: str, asked: Sequence[Asked]) -> tuple[dict[str, list[str]], int]:
    """The answers, and the place of their object in the text."""
    if "{" not in text:
        raise UnparsedError("The answer is not a JSON object.")
    first_problem = None
    outermost = None
    for start in _braces(text):
        try:
            found = _object(text, start)
        except UnparsedError as error:
            first_problem = first_problem or error
            continue
        outermost = (found, start) if found is not None else outermost
        if found is None or not any(one.name in found for one in asked):
            continue
        try:
            return _answers(found, asked), start
        except UnparsedError as error:
            first_problem = first_problem or error
    if first_problem is not None:
        raise first_problem
    if outermost is None:
        raise UnparsedError("The answer is not valid JSON.")
    # It has none of the fields: an answer only if none is required.
    return _answers(outermost[0], asked), outermost[1]


def _braces(text: str) -> Iterator[int]:
    """The places at which an object may begin, the last one first."""
    at = len(text)
    for _ in range(_MAX_OBJECTS):
        at = text.rfind("{", 0, at)
        if at < 0:
            return
        yield at


def _object(text: str, start: int) -> dict[str, Any] | None:
    """The object that begins here; None if it is not valid JSON."""
    try:
        found, _ = json.JSONDecoder(object_pairs_hook=_without_doubles).raw_decode(text, start)
    except (json.JSONDecodeError, RecursionError):
        return None
    assert isinstance(found, dict)  # noqa: S101 - it begins with a brace
    return found


def _answers(found: Mapping[str, Any], asked: Sequence[Asked]) -> dict[str, list[str]]:
    answers: dict[str, list[str]] = {}
    problems = []
    for one in asked:
        try:
            value = _values(found.get(one.name), one)
        except UnparsedError as error:
            problems.append(str(error))
            continue
        if value is not None:
            answers[one.name] = value
    if problems:
        raise UnparsedError(" ".join(problems))
    return answers


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    names = [name for name, _ in pairs]
    if doubled := next((name for name in names if names.count(name) > 1), None):
        raise UnparsedError(f"The answer has the field {doubled} more than once.")
    return dict(pairs)


def _values(value: Any, one: Asked) -> list[str] | None:  # noqa: ANN401 - whatever the model wrote
    if value is None or value in ("", []):
        if one.is_required:
            raise UnparsedError(f"The field {one.name} is missing.")
        return [] if value == [] else None
    match one.kind:
        case "one_of":
            return [_allowed(value, one)]
        case "several_of":
            return [_allowed(each, one) for each in _list(value, one)]
        case "number":
            return [_allowed(value, one) if isinstance(value, str) and value in one.allowed else _number(value, one)]
        case "text":
            return [_text(value, one)]
        case "passages":
            return [_text(each, one) for each in _list(value, one)]


def _allowed(value: Any, one: Asked) -> str:  # noqa: ANN401 - as above
    text = _number(value, one) if isinstance(value, int | float) else _text(value, one)
    by_sign = {sign.casefold(): sign for sign in one.allowed}
    sign = by_sign.get(text.strip().casefold()) or _meant(text.strip().casefold(), by_sign)
    if sign is None:
        raise UnparsedError(f"The field {one.name} has the value {_shown(value)}. Allowed: {', '.join(one.allowed)}.")
    return sign


_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_OUT_OF = re.compile(r"(-?[\d.]+) ?(?:/|out of|of) ?(-?[\d.]+)")
# What stands between an answer and words about it.
_SEPARATOR = re.compile(r" *[-–—:=(,] *|\. +|\.$")


def _meant(text: str, by_sign: Mapping[str, str]) -> str | None:
    """The only allowed answer that a text in small letters can mean: `4/5`, `4 - good`, or `b` for `response b`."""
    if out_of := _OUT_OF.fullmatch(text):
        highest = max((sign for sign in by_sign if _NUMBER.fullmatch(sign)), key=float, default=None)
        return by_sign.get(out_of[1]) if out_of[2] == highest else None
    begun = [sign for sign in by_sign if text.startswith(sign) and _SEPARATOR.match(text, len(sign))]
    if begun:
        sign = max(begun, key=len)
        words = re.findall(r"[\w.]+", text[len(sign) :])
        others = {other for other in by_sign if other != sign} | {other.rpartition(" ")[2] for other in by_sign}
        return None if others & {*words} else by_sign[sign]
    last = [sign for sign in by_sign if len(text) == 1 and sign.rpartition(" ")[2] == text]
    return by_sign[last[0]] if len(last) == 1 else None


def _number(value: Any, one: Asked) -> str:  # noqa: ANN401 - as above
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise UnparsedError(f"The field {one.name} has the value {_shown(value)}, which is not a number.")
    try:
        number = float(value)
    except (ValueError, OverflowError):
        raise UnparsedError(f"The field {one.name} has the value {_shown(value)}, which is not a number.") from None
    if abs(number) == float("inf") or number != number:  # noqa: PLR0124 - not a number differs from itself
        raise UnparsedError(f"The field {one.name} has the value {_shown(value)}, which is not a number.")
    return str(int(number)) if number.is_integer() else repr(number)


def _text(value: Any, one: Asked) -> str:  # noqa: ANN401 - as above
    if not isinstance(value, str):
        raise UnparsedError(f"The field {one.name} has the value {_shown(value)}, which is not a text.")
    return storable(value)


def _list(value: Any, one: Asked) -> list[Any]:  # noqa: ANN401 - as above
    if not isinstance(value, list):
        raise UnparsedError(f"The field {one.name} has the value {_shown(value)}, which is not a list.")
    return value


def _shown(value: Any) -> str:  # noqa: ANN401 - as above
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"


# Where each value of an answer stands in the text that a model wrote.

_SPACE = re.compile(r"\s*")


def value_spans(text: str, asked: Sequence[Asked]) -> dict[str, tuple[int, int]]:
    """The first and the end character of each value of the answer in a text, by field; empty without an answer.

    >>> value_spans('{"q1": "Response A", "q2": 4}', [Asked("q2", "", "number")])
    {'q1': (7, 19), 'q2': (27, 28)}
    """
    found: dict[str, tuple[int, int]] = {}
    try:
        _, start = _answer_in(text, asked)
    except UnparsedError:
        return found
    at = start + 1
    decoder = json.JSONDecoder()
    try:
        while text[at := _after_space(text, at)] == '"':
            name, at = decoder.raw_decode(text, at)
            # Past the colon.
            start = _after_space(text, _after_space(text, at) + 1)
            _, end = decoder.raw_decode(text, start)
            found[str(name)] = (start, end)
            at = _after_space(text, end) + 1
    except (ValueError, IndexError, RecursionError):
        return found
    return found


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
