"""The cumulative link mixed model for two sources on an ordered scale, the primary analysis of Likert ratings.

It estimates the odds of a rating at or above any scale point, source against reference, for the same rater and item.
Raters and items vary in how high they rate and in how they rate the source. Not for one rater or one item, and not if
the odds ratio differs between points: see `proportional_odds`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy import special

from app.stats.arms import Arms, model_df
from app.stats.arrays import Bools, Floats, Labels, codes, present
from app.stats.clusters import t_p_value, t_quantile
from app.stats.mixed.clmm_fit import BOUNDARY, ClmmFit, fit_clmm
from app.stats.mixed.clmm_laplace import LinkName
from app.stats.mixed.model_design import Classes, RandomColumns, ordered_classes, random_columns
from app.stats.result import Interval, Method, Reason, Result

# Predictions of a fitted cumulative link mixed model for new raters and new items: proportions and means.
#
# Probabilities are averaged over the random effects, whose sum is normal, by Gauss-Hermite quadrature. Standard errors
# by the delta method, with the covariance of all parameters.

_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)
_STEP = 1e-5
_NEVER = 1e-12


@dataclass(frozen=True, eq=False)
class Prediction:
    """Predictions from the parameters of a fit whose first fixed column is the source, coded -1/2 and 1/2."""

    fit: ClmmFit
    link: LinkName
    is_slope: Floats

    def upper_shares(self, parameters: Floats, side: float) -> Floats:
        """Return P(y >= cut) per cut, shape (r, K - 1), for each row of parameters, shape (r, P).

        Of the source (`side` 1/2), the reference (-1/2), or midway (0); other fixed columns are at 0.
        """
        cuts = len(self.fit.thresholds)
        weights = np.where(self.is_slope, side, 1.0)
        sd = np.sqrt(((parameters[:, cuts + len(self.fit.beta) :] * weights) ** 2).sum(axis=1))
        latent = side * parameters[:, [cuts]] - parameters[:, :cuts] if side else -parameters[:, :cuts]
        around = latent[:, :, np.newaxis] + sd[:, np.newaxis, np.newaxis] * _NODES
        F = special.expit(around) if self.link == "logit" else special.ndtr(around)
        return np.asarray(np.clip(F @ _WEIGHTS / _WEIGHTS.sum(), _NEVER, 1 - _NEVER))

    def upper_logits(self, parameters: Floats, side: float) -> Floats:
        """Return the logits of `upper_shares`."""
        return np.asarray(special.logit(self.upper_shares(parameters, side)))

    def mean_difference(self, parameters: Floats, points: Floats) -> Floats:
        """Return the mean of the source minus that of the reference, for classes with these mean values, shape (K,).

        One per row of parameters, shape (r, P).
        """
        gaps: Floats = self.upper_shares(parameters, 0.5) - self.upper_shares(parameters, -0.5)
        return gaps @ np.diff(points)

    def with_errors(self, function: Callable[[Floats], Floats]) -> tuple[Floats, Floats]:
        """Return the values of a function of the parameters, shape (m,), and their standard errors.

        The function takes parameters in rows, shape (r, P), and returns its values in rows, shape (r, m).
        """
        at, n = self.fit.parameters, len(self.fit.parameters)
        steps = np.eye(n) * _STEP
        values = function(np.concatenate([at[np.newaxis], at + steps, at - steps]))
        slopes = (values[1 : n + 1] - values[n + 1 :]) / (2 * _STEP)
        largest = np.maximum(np.abs(slopes).max(axis=0), 1.0)
        gradient = slopes / largest
        variance = (gradient * (self.fit.covariance @ gradient)).sum(axis=0)
        return values[0], np.sqrt(np.maximum(variance, 0.0)) * largest


METHOD = Method("clmm_laplace")
_FARTHEST = 20.0
_PREDICTED = "Sources, items or raters predict the ratings perfectly, so the model has no finite estimate."


@dataclass(frozen=True)
class UpperShare:
    """Predicted proportions of ratings at or above `cut`, for new raters and items."""

    cut: float
    source: Result
    reference: Result


@dataclass(frozen=True)
class OrdinalComparison:
    """Estimates of the model for two sources.

    Attributes:
        effect: the odds ratio (logit), or the shift in standard deviations of the noise (probit).
        mean_difference: predicted mean of the source minus that of the reference.
        upper_shares: one per class except the lowest.
        thresholds: thresholds midway between source and reference, on the latent scale.
        sds: standard deviations of the random effects in the model: item, item_slope, rater, rater_slope.
        log_likelihood: None if no model was fitted.
        fit: the fitted model, if there is one.
    """

    effect: Result
    mean_difference: Result
    upper_shares: tuple[UpperShare, ...] = ()
    thresholds: tuple[float, ...] = ()
    sds: dict[str, float] | None = None
    log_likelihood: float | None = None
    fit: ClmmFit | None = None


def compare_ordinal(
    value: Floats,
    is_treated: Bools,
    *,
    item: Labels,
    rater: Labels,
    link: LinkName = "logit",
    has_slopes: bool = True,
    level: float = 0.95,
) -> OrdinalComparison:
    """Fit the model to ratings of two sources. All arrays have shape (n,), one entry per rating; nan is dropped.

    Crossed random intercepts of item and rater and, if identifiable, source slopes by both. Intervals are Wald with a t
    of min(items, raters) - 1 degrees of freedom, one fewer if raters (or items) see one source each: with six raters
    the usual normal quantile covers .91, this one .96. Scale points that do not occur are left out; slider values are
    merged into at most twelve classes.
    """
    number, (treated, items, raters) = present(value, is_treated, item, rater)
    data = _Data(number, treated.astype(bool), items, raters)
    modelled = _modelled(data, link, has_slopes=has_slopes, level=level)
    if isinstance(modelled, Result):
        return OrdinalComparison(modelled, modelled)
    return modelled.assembled()


def probit_shift(
    value: Floats,
    is_treated: Bools,
    *,
    item: Labels,
    rater: Labels,
    logit: OrdinalComparison,
    level: float = 0.95,
) -> Result:
    """Return the effect of `compare_ordinal` with the probit link, starting from its logit fit to the same ratings."""
    number, (treated, items, raters) = present(value, is_treated, item, rater)
    data = _Data(number, treated.astype(bool), items, raters)
    modelled = _modelled(data, "probit", has_slopes=True, level=level, logit=logit.fit)
    return modelled if isinstance(modelled, Result) else modelled.effect


class _Data(NamedTuple):
    """The ratings of two sources, without missing ones: value, whether it is of the source, item and rater."""

    value: Floats
    treated: Bools
    item: Labels
    rater: Labels


def _modelled(
    data: _Data, link: LinkName, *, has_slopes: bool, level: float, logit: ClmmFit | None = None
) -> _Comparison | Result:
    """Return the fitted model, or the undefined Result with the reason why there is none."""
    number, treated, items, raters = data
    (item_code, n_items), (rater_code, n_raters), n = codes(items), codes(raters), len(number)
    bare = Result(0.0, METHOD.with_words(f": {link}"), n_items=n_items, n_raters=n_raters, n_units=n, n_ratings=n)
    problem = _problem(number, treated)
    if problem:
        return _nothing(bare, *problem)
    classes = ordered_classes(number)
    contrast: Floats = np.asarray(treated - 0.5, dtype=np.float64)
    columns = random_columns(items, raters, contrast if has_slopes else None)
    fit = fit_clmm(
        classes.y,
        contrast[np.newaxis],
        item=items,
        rater=raters,
        item_columns=columns.item,
        rater_columns=columns.rater,
        link=link,
        logit=logit,
    )
    if fit is None:
        return _nothing(bare, "not_converged", "The fit did not converge.")
    if max(abs(fit.beta[0]), fit.sd_item.max(initial=0), fit.sd_rater.max(initial=0)) > _FARTHEST:
        return _nothing(bare, "separation", _PREDICTED)
    arms = Arms.of_two(treated)
    df = min(model_df(item_code, n_items, arms), model_df(rater_code, n_raters, arms))
    return _Comparison(fit, classes, columns, replace(bare, df=df), link, level)


def _problem(value: Floats, treated: Bools) -> tuple[Reason, str] | None:
    """Return why no model can be fitted (reason and note), or None."""
    mine, theirs = value[treated], value[~treated]
    if min(len(mine), len(theirs)) == 0:
        return "no_pairable_units", f"The {'reference' if len(mine) else 'source'} has no ratings."
    if np.ptp(value) == 0:
        return "no_variation", "All ratings are the same."
    if mine.min() >= theirs.max() or theirs.min() >= mine.max():
        return "separation", "All ratings of one source are at least as high as all ratings of the other."
    return None


def _nothing(bare: Result, reason: Reason, note: str) -> Result:
    return replace(bare, estimate=None, reason=reason, note=note)


def _mapped(interval: Interval | None, function: Callable[[float], float]) -> Interval | None:
    """Return the interval with both limits transformed; None stays None."""
    return interval and replace(interval, low=float(function(interval.low)), high=float(function(interval.high)))


@dataclass(frozen=True, eq=False)
class _Comparison:
    """Converts a fit into results with the counts, degrees of freedom and method of `bare`."""

    fit: ClmmFit
    classes: Classes
    columns: RandomColumns
    bare: Result
    link: LinkName
    level: float

    def assembled(self) -> OrdinalComparison:
        fit = self.fit
        prediction = Prediction(fit, self.link, np.array(self.columns.is_slope))
        mean, error = prediction.with_errors(lambda w: prediction.mean_difference(w, self.classes.mean)[:, np.newaxis])
        return OrdinalComparison(
            effect=self.effect,
            mean_difference=self._with_interval(float(mean[0]), float(error[0])),
            upper_shares=tuple(map(UpperShare, self.classes.lowest[1:].tolist(), *self._shares(prediction))),
            thresholds=tuple(fit.thresholds.tolist()),
            sds=self._sds,
            log_likelihood=fit.log_likelihood,
            fit=fit,
        )

    @property
    def _sds(self) -> dict[str, float]:
        sds = np.concatenate([self.fit.sd_item, self.fit.sd_rater])
        return dict(zip(self.columns.names, sds.tolist(), strict=True))

    @property
    def effect(self) -> Result:
        """The odds ratio (logit), or the shift in standard deviations of the noise (probit)."""
        error = float(self.fit.beta_errors[0])
        # a flat likelihood: the limits of the odds ratio would not even be finite
        result = self._with_interval(float(self.fit.beta[0]), error if error <= _FARTHEST else 0.0)
        flat = [name for name, sd in self._sds.items() if sd < BOUNDARY]
        notes = [f"Variance estimated as zero: {', '.join(flat).replace('_', ' ')} (boundary fit)."] if flat else []
        if self.classes.is_merged:
            notes.append(f"Values merged into {len(self.classes.mean)} ordered classes.")
        result = replace(result, note=" ".join([*notes, result.note]).strip())
        if self.link == "probit":
            return result
        return replace(result, estimate=float(np.exp(self.fit.beta[0])), interval=_mapped(result.interval, np.exp))

    def _shares(self, prediction: Prediction) -> Iterator[list[Result]]:
        """Yield the predicted proportions of the source and of the reference, one per cut."""
        for side in (0.5, -0.5):
            latent = prediction.with_errors(partial(prediction.upper_logits, side=side))
            yield [self._share(float(value), float(error)) for value, error in zip(*latent, strict=True)]

    def _share(self, latent: float, error: float) -> Result:
        """Return the predicted proportion, with its interval on the logit scale so that it stays between 0 and 1."""
        result = replace(self._with_interval(latent, error), p_value=None)
        ends = _mapped(result.interval, special.expit)
        share = float(special.expit(latent))
        of_share = None if result.standard_error is None else result.standard_error * share * (1 - share)
        return replace(result, estimate=share, interval=ends, standard_error=of_share)

    def _with_interval(self, estimate: float, error: float) -> Result:
        df = self.bare.df or 0.0
        if df < 1:
            note = "An interval for new items and raters needs two of each, in each source."
            return replace(self.bare, estimate=estimate, df=None, interval_reason="one_cluster", note=note)
        if error <= 0:
            return replace(self.bare, estimate=estimate, df=None, interval_reason="singular", note="No standard error.")
        reach = t_quantile(df, self.level) * error
        interval = Interval(estimate - reach, estimate + reach, METHOD, self.level, inference="items_and_raters")
        p_value = t_p_value(estimate / error, df)
        return replace(self.bare, estimate=estimate, interval=interval, standard_error=error, p_value=p_value)
