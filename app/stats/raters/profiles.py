"""Rater profiles: severity, consistency, and agreement with the other raters of the same responses."""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from app.stats.arrays import Floats, Ints, Labels, codes, present, spread
from app.stats.clusters import for_new_items
from app.stats.linear.correlation import correlation
from app.stats.mixed.lmm import fit_lmm
from app.stats.proportions.binomial_intervals import sign_test_p
from app.stats.result import Method, Result, undefined

# Signs of careless responding: straight-lining, always choosing one side, answers that hardly vary.
#
# They are reasons to look at a rater, not to exclude one: exclusion rules belong in the protocol before the study
# opens.


@dataclass(frozen=True)
class Habit:
    """Variation of one rater's answers, in order of answering.

    Attributes:
        longest_run: length of the longest run of equal answers.
        modal_share: proportion of the most frequent answer.
        entropy: entropy of the answers in bits; 0 if all answers are equal.
        sd: standard deviation; None for a single answer.
    """

    rater: object
    n: int
    longest_run: int
    modal_share: float
    entropy: float
    sd: float | None


@dataclass(frozen=True)
class SideHabit:
    """Sides chosen by one rater; `p_value` is from the exact sign test against one half."""

    rater: object
    n: int
    n_first: int
    longest_run: int
    p_value: float


def habits(value: Floats, rater: Labels) -> list[Habit]:
    """Return one entry per rater, in order of first appearance. Arrays shape (n,) in order of answering."""
    return [_habit(name, own) for name, own in _by_rater(value, rater)]


def side_habits(is_first: Floats, rater: Labels) -> list[SideHabit]:
    """Return one entry per rater with a decisive choice; `is_first` is 1, 0 or nan (ties), shape (n,), in order."""
    found = []
    for name, own in _by_rater(is_first, rater):
        n_first = int(own.sum())
        p_value = sign_test_p(n_first, len(own))
        found.append(SideHabit(name, len(own), n_first, longest_run(own), p_value))
    return found


def longest_run(value: Floats) -> int:
    """Return the length of the longest run of equal values.

    >>> longest_run(np.array([3.0, 3, 1, 3]))
    2
    """
    if not len(value):
        return 0
    starts = np.flatnonzero(np.append(True, value[1:] != value[:-1]))
    return int(np.diff(np.append(starts, len(value))).max())


def _by_rater(value: Floats, rater: Labels) -> list[tuple[object, Floats]]:
    here = np.isfinite(value)
    names = np.asarray(rater)[here]
    number = np.asarray(value, dtype=np.float64)[here]
    return [(name, number[names == name]) for name in dict.fromkeys(names.tolist())]


def _habit(name: object, own: Floats) -> Habit:
    shares = np.unique(own, return_counts=True)[1] / len(own)
    entropy = float(max(0.0, -(shares * np.log2(shares)).sum()))
    sd = spread(own) if len(own) > 1 else None
    return Habit(name, len(own), longest_run(own), float(shares.max()), entropy, sd)


METHOD = Method("lmm", ": response and rater crossed")
_PAIR = 2


@dataclass(frozen=True)
class Profile:
    """Statistics of one rater.

    Attributes:
        severity: how much lower than others the rater rates the same responses, in points (positive is severe): best
            linear unbiased prediction, shrunken more towards 0 the fewer the ratings.
        consistency: standard deviation of the residuals after response and severity, in points: small is consistent.
        leave_one_out: correlation with the mean of the others on the same response, interval over responses.
    """

    rater: object
    severity: Result
    consistency: Result
    leave_one_out: Result


