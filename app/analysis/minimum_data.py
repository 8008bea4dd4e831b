"""Minimum data of each statistic; with less data an estimate, or its interval, is not shown.

An interval for new items and raters also needs two of each, in both arms of a contrast, and tests need what their
distribution needs: those minimums are part of the statistics. The ones below are about what a reader can use.
"""

from dataclasses import replace

from app.analysis.estimate import Counts, Scope, method_of
from app.analysis.statistic import MIN_UNITS, Kind, Minimum, declared
from app.stats.clusters import without_interval
from app.stats.result import Interval, Result, undefined

# two groups of at least two raters
MIN_RATINGS_FOR_CAMPS = 4
# answers per rater, for severity, consistency, accuracy, side preference and agreement with others
MIN_ANSWERS_OF_RATER = 5
# units that two raters share, for a kappa: over five, that of unrelated ratings exceeds .6 for one pair in fifteen
MIN_IN_COMMON = 10
# answers that a rater gave twice, for the kappa of this rater; low, because studies repeat few trials
MIN_REPEATS = 5

ASSOCIATION = Minimum(MIN_UNITS, MIN_UNITS, "n_units", "units with both values", is_within_scope=True)
BEYOND_CHANCE = Minimum(MIN_UNITS, MIN_UNITS, "n_pairable_units", "units that two or more raters rated")
SHARE_OF_PAIRS = replace(BEYOND_CHANCE, estimate=1)
CONSISTENCY = Minimum(MIN_UNITS, MIN_UNITS, "n_units", "rows with all answers")
CALIBRATION = Minimum(1, MIN_UNITS, "n_units", "units that the judge and human raters rated")
MOMENTS = Minimum(MIN_UNITS, MIN_UNITS, "n_ratings", "moments with both ratings")
RATINGS_OF_RATER = Minimum(MIN_ANSWERS_OF_RATER, MIN_ANSWERS_OF_RATER, "n_ratings", "ratings by this rater")
ANSWERS_OF_RATER = replace(RATINGS_OF_RATER, what="answers by this rater")


def with_minimum_data(result: Result, statistic: str, of_answers: Counts, scope: Scope) -> Result:
    """Return the result without its estimate, or without its interval, if it is based on too little data.

    Args:
        result: the statistic.
        statistic: its key.
        of_answers: numbers of the answers in scope, which hold where the result does not state its own.
        scope: the scope of the estimate; statistics of single raters have minimums of their own.
    """
    about = declared(statistic)
    minimum = (about.minimum_of_rater if len(scope.get("raters", ())) == 1 else None) or about.minimum
    if minimum is None:
        return result
    n = _number(result, minimum, of_answers)
    if n < minimum.interval and result.interval is not None and n >= minimum.estimate:
        note = f"No interval: needs {minimum.interval} {minimum.what}, has {n}."
        return too_few(result, note)
    return enough(result, n, minimum.estimate, minimum.what)


def too_few(result: Result, why: str) -> Result:
    """Return the result without its interval, with the sentence that says why added to its note."""
    note = f"{result.note.removesuffix('.')}. {why}" if result.note else why
    return without_interval(replace(result, interval=None, method=method_of(result)), "too_few", note)


def _number(result: Result, minimum: Minimum, of_answers: Counts) -> int:
    """Return how many the result is based on: several ratings of a response are one unit of an association."""
    stated, in_scope = getattr(result, minimum.count), of_answers[minimum.count]
    if stated is None:
        return in_scope
    return min(stated, in_scope) if minimum.is_within_scope else int(stated)


def enough(result: Result, n: int, fewest: int, what: str) -> Result:
    """Return the result if it is based on at least `fewest` observations, otherwise the reason why it is not shown.

    Args:
        result: the statistic.
        n: the number of observations it is based on.
        fewest: the minimum number.
        what: what is counted, such as `ratings by this rater`.
    """
    if n >= fewest or (result.estimate is None and result.interval is None):
        return result
    note = f"not shown: needs {fewest} {what}, has {n}"
    return undefined("no_pairable_units", note, method=method_of(result), n_units=n)


# Intervals that include nearly all possible values are replaced by the reason.

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
