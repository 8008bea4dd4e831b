"""Thoughts of a model, apart from its answer: some servers leave them in the text, with one or both of their tags."""

from __future__ import annotations

import re
from typing import NamedTuple

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