def profiles(
    value: Floats,
    *,
    unit: Labels,
    rater: Labels,
    named: Labels | None = None,
    is_modelled: bool = True,
    level: float = 0.95,
) -> list[Profile]:
    """Return one profile per rater, in order of first appearance.

    Args:
        value: ratings of one dimension, shape (n,); nan is dropped.
        unit: the response, shape (n,).
        rater: labels, shape (n,).
        named: raters to report; other raters are used only for comparison. None reports all.
        is_modelled: whether to estimate severity and consistency; if False, they are undefined, reason `not_run`.
        level: confidence level.

    Model: value = mean + response + rater + residual, crossed and normal, by REML.
    """
    number, (units, raters) = present(value, unit, rater)
    code, names = pd.factorize(raters)
    model = _model(number, units, raters) if is_modelled else None
    others = mean_of_others(number, units)
    by_rater = np.split(np.argsort(code, kind="stable"), np.cumsum(np.bincount(code, minlength=len(names)))[:-1])
    found, labels = [], names.tolist()
    for k in np.flatnonzero(np.isin(names, names if named is None else named)).tolist():
        name, own = labels[k], by_rater[k]
        severity, consistency = _of_model(model, k, own) if is_modelled else (_not_run(len(own)),) * 2
        where = {"item": units[own], "rater": units[own]}
        agreement = correlation(number[own], others[own], item=where["item"], rater=where["rater"], level=level)
        found.append(Profile(name, severity, consistency, for_new_items(agreement).with_counts(n_raters=1)))
    return found


def _model(value: Floats, unit: Labels, rater: Labels) -> tuple[Floats, Floats] | None:
    """Return effects of raters, shape (n_raters,), and residuals, shape (n,), or None if the model is not estimable."""
    (units, n_units), (raters, n_raters) = codes(unit), codes(rater)
    if min(n_units, n_raters) < _PAIR or n_raters == len(value) or np.ptp(value) == 0:
        return None
    scale = float(np.ptp(value))
    one = np.ones((1, len(value)))
    with_units = one if n_units < len(value) else one[:0]
    y = (value - value.min()) / scale
    fit = fit_lmm(y, one, item=units, rater=raters, item_columns=with_units, rater_columns=one)
    if fit is None or not fit.is_converged:
        return None
    fitted = fit.beta[0] + fit.rater_effects[0, raters] + fit.item_effects.sum(axis=0)[units]
    return fit.rater_effects[0] * scale, (y - fitted) * scale


def _of_model(model: tuple[Floats, Floats] | None, k: int, own: Ints) -> tuple[Result, Result]:
    method, n = METHOD, len(own)
    if model is None:
        note = "Responses and raters are not crossed, or there is no residual variance."
        nothing = undefined("no_variation", note, method=method, n_ratings=n)
        return nothing, nothing
    effects, residual = model
    severity = Result(-float(effects[k]), method, n_ratings=n)
    if n < _PAIR:
        return severity, undefined(
            "no_pairable_units", "A standard deviation needs two ratings.", method=method, n_ratings=n
        )
    return severity, Result(spread(residual[own]), method, n_ratings=n)


def _not_run(n: int) -> Result:
    return undefined("not_run", "Left out because there are too many ratings.", method=METHOD, n_ratings=n)


def mean_of_others(value: Floats, unit: Labels) -> Floats:
    """Return the mean of the other ratings of the same unit, shape (n,); nan if there are none."""
    code, n = codes(unit)
    size = np.bincount(code, minlength=n)[code]
    total = np.bincount(code, value, n)[code]
    mean: Floats = np.divide(total - value, size - 1, out=np.full(len(value), np.nan), where=size > 1)
    return mean


def share_of_others(value: Floats, unit: Labels) -> Floats:
    """Return the proportion of other ratings of the same unit equal to this one, shape (n,); nan if there are none."""
    unit_code, n = codes(unit)
    value_code, n_values = codes(value)
    size = np.bincount(unit_code, minlength=n)[unit_code]
    cell, n_cells = codes(unit_code * max(n_values, 1) + value_code)
    same = np.bincount(cell, minlength=n_cells)[cell] - 1
    share: Floats = np.divide(same, size - 1, out=np.full(len(value), np.nan), where=size > 1)
    return share
