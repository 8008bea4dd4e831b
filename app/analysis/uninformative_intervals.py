"""Intervals that include nearly all possible values are replaced by the reason."""

from __future__ import annotations

from app.analysis.minimum_data import too_few
from app.analysis.statistic import Kind, declared
from app.stats.result import Interval, Result

EVERYTHING = "No interval: with so little data it would include nearly all possible values."
# ends this close to those of the possible range, as a share of it, exclude nothing
NEAR = 0.01
# an upper limit this many times the lower one: a hundred times the estimate, and a hundredth of it
FAR_APART = 10_000.0
RANGES: dict[Kind, tuple[float, float]] = {"share": (0.0, 1.0), "share_points": (-1.0, 1.0), "coefficient": (-1.0, 1.0)}


def without_uninformative_interval(result: Result, statistic: str, ends: tuple[float, float] | None) -> Result:
    """Return the result without an interval that includes nearly everything; `ends` are those of the scale, if any."""
    interval, about = result.interval, declared(statistic)
    if interval is None:
        return result
    ends = (0.0, 1.0) if about.is_of_mean else ends or RANGES.get(about.kind)
    if _is_everything(interval, ends) or _is_any_ratio(interval, about.kind):
        return too_few(result, EVERYTHING)
    return result


def _is_everything(interval: Interval, ends: tuple[float, float] | None) -> bool:
    """Whether the interval excludes nothing; numbers without an upper limit begin at 1."""
    if ends is None:
        return interval.is_open and interval.low <= 1
    near = NEAR * (ends[1] - ends[0])
    return interval.low <= ends[0] + near and interval.high >= ends[1] - near


def _is_any_ratio(interval: Interval, kind: Kind) -> bool:
    """Whether the limits of a ratio, or of a percentage by which something is larger, are too far apart."""
    if kind not in {"ratio", "percent"}:
        return False
    low, high = (interval.low, interval.high) if kind == "ratio" else (100 + interval.low, 100 + interval.high)
    return high >= FAR_APART * low
