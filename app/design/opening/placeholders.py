"""Placeholders such as [name and email address] that a template leaves for the lead to fill in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.design.protocol.study import Protocol

# Words in square brackets that are not a Markdown link, which is followed by its address.
_PLACEHOLDER = re.compile(r"\[[^\W\d_][^\[\]]*\](?![(\[:])")
# The parts of a protocol with texts that raters read.
_READ = frozenset({"instructions", "questions", "conditions", "flow", "checks", "completion"})


def placeholders(protocol: Protocol) -> dict[str, str]:
    """The distinct placeholders in the texts that raters read, each with the part of the protocol that has it first.

    A part is a top-level key of study.yaml, or one of its keys: `flow.consent`.

    >>> _PLACEHOLDER.findall("Ask [name] or read [our page](https://example.org) [1].")
    ['[name]']
    """
    found: dict[str, str] = {}
    texts = protocol.model_dump(mode="json", include=set(_READ))
    texts["flow"] = {f"flow.{part}": text for part, text in texts["flow"].items()}
    for part, content in [("title", protocol.title_for_raters), *texts.pop("flow").items(), *texts.items()]:
        for text in _texts(content):
            for words in _PLACEHOLDER.findall(text):
                found.setdefault(" ".join(words.split()), part)
    return found


def _texts(content: object) -> Iterator[str]:
    match content:
        case str():
            yield content
        case dict():
            for value in content.values():
                yield from _texts(value)
        case list():
            for value in content:
                yield from _texts(value)
