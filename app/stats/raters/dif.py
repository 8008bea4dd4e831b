"""Differential item functioning: does a question work differently for one group of raters?"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from app.stats.arms import missing_side
from app.stats.arrays import Bools, Floats, Labels, codes, present, spread
from app.stats.clusters import without_interval
from app.stats.mixed.clmm_fit import ClmmFit, fit_clmm
from app.stats.mixed.model_design import ordered_classes, random_columns
from app.stats.result import Interval, Method, Reason, Result, undefined

METHOD = Method("clmm_laplace", ": likelihood ratio")
_LARGEST = 20.0
_VAGUE = "The ratings hardly determine the effect of the group, so no interval."
_LOGISTIC_VARIANCE = np.pi**2 / 3


@dataclass(frozen=True, slots=True)
class Dif:
    """Tests of one question: raters of a group against the others at the same level of the trait.

    Attributes:
        uniform: odds ratio of a higher rating by the group, with the p-value of the likelihood ratio test, 1 df.
        nonuniform: chi-square of the interaction of group and trait, 1 df: the odds ratio changes with the trait.
        total: chi-square of both together, 2 df (Zumbo's omnibus test).
        r2_change: increase in McKelvey and Zavoina's R^2 by both; below .035 negligible, from .07 large (Jodoin and
            Gierl 2001).
    """

    uniform: Result
    nonuniform: Result
    total: Result
    r2_change: Result


def dif(value: Floats, trait: Floats, is_member: Bools, *, item: Labels, rater: Labels, level: float = 0.95) -> Dif:
    """Fit ordinal logistic regressions of the question on the trait, the group, and their interaction (Zumbo 1999).

    Three nested cumulative link models, with crossed random intercepts of item and rater if these have repeated
    ratings: logit P(y > k) = -theta_k + b1 trait; + b2 group; + b3 trait x group.

    Args:
        value: ratings of the question, shape (n,); nan is dropped.
        trait: what the question should measure, such as the mean of the other questions, shape (n,); nan is dropped.
        is_member: whether the rater is in the group, shape (n,).
        item: labels, shape (n,).
        rater: labels, shape (n,).
        level: confidence level of the odds ratio's interval (Wald, normal).
    """
    known = np.where(np.isfinite(trait), value, np.nan)
    number, (x, member, items, raters) = present(known, trait, is_member, item, rater)
    member = member.astype(bool)
    n = len(number)
    counts: dict[str, int | None] = {
        "n_items": codes(items)[1],
        "n_raters": codes(raters)[1],
        "n_units": n,
        "n_ratings": n,
    }
    problem = missing_side(member, "the group", "the other raters")
    if problem:
        return Dif(*[replace(problem, method=METHOD).with_counts(**counts)] * 4)
    if np.ptp(number) == 0 or np.ptp(x) == 0:
        return _nothing("no_variation", "The ratings or the trait do not vary.", counts)
    if np.ptp(x[member]) == 0 or np.ptp(x[~member]) == 0:
        who = "in the group" if np.ptp(x[member]) == 0 else "outside the group"
        return _nothing("singular", f"The trait does not vary {who}, so its effect and the group's are one.", counts)
    fits = _nested(number, (x - x.mean()) / spread(x), member - 0.5, items, raters)
    if fits is None:
        note = "The group or the trait predicts the ratings perfectly."
        return _nothing("not_converged", note, counts)
    return _compared(*fits, level=level, counts=counts)


def _nothing(reason: Reason, note: str, counts: dict[str, int | None]) -> Dif:
    return Dif(*[undefined(reason, note, method=METHOD, **counts)] * 4)


@dataclass(frozen=True, eq=False)
class _Fitted:
    fit: ClmmFit
    fixed: Floats

    @property
    def r2(self) -> float:
        """McKelvey and Zavoina (1975): variance of the fixed part divided by that of the latent rating."""
        explained = float((self.fit.beta @ self.fixed).var())
        random = float((self.fit.sd_item**2).sum() + (self.fit.sd_rater**2).sum())
        return explained / (explained + random + _LOGISTIC_VARIANCE)


def _nested(
    value: Floats, trait: Floats, group: Floats, item: Labels, rater: Labels
) -> tuple[_Fitted, _Fitted, _Fitted] | None:
    """Return the fits without group, with it, and with the interaction, or None if one has no finite maximum."""
    y = ordered_classes(value).y
    columns = random_columns(item, rater, None)
    found = []
    for rows in ([trait], [trait, group], [trait, group, trait * group]):
        X = np.array(rows)
        fit = fit_clmm(y, X, item=item, rater=rater, item_columns=columns.item, rater_columns=columns.rater)
        if fit is None or np.abs(fit.beta).max() > _LARGEST:
            return None
        found.append(_Fitted(fit, X))
    return found[0], found[1], found[2]


def _compared(base: _Fitted, uniform: _Fitted, full: _Fitted, *, level: float, counts: dict[str, int | None]) -> Dif:
    log_odds, error = float(uniform.fit.beta[1]), float(uniform.fit.beta_errors[1])
    p_value = _likelihood_ratio(base, uniform, 1).p_value
    odds_ratio = _with_wald_interval(Result(float(np.exp(log_odds)), METHOD, p_value=p_value), log_odds, error, level)
    parts = odds_ratio, _likelihood_ratio(uniform, full, 1), _likelihood_ratio(base, full, 2)
    change = Result(full.r2 - base.r2, Method(words="mckelvey_zavoina"))
    return Dif(*[part.with_counts(**counts) for part in (*parts, change)])


def _with_wald_interval(odds_ratio: Result, log_odds: float, error: float, level: float) -> Result:
    if not 0 < error <= _LARGEST:
        return without_interval(odds_ratio, "singular", _VAGUE)
    reach = float(special.ndtri(0.5 + level / 2)) * error
    low, high = float(np.exp(log_odds - reach)), float(np.exp(log_odds + reach))
    return replace(
        odds_ratio, interval=Interval(low, high, Method("clmm_laplace"), level, inference="items_and_raters")
    )


def _likelihood_ratio(smaller: _Fitted, larger: _Fitted, df: int) -> Result:
    chi_square = max(2 * (larger.fit.log_likelihood - smaller.fit.log_likelihood), 0.0)
    return Result(chi_square, METHOD, df=float(df), p_value=float(special.chdtrc(df, chi_square)))
