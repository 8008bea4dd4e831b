"""The answers of a question as lines of words: their codes, which leads never see, are made from them."""

from collections.abc import Mapping, Sequence
from typing import Any

from app.studies.editor.controls import named_of
from app.studies.editor.nodes import Named, Scalar
from app.studies.editor.question_keys import key_of

_CODES = Named(Scalar())


def codes_of(question: Mapping[str, Any]) -> dict[str, str]:
    """The answers of a category question or a check, from code to words."""
    found = named_of(_CODES, question.get("codes", question.get("options")))
    return {code: str(words or "") for code, words in found.items()}


def answer_lines(codes: Mapping[str, object]) -> list[str]:
    """The answers as leads read them, one per line."""
    return [" ".join(str(words or code).split()) for code, words in codes.items()]


def codes_from(text: str, now: Mapping[str, str]) -> dict[str, str]:
    r"""The answers with their codes: one of the same words keeps its code, and so does a reworded one in its place.

    >>> codes_from("Yes\nNot yet", {"y": "Yes", "n": "No"}), codes_from("Yes", {"y": "Yes", "n": "No"})
    ({'y': 'Yes', 'n': 'Not yet'}, {'y': 'Yes'})
    """
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    return dict(now) if lines == answer_lines(now) else _codes(lines, now)


def _codes(lines: Sequence[str], now: Mapping[str, str]) -> dict[str, str]:
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
