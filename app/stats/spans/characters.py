"""Spans as boolean arrays of marked characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.stats.core.arrays import Bools

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Marked:
    """The spans that one rater marked in one text; `spans` is empty if the rater read it and marked nothing."""

    text: object
    item: object
    rater: object
    spans: tuple[Span, ...]


def marked_characters(spans: Sequence[Span], length: int) -> Bools:
    """Return whether each character is inside a span, shape (length,).

    Raises:
        ValueError: a span that is empty, reversed, or outside the text.

    >>> marked_characters([(1, 3)], 4)
    array([False,  True,  True, False])
    """
    marked = np.zeros(length, dtype=bool)
    for start, end in spans:
        if not 0 <= start < end <= length:
            raise ValueError(f"a span lies within the text of {length} characters, found {start} to {end}")
        marked[start:end] = True
    return marked
