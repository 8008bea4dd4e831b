"""Texts that give away who wrote them: the same check for texts from a spreadsheet and texts from a model."""

from __future__ import annotations

import re

_REVEALS = re.compile(
    r"\b(as an? (ai|artificial intelligence|language model|chatbot|assistant)\b|i'?m an? (ai|bot|chatbot)\b"
    r"|language model|openai|chatgpt|\bgpt-?\d|anthropic|as a (doctor|physician|nurse|therapist)\b)",
    re.IGNORECASE,
)
_AROUND = 40


def revealing_excerpt(text: str) -> str | None:
    """The words that give the source away, with what is around them; None if there are none.

    >>> revealing_excerpt("I am sorry. As an AI, I have no feelings.")
    'I am sorry. As an AI, I have no feelings.'
    """
    match = _REVEALS.search(text)
    return None if match is None else excerpt(text, match.start())


def excerpt(text: str, place: int) -> str:
    """The text around a place."""
    begin = max(0, place - _AROUND)
    return f"{'…' if begin else ''}{text[begin : place + _AROUND]}{'…' if place + _AROUND < len(text) else ''}"
