"""Attrition by arm: raters who were assigned to an arm and did not finish, and what their leaving may have done.

Raters are randomized to arms and are the units; counts are of raters. Everything else (items, the ratings of a rater)
is held fixed.
"""

from dataclasses import dataclass

import numpy as np
from scipy import optimize, special

from app.stats.arrays import Bools, Floats
from app.stats.proportions.binomial_intervals import wilson
from app.stats.result import Interval, Method, Result, undefined

NEWCOMBE = Method("newcombe", ": raters as independent")
LEE = Method("imbens_manski", ": raters as independent")
_NOBODY = "No rater of one of the arms has left or finished."
# The limits are asymptotic: of fewer raters who finished in an arm, they say nothing.
MIN_FINISHED = 5


def attrition_share(n_left: int, n_assigned: int, *, level: float = 0.95) -> Result:
    """Return the share of assigned raters who left before the end, with the Wilson (1927) interval. Unit: rater."""
    found = wilson(n_left, n_assigned, level=level)
    note = "" if n_assigned else "No rater has left or finished."
    # a share is compared with that of another arm, not with one half
    return Result(
        found.estimate,
        found.method,
        reason=found.reason,
        interval=found.interval and _of_raters(found.interval),
        n_units=n_assigned,
        n_raters=n_assigned,
        note=note,
    )


def _of_raters(interval: Interval) -> Interval:
    return Interval(interval.low, interval.high, interval.method, interval.level, inference="raters")


def attrition_difference(n_left: tuple[int, int], n_assigned: tuple[int, int], *, level: float = 0.95) -> Result:
    """Return the share that left of one arm minus that of the reference: arm first, reference second. Unit: rater.

    The interval is Newcombe's (1998, Stat. Med. 17:873, method 10): with d = p1 - p2 and the Wilson limits l, u of each
    share, d - sqrt((p1 - l1)^2 + (u2 - p2)^2) to d + sqrt((u1 - p1)^2 + (p2 - l2)^2). The p-value is that of Fisher's
    exact test, two-sided.
    """
    n = sum(n_assigned)
    if not all(n_assigned):
        return undefined("no_pairable_units", _NOBODY, method=NEWCOMBE, n_units=n)
    shares = [left / of for left, of in zip(n_left, n_assigned, strict=True)]
    (low, high), (low_of_reference, high_of_reference) = (
        _ends(wilson(left, of, level=level)) for left, of in zip(n_left, n_assigned, strict=True)
    )
    gap = shares[0] - shares[1]
    interval = Interval(
        gap - float(np.hypot(shares[0] - low, high_of_reference - shares[1])),
        gap + float(np.hypot(high - shares[0], shares[1] - low_of_reference)),
        Method(NEWCOMBE.procedure),
        level,
        inference="raters",
    )
    return Result(gap, NEWCOMBE, interval=interval, p_value=_fisher_p(n_left, n_assigned), n_units=n, n_raters=n)


def _fisher_p(n_left: tuple[int, int], n_assigned: tuple[int, int]) -> float:
    """Return the two-sided p-value of Fisher's exact test: how probable are all tables no more probable than this one.

    Given the margins, the number that left the first arm is hypergeometric. Probabilities that differ by less than
    1e-7 of themselves are equal, as in R's `fisher.test`. scipy.stats, which has this test, is slow to load.
    """
    left = np.arange(max(0, sum(n_left) - n_assigned[1]), min(sum(n_left), n_assigned[0]) + 1)
    log_p = sum(
        special.gammaln(of + 1) - special.gammaln(k + 1) - special.gammaln(of - k + 1)
        for of, k in zip(n_assigned, (left, sum(n_left) - left), strict=True)
    )
    p = np.exp(log_p - special.logsumexp(log_p))
    return min(1.0, float(p[p <= p[left == n_left[0]] * (1 + 1e-7)].sum()))


def _ends(found: Result) -> tuple[float, float]:
    assert found.interval is not None  # noqa: S101 - an arm has raters
    return found.interval.low, found.interval.high


# The bounds of Lee (2009, Rev. Econ. Stud. 76:1071) for the effect on the raters who finish in either arm.


@dataclass(frozen=True, slots=True)
class LeeBounds:
    """The least and the greatest effect, each with the interval of the effect, which covers both."""

    lower: Result
    upper: Result


