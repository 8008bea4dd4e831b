"""Messages: fixed texts for raters, which become words in the rater's language where they are shown.

A layer below the pages does not know who reads. It hands out the English text, which is also its key in the
catalogues, and the values that stand in it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Message:
    """A text with values in it, `%(name)s`; where it counts, with a plural form and the count."""

    text: str
    plural: str = ""
    count: int = 1
    values: Mapping[str, Value] = field(default_factory=dict)


# Numbers are written as the language does; a message in a message is said first.
Value = str | float | Message


def message(text: str, **values: Value) -> Message:
    """A fixed text. The text stands in the call itself: `make texts` finds it there."""
    return Message(text, values=values)


def messages(text: str, plural: str, n: int, **values: Value) -> Message:
    """A fixed text that counts: in the singular, in the plural, and the count, which both have as `%(n)s`."""
    return Message(text, plural, n, {"n": n, **values})
