"""Where each value of an answer stands in the text that a model wrote."""

from __future__ import annotations

import json
import re

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
