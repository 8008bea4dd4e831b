"""Confidence intervals of bounded quantities: scale means, their differences, proportions, coefficients."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scipy import special

if TYPE_CHECKING:
    from app.stats.core.result import Result


def ends_within(estimate: float, reach: float, low: float, high: float) -> tuple[float, float]:
    """Return the limits `reach` either side of the estimate, on the logit scale of the range if one would leave it.

    The logit scale maps the range to the real line (from -1 to 1 it is Fisher's z), so that no limit leaves the range.
    An estimate at the end of the range has no logit: its interval is truncated there.

    >>> ends_within(0.5, 0.1, 0, 1)
    (0.4, 0.6)
    >>> [round(end, 3) for end in ends_within(0.95, 0.1, 0, 1)]
    [0.698, 0.994]
    """
    ends = (estimate - reach, estimate + reach)
    if low <= ends[0] and ends[1] <= high:
        return ends
    place = (estimate - low) / (high - low)
    if not 0 < place < 1:
        return max(ends[0], low), min(ends[1], high)
    centre, slope = float(special.logit(place)), 1 / (place * (1 - place) * (high - low))
    back = [low + (high - low) * float(special.expit(centre + side * reach * slope)) for side in (-1, 1)]
    return back[0], back[1]


def kept_within(result: Result, low: float, high: float) -> Result:
    """Return the result with its symmetric interval brought within the range; see `ends_within`.

    An estimate outside the range (from values that the scale does not declare) is returned unchanged.
    """
    interval, estimate = result.interval, result.estimate
    if interval is None or estimate is None or not low <= estimate <= high:
        return result
    if low <= interval.low and interval.high <= high:
        return result
    ends = ends_within(estimate, (interval.high - interval.low) / 2, low, high)
    return replace(result, interval=replace(interval, low=ends[0], high=ends[1]))
