"""Minimum data for estimates about one rater, one response or two raters; with less data they are not shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.stats.core.result import undefined

if TYPE_CHECKING:
    from app.stats.core.result import Result

# two groups of at least two raters
MIN_RATINGS_FOR_CAMPS = 4
# answers per rater, for severity, consistency, accuracy and side preference
MIN_ANSWERS_OF_RATER = 5
# items, responses or repeats in common, for a kappa
MIN_IN_COMMON = 5


def enough(result: Result, n: int, fewest: int, what: str) -> Result:
    """Return the result if it is based on at least `fewest` observations, otherwise the reason why it is not shown.

    Args:
        result: the statistic.
        n: the number of observations it is based on.
        fewest: the minimum number.
        what: what is counted, such as `ratings by this rater`.
    """
    if n >= fewest or result.estimate is None:
        return result
    note = f"not shown: needs {fewest} {what}, has {n}"
    return undefined("no_pairable_units", note, method=result.method, n_units=n)
