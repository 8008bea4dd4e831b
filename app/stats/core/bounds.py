"""Confidence intervals of bounded quantities: scale means, their differences, proportions, coefficients."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from scipy import special

if TYPE_CHECKING:
    from app.stats.core.result import Result

CUT = "limits cut at the possible range"
ON_LOGIT_SCALE = "limits on the logit scale of the possible range"


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
    """Return the result with an interval that does not leave the range from `low` to `high`; the method says how.

    The interval of a test is cut at the end of the range: the true value is never beyond it, so the coverage is the
    same, and the interval excludes the value that was tested exactly if p does. Other intervals are symmetric, and
    computed on the logit scale; see `ends_within`. An estimate outside the range (from values that the scale does not
    declare) is returned unchanged.
    """
    interval, estimate = result.interval, result.estimate
    if interval is None or estimate is None or not low <= estimate <= high:
        return result
    if low <= interval.low and interval.high <= high:
        return result
    if result.p_value is not None:
        ends, how = (max(interval.low, low), min(interval.high, high)), CUT
    else:
        ends, how = ends_within(estimate, (interval.high - interval.low) / 2, low, high), ON_LOGIT_SCALE
    method = f"{result.method or interval.method}, {how}"
    return replace(result, method=method, interval=replace(interval, low=ends[0], high=ends[1]))
