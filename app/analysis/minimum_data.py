"""How much data an estimate about one rater, one response or two raters needs; with less, it is not shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.stats.core.result import undefined

if TYPE_CHECKING:
    from app.stats.core.result import Result

# two camps of two or more
MIN_RATINGS_FOR_CAMPS = 4
# answers of one rater, for a severity, a consistency, an accuracy, a preferred side
MIN_ANSWERS_OF_RATER = 5
# items, responses or repeats that two sets of ratings share, for a kappa
MIN_IN_COMMON = 5


def enough(result: Result, n: int, fewest: int, what: str) -> Result:
    """The result if it rests on `fewest` or more, else the reason why it is not shown.

    Args:
        result: the statistic.
        n: how many it rests on.
        fewest: how many it takes.
        what: what is counted, such as `ratings by this rater`.
    """
    if n >= fewest or result.estimate is None:
        return result
    note = f"not shown: needs {fewest} {what}, has {n}"
    return undefined("no_pairable_units", note, method=result.method, n_units=n)
