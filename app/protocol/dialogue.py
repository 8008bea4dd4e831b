"""The turns of a dialogue: a JSON list of objects with speaker and text, in one canonical form."""

import json
from typing import Any, NoReturn


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not valid JSON")


def turns_from_json(text: str) -> list[dict[str, Any]]:
    """Parse the turns in a table cell.

    Raises:
        ValueError: the text is not a JSON list of turns; the message gives the reason.

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
    """The canonical form: speaker and text first, then the other keys of a turn in alphabetical order.

    >>> turns_to_json([{"text": "Hello", "b": 1, "a": 2, "speaker": "A"}])
    '[{"speaker": "A", "text": "Hello", "a": 2, "b": 1}]'
    """
    first = ("speaker", "text")
    ordered = [{key: turn[key] for key in (*first, *sorted(set(turn) - set(first)))} for turn in turns]
    return json.dumps(ordered, ensure_ascii=False, allow_nan=False)


def whole_text(text: str | None, turns: str | None) -> str:
    r"""The full text of a response: its text, or the texts of its turns, one per line.

    >>> whole_text("Hello", None), whole_text(None, '[{"speaker": "A", "text": "Hi"}, {"speaker": "B", "text": "Yes"}]')
    ('Hello', 'Hi\nYes')
    """
    if turns is None:
        return text or ""
    return "\n".join(turn["text"] for turn in turns_from_json(turns))


def n_words(text: str | None, turns: str | None) -> int:
    """The number of words of a text, or of all turns.

    >>> n_words("How are you?", None), n_words(None, '[{"speaker": "A", "text": "Fine. "}]'), n_words(None, None)
    (3, 1, 0)
    """
    # A word ends at a space, tab or line break, for the database too. Bytes are split there, texts at more signs.
    return len(whole_text(text, turns).encode("utf-8", "surrogatepass").split())
