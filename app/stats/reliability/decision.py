"""Decision studies: the reliability of a mean of n ratings, and the number of ratings needed for a given reliability.

Object of measurement: the unit (a response); facet: the rater, crossed. With variance components s_u of units, s_r of
raters and s_e of the residual,
    Phi(n) = s_u / (s_u + (s_r + s_e) / n),    G(n) = s_u / (s_u + s_e / n).
Phi (absolute) counts the severity of raters as error: for units rated by different raters, and for means that are
interpreted as such. G (relative) does not: for ranking units that the same raters rated (Brennan 2001, Generalizability
Theory).
Both are intraclass correlations of one rating, ICC(A,1) and ICC(C,1), stepped up by the Spearman-Brown formula, and so
are their intervals. If raters are not identified, ICC(1) replaces both.
"""

import math
from dataclasses import replace
from typing import Literal

from app.stats.ratings import Ratings
from app.stats.reliability.icc import Form, icc_forms
from app.stats.result import Interval, Method, Result, undefined

Coefficient = Literal["phi", "g", "one_way"]
_FORM: dict[Coefficient, Form] = {"phi": "a_1", "g": "c_1", "one_way": "1_1"}
_NOT_SHOWN = "The units do not differ beyond chance in these data."
_UNLIMITED = "The reliability of one rating may be 0, so there is no upper limit."
_BELOW = "The interval of the reliability of one rating is below 0, which counts as 0, so no interval."


def phi_coefficient(ratings: Ratings, n_raters: float, *, confidence: float = 0.95) -> Result:
    """Return Phi(n): reliability of the mean of `n_raters` ratings, severity counted as error. Unit: response."""
    return _stepped_up(ratings, "phi", n_raters, confidence)


def g_coefficient(ratings: Ratings, n_raters: float, *, confidence: float = 0.95) -> Result:
    """Return G(n): reliability of the order of means of ratings by the same `n_raters` raters. Unit: response."""
    return _stepped_up(ratings, "g", n_raters, confidence)


def one_way_coefficient(ratings: Ratings, n_raters: float, *, confidence: float = 0.95) -> Result:
    """Return Phi(n) if raters are unidentified or each has units of their own: severity is part of the residual."""
    return _stepped_up(ratings, "one_way", n_raters, confidence)


def raters_needed(
    ratings: Ratings, target: float = 0.8, *, coefficient: Coefficient = "phi", confidence: float = 0.95
) -> Result:
    """Return the minimum number of ratings per unit with which the coefficient reaches `target`, between 0 and 1.

    n = target (1 - rho) / (rho (1 - target)) for the reliability rho of one rating, rounded up (Brennan 2001). The
    limits come from those of rho, as n falls where rho rises. If rho may be 0, n has no upper limit. A rho that is
    estimated as 0 or below does not show that no number is enough: with few units or ratings it is so by chance, so
    that n cannot be estimated, but it has a lower limit if the interval of rho ends above 0.
    """
    single = _single(ratings, coefficient, confidence)
    if single.estimate is None:
        return single
    method = Method(words=f"decision_study: {coefficient}, {single.method}")
    interval = single.interval and _limits(single.interval, target)
    why = _UNLIMITED if interval and interval.is_open else ""
    if single.estimate <= 0:
        found = undefined("no_variation", f"{_NOT_SHOWN} {why}".strip(), method=method)
    else:
        n, note = float(_needed(single.estimate, target)), why if interval else single.note
        found = Result(n, method, interval_reason=single.interval_reason, note=note)
    return replace(found, interval=interval).with_counts(**ratings.sizes())


def _limits(of_one: Interval, target: float) -> Interval | None:
    """Return the limits of the number by those of the reliability of one rating; None if that is below 0."""
    if of_one.high <= 0:
        return None
    fewest, most = (float(_needed(end, target)) if end > 0 else math.inf for end in (of_one.high, of_one.low))
    return replace(of_one, low=fewest, high=most, is_open=most == math.inf)


def items_needed(
    ratings: Ratings, target: float = 0.8, *, coefficient: Coefficient = "phi", confidence: float = 0.95
) -> Result:
    """Return the minimum number of units per rater with which the mean of a rater is reliable at `target`.

    The same study with the roles reversed: the rater is the object of measurement (severity, accuracy, a trait), and
    the units are the facet. For questionnaires and theory-of-mind items.
    """
    turned = replace(ratings, unit=ratings.rater, rater=ratings.unit)
    return raters_needed(turned, target, coefficient=coefficient, confidence=confidence)


def _stepped_up(ratings: Ratings, coefficient: Coefficient, n: float, confidence: float) -> Result:
    single = _single(ratings, coefficient, confidence)
    if single.estimate is None:
        return single
    method = Method(words=f"decision_study: {coefficient}({n:g}), {single.method}")
    mean = replace(single, estimate=_of_mean(single.estimate, n), method=method, p_value=None)
    ends = single.interval
    if ends is None:
        return mean
    if ends.high <= 0:
        return replace(mean, interval=None, interval_reason="no_variation", note=_BELOW)
    return replace(mean, interval=replace(ends, low=_of_mean(ends.low, n), high=_of_mean(ends.high, n)))


def _single(ratings: Ratings, coefficient: Coefficient, confidence: float) -> Result:
    """Return the reliability of one rating. Negative rater variance counts as 0, so that Phi is never above G."""
    if coefficient != "phi":
        return icc_forms(ratings, (_FORM[coefficient],), confidence=confidence)[_FORM[coefficient]]
    both = icc_forms(ratings, ("a_1", "c_1"), confidence=confidence)
    absolute, relative = both["a_1"].estimate, both["c_1"].estimate
    is_below_zero = absolute is not None and relative is not None and absolute > relative
    return both["c_1" if is_below_zero else "a_1"]


def _of_mean(single: float, n: float) -> float:
    """Apply the Spearman-Brown formula; a negative reliability counts as 0."""
    rho = max(single, 0.0)
    return n * rho / (1 + (n - 1) * rho)


def _needed(single: float, target: float) -> int:
    """Return the number of ratings, rounded up except for rounding errors."""
    if single >= 1:
        return 1
    return max(1, math.ceil(target * (1 - single) / (single * (1 - target)) - 1e-9))
