"""Messages: fixed texts for raters, translated when they are shown.

The layers below the pages do not know the rater's language. They pass on the English text, which is also the key in the
catalogues, and the values to insert.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Message:
    """A text with placeholders such as `%(name)s`; messages with a count also have a plural form."""

    text: str
    plural: str = ""
    count: int = 1
    values: Mapping[str, Value] = field(default_factory=dict)


# Numbers are formatted by the language; messages inside messages are translated first.
Value = str | float | Message


def message(text: str, **values: Value) -> Message:
    """Create a message. The text must be a literal in the call, because `make texts` extracts it there."""
    return Message(text, values=values)


def messages(text: str, plural: str, n: int, **values: Value) -> Message:
    """Create a message with a count; singular and plural can use the count as `%(n)s`."""
    return Message(text, plural, n, {"n": n, **values})
