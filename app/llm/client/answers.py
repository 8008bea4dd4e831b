"""Read a model's answer: one JSON object with the fields that were asked; nothing else passes for an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from app.llm.client.asked import Asked

_FENCED = re.compile(r"\A```(?:json)?\s*\n(.*?)\n?```\Z", re.DOTALL)
# A longer value is named by its beginning only.
_MAX_SHOWN = 60


class UnparsedError(ValueError):
    """The answer cannot be used; the message says why, for the repair and for the lead."""


def read_reply(text: str, asked: Sequence[Asked]) -> dict[str, list[str]]:
    """The answers by field; a field without an answer is missing.

    Args:
        text: what the model wrote.
        asked: the fields.

    Raises:
        UnparsedError: there is no JSON object, or more than one, or a field is missing or has a value not allowed.
    """
    found = _object(text.strip())
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


def _object(text: str) -> dict[str, Any]:
    fenced = _FENCED.match(text)
    body = fenced[1] if fenced else text
    start = body.find("{")
    if start < 0:
        raise UnparsedError("The answer is not a JSON object.")
    try:
        found, end = json.JSONDecoder(object_pairs_hook=_without_doubles).raw_decode(body, start)
    except (json.JSONDecodeError, RecursionError):
        raise UnparsedError("The answer is not valid JSON.") from None
    if "{" in body[end:]:
        raise UnparsedError("The answer contains more than one JSON object.")
    assert isinstance(found, dict)  # noqa: S101 - it begins with a brace
    return found


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
    sign = by_sign.get(text.strip().casefold())
    if sign is None:
        raise UnparsedError(f"The field {one.name} has the value {_shown(value)}. Allowed: {', '.join(one.allowed)}.")
    return sign


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
    return value


def _list(value: Any, one: Asked) -> list[Any]:  # noqa: ANN401 - as above
    if not isinstance(value, list):
        raise UnparsedError(f"The field {one.name} has the value {_shown(value)}, which is not a list.")
    return value


def _shown(value: Any) -> str:  # noqa: ANN401 - as above
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"


# Where each value of an answer stands in the text that a model wrote.

_SPACE = re.compile(r"\s*")


def value_spans(text: str) -> dict[str, tuple[int, int]]:
    """The first and the end character of each value of the JSON object in a text, by field; empty without an object.

    >>> value_spans('{"q1": "Response A", "q2": 4}')
    {'q1': (7, 19), 'q2': (27, 28)}
    """
    found: dict[str, tuple[int, int]] = {}
    at = text.find("{") + 1
    if not at:
        return found
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
