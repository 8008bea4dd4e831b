"""Rater profiles: severity, consistency, and agreement with the other raters of the same responses."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from app.stats.arrays import Floats, Ints, Labels, codes, present, spread
from app.stats.clusters import for_new_items
from app.stats.linear.correlation import correlation
from app.stats.mixed.lmm import fit_lmm
from app.stats.result import Method, Result, undefined

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