def lee_bounds(value: Floats, is_treated: Bools, n_assigned: tuple[int, int], *, level: float = 0.95) -> LeeBounds:
    """Return between which values the effect of an arm lies, whatever those who left would have answered. Unit: rater.

    Args:
        value: the score of each rater who finished, shape (n,); nan is dropped, as a rater who did not finish.
        is_treated: whether the rater is of the arm, otherwise of the reference, shape (n,).
        n_assigned: raters assigned to the arm, and to the reference.
        level: of the interval.

    With q the shares that finished, the arm in which more did has answers of raters who would have left the other one:
    the share p = (q_more - q_less) / q_more of them. Without its p highest scores, its mean is as low as it can be
    without them, without its p lowest as high; a score that only part of p falls on is trimmed in part. This assumes
    that nobody who finishes in the arm where fewer did would have left the other (monotonicity). Standard errors are
    those of Lee's proposition 3. The interval is that of Imbens and Manski (2004, Econometrica 72:1845) for the effect:
    from lower - c SE_lower to upper + c SE_upper, with c from Phi(c + (upper - lower) / max(SE)) - Phi(-c) = level.
    """
    here = np.isfinite(value)
    scores, treated = value[here], np.asarray(is_treated, dtype=bool)[here]
    sides = (np.sort(scores[treated]), np.sort(scores[~treated]))
    n = len(scores)
    if not all(len(side) for side in sides):
        found = undefined("no_pairable_units", "No rater of one of the arms has finished.", method=LEE, n_units=n)
        return LeeBounds(found, found)
    shares = [len(side) / of for side, of in zip(sides, n_assigned, strict=True)]
    more, less = (0, 1) if shares[0] >= shares[1] else (1, 0)
    kept = shares[less] / shares[more]
    low, high = _trimmed(sides[more], kept), _trimmed(-sides[more][::-1], kept)
    fixed, sign = float(sides[less].mean()), 1 if more == 0 else -1
    ends = sorted((sign * (low.mean - fixed), sign * (-high.mean - fixed)))
    if min(map(len, sides)) < MIN_FINISHED:
        note = f"An interval needs {MIN_FINISHED} raters who finished in each arm."
        bare = [Result(end, LEE, interval_reason="too_few", n_units=n, n_raters=n, note=note) for end in ends]
        return LeeBounds(*bare)
    of_share = kept**2 * sum((1 - q) / (q * of) for q, of in zip(shares, n_assigned, strict=True))
    beside = float(sides[less].var(ddof=1)) / len(sides[less])
    # low is the lower end of the arm's mean: of a reference that is trimmed, it gives the upper end of the effect
    variances = [part.variance(kept, of_share) + beside for part in (low, high)][::sign]
    errors = [variance**0.5 for variance in variances]
    if min(errors) <= 0:
        note = "The raters who finished do not differ, so no interval."
        bare = [Result(end, LEE, interval_reason="no_variation", n_units=n, n_raters=n, note=note) for end in ends]
        return LeeBounds(*bare)
    reach = _reach((ends[1] - ends[0]) / max(errors), level)
    interval = Interval(
        ends[0] - reach * errors[0], ends[1] + reach * errors[1], Method(LEE.procedure), level, inference="raters"
    )
    said = f"{1 - kept:.1%} of the scores of the arm with less attrition trimmed"
    return LeeBounds(
        *(
            Result(end, LEE, interval=interval, standard_error=error, n_units=n, n_raters=n, note=said)
            for end, error in zip(ends, errors, strict=True)
        )
    )


@dataclass(frozen=True, slots=True)
class _Trimmed:
    """The lowest scores: their mean, their sum of squares about it, the score at which they end, and how many."""

    mean: float
    spread: float
    end: float
    n: float

    def variance(self, kept: float, of_share: float) -> float:
        """Lee's variance of the mean; `of_share` is that of the share that is kept."""
        away = self.end - self.mean
        return self.spread / self.n + (1 - kept) * away**2 / self.n + (away / kept) ** 2 * of_share


def _trimmed(scores: Floats, kept: float) -> _Trimmed:
    """Return what is known of the lowest `kept` of ascending scores; the last one may count in part."""
    n = kept * len(scores)
    weight = np.clip(n - np.arange(len(scores)), 0.0, 1.0)
    mean = float(weight @ scores / n)
    end = float(scores[np.flatnonzero(weight)[-1]])
    return _Trimmed(mean, float(weight @ (scores - mean) ** 2 / max(n - 1, 1.0)), end, n)


def _reach(width: float, level: float) -> float:
    """The c of Imbens and Manski: between the one-sided and the two-sided normal quantile."""
    one, two = float(special.ndtri(level)), float(special.ndtri((1 + level) / 2))

    def missed(c: float) -> float:
        return float(special.ndtr(c + width) - special.ndtr(-c)) - level

    return float(optimize.brentq(missed, one - 1e-9, two + 1e-9))
