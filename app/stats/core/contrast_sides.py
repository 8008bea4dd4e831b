"""Consistent notes for contrasts with a missing or small side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.stats.core.arrays import codes
from app.stats.core.result import undefined

FEW = 5

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Labels
    from app.stats.core.result import Result


def missing_side(is_first: Bools, first: str, second: str) -> Result | None:
    """Return an undefined Result if one side has no ratings, else None; `first` and `second` are the sides' names.

    >>> import numpy as np
    >>> missing_side(np.array([True]), "the source", "the reference").note
    'There are no ratings of the reference.'
    """
    if is_first.any() and not is_first.all():
        return None
    side = second if is_first.any() else first
    n = len(is_first)
    return undefined("no_pairable_units", f"There are no ratings of {side}.", n_units=n, n_ratings=n)


def warned_of_few(result: Result, is_first: Bools, rater: Labels) -> Result:
    """Add a warning if a side has fewer than five raters and the result has an interval but no note."""
    fewest = min(codes(rater[side])[1] for side in (is_first, ~is_first))
    if result.interval is None or fewest >= FEW or result.note:
        return result
    return replace(result, note=f"One side has only {fewest} raters, so the interval is wide.")
