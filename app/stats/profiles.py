"""How each rater stands to the others: severity, consistency, and agreement with those who rated the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from app.stats.arrays import codes, present, spread
from app.stats.correlation import correlation
from app.stats.lmm_fit import fit_lmm
from app.stats.result import Result, undefined

if TYPE_CHECKING:
    from app.stats.arrays import Floats, Ints, Labels

_PAIR = 2


@dataclass(frozen=True)
class Profile:
    """One rater.

    Attributes:
        severity: how much lower (above 0 is severe) than others of the same responses, in points: best linear unbiased
            prediction, drawn towards 0 the more, the fewer the ratings.
        consistency: standard deviation of what response and severity leave over, in points: small is consistent.
        leave_one_out: correlation with the mean of the others on the same response, interval over responses.
    """

    rater: object
    severity: Result
    consistency: Result
    leave_one_out: Result


def profiles(value: Floats, *, unit: Labels, rater: Labels, level: float = 0.95) -> list[Profile]:
    """One for each rater, in the order of first appearance.

    Args:
        value: ratings of one dimension, shape (n,); nan leaves first.
        unit: the response, shape (n,).
        rater: labels, shape (n,).
        level: of the intervals.

    Model: value = mean + response + rater + residual, crossed and normal, by REML.
    """
    number, (units, raters) = present(value, unit, rater)
    code, names = pd.factorize(raters)
    model = _model(number, units, raters)
    others = _mean_of_others(number, units)
    by_rater = np.split(np.argsort(code, kind="stable"), np.cumsum(np.bincount(code, minlength=len(names)))[:-1])
    found = []
    for k, (name, own) in enumerate(zip(names.tolist(), by_rater, strict=False)):
        severity, consistency = _of_model(model, k, own)
        where = {"item": units[own], "rater": units[own]}
        agreement = correlation(number[own], others[own], item=where["item"], rater=where["rater"], level=level)
        found.append(Profile(name, severity, consistency, agreement.with_counts(n_raters=1)))
    return found


def _model(value: Floats, unit: Labels, rater: Labels) -> tuple[Floats, Floats] | None:
    """Effects of raters and what is left of each rating; None where there is no model."""
    (units, n_units), (raters, n_raters) = codes(unit), codes(rater)
    if min(n_units, n_raters) < _PAIR or n_raters == len(value) or np.ptp(value) == 0:
        return None
    scale = float(np.ptp(value))
    one = np.ones((1, len(value)))
    with_units = one if n_units < len(value) else one[:0]
    y = (value - value.min()) / scale
    fit = fit_lmm(y, one, item=units, rater=raters, item_columns=with_units, rater_columns=one)
    if fit is None:
        return None
    fitted = fit.beta[0] + fit.rater_effects[0, raters] + fit.item_effects.sum(axis=0)[units]
    return fit.rater_effects[0] * scale, (y - fitted) * scale


def _of_model(model: tuple[Floats, Floats] | None, k: int, own: Ints) -> tuple[Result, Result]:
    method, n = "lmm: response and rater crossed", len(own)
    if model is None:
        note = "Responses and raters do not cross, or leave nothing over."
        nothing = undefined("no_variation", note, method=method, n_ratings=n)
        return nothing, nothing
    effects, residual = model
    severity = Result(-float(effects[k]), method, n_ratings=n)
    if n < _PAIR:
        return severity, undefined("no_pairable_units", "A spread takes two ratings.", method=method, n_ratings=n)
    return severity, Result(spread(residual[own]), method, n_ratings=n)


def _mean_of_others(value: Floats, unit: Labels) -> Floats:
    """Mean rating of the same unit without this one, nan where there is no other, shape (n,)."""
    code, n = codes(unit)
    size = np.bincount(code, minlength=n)[code]
    total = np.bincount(code, value, n)[code]
    mean: Floats = np.divide(total - value, size - 1, out=np.full(len(value), np.nan), where=size > 1)
    return mean
