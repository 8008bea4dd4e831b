"""Choices between a source and its reference, adjusted for other differences: length, side, item, rater.

Whether length confounds the preference or is part of its cause is a question of mediation that no model settles: report
the proportion at equal length together with the raw one, never instead of it.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from scipy import special

from app.stats.arrays import Floats, Labels, present
from app.stats.choice.strengths import fit_davidson
from app.stats.clusters import (
    METHOD,
    Clusters,
    clusters,
    t_p_value,
    t_quantile,
    with_two_way_interval,
    without_interval,
)
from app.stats.mixed.clmm import Prediction
from app.stats.mixed.clmm_fit import ClmmFit, fit_clmm
from app.stats.mixed.model_design import RandomColumns, random_columns
from app.stats.result import Interval, Method, Reason, Result, undefined

GLMM = Method("glmm_laplace")
_FARTHEST = 20.0
_PREDICTED = "Items, raters or covariates predict {} choice, so the odds have no finite estimate."


@dataclass(frozen=True)
class ControlledShare:
    """The proportion preferred with all covariates at 0, and the log odds ratio per unit of each covariate."""

    share: Result
    slopes: tuple[Result, ...]


def share_at_equal(
    won: Floats, covariates: Floats, *, item: Labels, rater: Labels, level: float = 0.95
) -> ControlledShare:
    """Return the proportion preferred (ties as half) at equal covariates, with two-way clustered errors.

    Args:
        won: 1 if the source was chosen, 0 if the reference, 1/2 for a tie, shape (n,); nan is dropped.
        covariates: 0 if the two are equal (log length ratio; side as -1/2 and 1/2), shape (k, n); choices with a
            missing covariate are dropped.
        item: labels, shape (n,).
        rater: labels, shape (n,).
        level: confidence level.
    """
    number, X, groups = _known(won, covariates, item, rater)
    n, k = X.shape
    if n == 0:
        return _no_share(groups, k, "no_pairable_units", "There are no choices.")
    if np.linalg.matrix_rank(X - X.mean(axis=0)) < k:
        return _no_share(groups, k, "singular", "A covariate does not vary or is determined by the others.")
    fit = fit_davidson(np.column_stack([np.ones(n), X]), number)
    if fit is None:
        return _no_share(
            groups, k, "separation", "The covariates predict every choice, so the estimate has no finite limit."
        )
    eta, root = fit.beta[0], 0.0 if fit.log_nu is None else float(np.exp(fit.log_nu + fit.beta[0] / 2))
    total = float(np.exp(eta)) + root + 1
    left, tie = float(np.exp(eta)) / total, root / total
    portion = left + tie / 2
    gradient = np.zeros(len(fit.coefficients))
    gradient[0] = left + tie / 4 - portion**2
    if fit.log_nu is not None:
        gradient[-1] = tie * (0.5 - portion)
    share = with_two_way_interval(portion, fit.influence(gradient), groups, null=0.5, level=level, is_share=True)
    unit = np.eye(len(gradient))
    slopes = [
        with_two_way_interval(float(fit.beta[j]), fit.influence(unit[j]), groups, null=0.0, level=level)
        for j in range(1, k + 1)
    ]
    return ControlledShare(share, tuple(slopes))


def _known(won: Floats, covariates: Floats, item: Labels, rater: Labels) -> tuple[Floats, Floats, Clusters]:
    """Return choices with all covariates known: outcome (n,), covariates (n, k), clusters."""
    is_known = np.isfinite(covariates).all(axis=0)
    number, (columns, items, raters) = present(np.where(is_known, won, np.nan), covariates.T, item, rater)
    return number, columns, clusters(items, raters)


def _no_share(groups: Clusters, k: int, reason: Reason, note: str) -> ControlledShare:
    n = len(groups.item)
    counts = {"n_items": groups.n_items, "n_raters": groups.n_raters, "n_units": n, "n_ratings": n}
    nothing = undefined(reason, note, method=METHOD, **counts)
    return ControlledShare(nothing, (nothing,) * k)


@dataclass(frozen=True)
class PreferenceModel:
    """A logistic mixed model of choices.

    Attributes:
        odds: odds of choosing the source for an average rater and item, with covariates at 0.
        share: proportion of choices for the source, averaged over new raters and items.
        slopes: log odds ratio per unit of each covariate.
        sds: standard deviations of items and raters on the log odds scale, if in the model.
    """

    odds: Result
    share: Result
    slopes: tuple[Result, ...]
    sds: dict[str, float] | None = None


def preference_model(
    won: Floats, covariates: Floats, *, item: Labels, rater: Labels, level: float = 0.95
) -> PreferenceModel:
    """Fit a logistic mixed model of decisive choices with crossed raters and items, by Laplace approximation.

    Arguments as `share_at_equal`; ties are dropped. t intervals with min(items, raters) - 1 degrees of freedom.
    """
    number, X, groups = _known(np.where(np.isin(won, [0, 1]), won, np.nan), covariates, item, rater)
    n, k = X.shape
    bare = Result(0.0, GLMM, n_items=groups.n_items, n_raters=groups.n_raters, n_units=n, n_ratings=n)
    problem = _problem(number, X)
    if problem:
        return _no_model(bare, k, *problem)
    columns = random_columns(groups.item, groups.rater, None)
    fit = fit_clmm(
        number.astype(np.int64),
        X.T,
        item=groups.item,
        rater=groups.rater,
        item_columns=columns.item,
        rater_columns=columns.rater,
    )
    if fit is None or np.abs(fit.parameters).max() > _FARTHEST:
        return _no_model(bare, k, "separation", _PREDICTED.format("every"))
    if np.sqrt(np.diag(fit.covariance))[: 1 + k].max() > _FARTHEST:
        return _no_model(bare, k, "separation", _PREDICTED.format("almost every"))
    return _of_fit(bare, fit, columns, groups.df, level)


def _problem(won: Floats, X: Floats) -> tuple[Reason, str] | None:
    """Return why no model can be fitted (reason and note), or None; shapes (n,) and (n, k)."""
    if not len(won):
        return "no_pairable_units", "There are no decisive choices."
    if np.ptp(won) == 0:
        return "separation", "All choices are the same, so the odds have no finite estimate."
    if np.linalg.matrix_rank(X - X.mean(axis=0)) < X.shape[1]:
        return "singular", "A covariate does not vary or is determined by the others."
    return None


def _of_fit(bare: Result, fit: ClmmFit, columns: RandomColumns, df: int, level: float) -> PreferenceModel:
    """Return the estimates of the fitted model, with the counts of `bare`."""
    errors = np.sqrt(np.diag(fit.covariance))
    prediction = Prediction(fit, "logit", np.zeros(len(columns.names), dtype=bool))
    (share,), (error,) = prediction.with_errors(partial(prediction.upper_logits, side=0.0))
    return PreferenceModel(
        odds=_wald(bare, -float(fit.thresholds[0]), float(errors[0]), df, level, np.exp),
        share=_wald(bare, float(share), float(error), df, level, special.expit),
        slopes=tuple(
            _wald(bare, float(slope), float(errors[1 + j]), df, level, np.positive) for j, slope in enumerate(fit.beta)
        ),
        sds=dict(zip(columns.names, np.concatenate([fit.sd_item, fit.sd_rater]).tolist(), strict=True)),
    )


def _no_model(bare: Result, k: int, reason: Reason, note: str) -> PreferenceModel:
    nothing = replace(bare, estimate=None, reason=reason, note=note)
    return PreferenceModel(nothing, nothing, (nothing,) * k)


def _wald(bare: Result, latent: float, error: float, df: int, level: float, back: Callable[[float], float]) -> Result:
    """Return a log odds estimate with its t interval, transformed by `back` to the reported scale."""
    result = replace(bare, estimate=float(back(latent)))
    if df < 1:
        return without_interval(result, "one_cluster", "An interval for new items and raters needs two of each.")
    reach = t_quantile(df, level) * error
    with np.errstate(over="ignore"):
        interval = Interval(
            float(back(latent - reach)), float(back(latent + reach)), GLMM, level, inference="items_and_raters"
        )
    if not np.isfinite(interval.high):
        return without_interval(
            result, "separation", "Almost all choices are the same, so the interval has no upper limit."
        )
    return replace(result, interval=interval, df=float(df), p_value=t_p_value(latent / error, df))
