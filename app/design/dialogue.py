"""The turns of a dialogue: a JSON list of speaker and text, in one form wherever it is kept."""

from __future__ import annotations

import json
from typing import Any, NoReturn


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON")


def turns_from_json(text: str) -> list[dict[str, Any]]:
    """The turns that a cell says.

    Raises:
        ValueError: it is no JSON list of turns; the message says why.

    >>> turns_from_json('[{"speaker": "A", "text": "Hello"}]')
    [{'speaker': 'A', 'text': 'Hello'}]
    """
    try:
        turns = json.loads(text, parse_constant=_no_constant)
    except RecursionError:
        raise ValueError("the JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"broken JSON at character {error.pos + 1}: {error.msg}") from None
    if not isinstance(turns, list) or not turns:
        raise ValueError("a list with at least one turn")
    for number, turn in enumerate(turns, start=1):
        if not isinstance(turn, dict) or not all(isinstance(turn.get(key), str) for key in ("speaker", "text")):
            raise ValueError(f"turn {number} has no speaker or no text")
    return turns


def turns_to_json(turns: list[dict[str, Any]]) -> str:
    """The one form: speaker, text, then whatever else a turn carries, by name.

    >>> turns_to_json([{"text": "Hello", "b": 1, "a": 2, "speaker": "A"}])
    '[{"speaker": "A", "text": "Hello", "a": 2, "b": 1}]'
    """
    first = ("speaker", "text")
    ordered = [{key: turn[key] for key in (*first, *sorted(set(turn) - set(first)))} for turn in turns]
    return json.dumps(ordered, ensure_ascii=False, allow_nan=False)


def whole_text(text: str | None, turns: str | None) -> str:
    r"""All that a response says: its text, or the texts of its turns, a line each.

    >>> whole_text("Hello", None), whole_text(None, '[{"speaker": "A", "text": "Hi"}, {"speaker": "B", "text": "Yes"}]')
    ('Hello', 'Hi\nYes')
    """
    if turns is None:
        return text or ""
    return "\n".join(turn["text"] for turn in turns_from_json(turns))
