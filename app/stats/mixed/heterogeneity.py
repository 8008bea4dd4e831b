"""How far an effect differs between items and between raters: prediction intervals, and the effect on each item.

The effect is a difference of two sources, or a share of choices. A linear mixed model by REML with crossed effects of
items and raters (`fit_lmm`) gives its mean, its standard deviation tau over items and over raters, and the best linear
unbiased prediction of the effect on each item, which is shrunken towards the mean. Interval and share of items with the
opposite sign are read from one predictive distribution, so they agree.
"""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy import optimize, special

from app.stats.arrays import Bools, Floats, Ints, Labels, codes, present
from app.stats.mixed.lmm import LmmFit, fit_lmm
from app.stats.mixed.lmm_name import LMM
from app.stats.mixed.model_design import random_columns
from app.stats.result import Inference, Interval, Method, Reason, Result, undefined

PREDICTION = Method("prediction_distribution")
# a standard deviation over fewer levels says next to nothing
MIN_LEVELS = 5
_EDGE = 1e-6
# an SD of effects that is this small a part of the scale is 0, at the boundary
_NO_SD = 1e-5
# where the confidence distribution of tau is evaluated
_QUANTILES = (np.arange(200) + 0.5) / 200


@dataclass(frozen=True, eq=False)
class ItemEffects:
    """The effect on each item: the label of the item, and arrays of shape (k,), of which `plain` may be nan.

    `shrunken` is the prediction of the model, `plain` the difference of the item's own means (or its share).
    """

    item: Labels
    shrunken: Floats
    plain: Floats


@dataclass(frozen=True, eq=False)
class Heterogeneity:
    """Prediction intervals for a new item and a new rater, and the share of items with the opposite sign.

    `items` is None if the effects on single items cannot be told apart.
    """

    new_item: Result
    new_rater: Result
    opposite: Result
    items: ItemEffects | None = None


def heterogeneity(
    value: Floats, is_mine: Bools | None, *, item: Labels, rater: Labels, level: float = 0.95
) -> Heterogeneity:
    """Return how far the mean of the source minus that of the reference differs between items and between raters.

    The effect on a new item is predicted with what is not known of tau and of the mean (`_Predicted`; Nagashima, Noma
    and Furukawa 2019, Stat. Methods Med. Res. 28:1689): an estimate of tau of 0 does not say that items are alike, and
    estimate plus or minus t x sqrt(tau^2 + SE^2) would be far too narrow with the k - 2 degrees of freedom of k items,
    and with Satterthwaite's far too wide. The interval has the central `level` of the distribution; that of a share is
    computed on the logit scale. The share of items with the opposite sign is the probability beyond no effect, the
    expectation of Phi(-|mean - null| / tau) (Mathur and VanderWeele 2019, Stat. Med. 38:1336), so that it is below
    2.5% where the 95% interval excludes no effect, and nowhere else. Checked by integration over the chi-square
    distribution for complete data, and by simulation.

    Args:
        value: ratings, shape (n,); for shares 1 (chosen), 0.5 (tie) or 0. nan is dropped.
        is_mine: whether a rating is of the source, shape (n,); None for shares, which are compared with one half.
        item: labels, shape (n,).
        rater: labels, shape (n,).
        level: level of the prediction intervals.
    """
    is_share = is_mine is None
    number, (mine, items, raters) = present(value, np.ones(len(value)) if is_mine is None else is_mine, item, rater)
    side = mine.astype(bool)
    if not side.any() or (side.all() and not is_share):
        return _undefined("no_pairable_units", "There are no ratings of both sources.")
    contrast = None if is_share else side - 0.5
    columns = random_columns(items, raters, contrast)
    X = np.ones((1, len(number))) if contrast is None else np.array([np.ones(len(number)), contrast])
    scale = float(np.ptp(number)) or 1.0
    fit = fit_lmm(
        (number - number.min()) / scale,
        X,
        item=items,
        rater=raters,
        item_columns=columns.item,
        rater_columns=columns.rater,
    )
    if fit is None:
        return _undefined("no_variation", "Sources, items and raters explain all variance, so there is no residual.")
    if not fit.is_converged:
        return _undefined("not_converged", "The fit did not converge.")
    lowest = float(number.min()) if is_share else 0.0
    return _of_fit(fit, _Data(number, side, items, raters, is_share=is_share), scale, lowest, level)


@dataclass(frozen=True, eq=False)
class _Data:
    number: Floats
    side: Bools
    item: Labels
    rater: Labels
    is_share: bool

    def noise(self, labels: Labels) -> Floats:
        """The variance of the effect on each item or rater for a residual variance of 1, of those with both sources."""
        code, n = codes(labels)
        sides = (self.side,) if self.is_share else (self.side, ~self.side)
        counts = np.array([np.bincount(code[side], minlength=n) for side in sides])
        return np.asarray((1 / counts[:, (counts > 0).all(axis=0)]).sum(axis=0), dtype=np.float64)


def _of_fit(fit: LmmFit, data: _Data, scale: float, lowest: float, level: float) -> Heterogeneity:
    """Return the results; a value of the fit times `scale`, plus `lowest`, is one of the data."""
    size = len(fit.beta)
    estimate = float(fit.beta[-1]) * scale + lowest
    error = float(np.sqrt(fit.covariance[-1, -1])) * scale
    found, predicted = [], {}
    for what, labels, sds in (("item", data.item, fit.sd_item), ("rater", data.rater, fit.sd_rater)):
        noise = data.noise(labels)
        k = len(noise)
        if k < MIN_LEVELS or len(sds) < size:
            found.append(_too_few(what, k))
            continue
        tau = float(sds[-1]) * scale
        tau = tau if tau > _NO_SD * scale else 0.0
        within = float(noise.mean()) * (fit.sd_residual * scale) ** 2
        predicted[what] = _Predicted.of(tau, within, error, k)
        interval = predicted[what].interval(estimate, level, "items" if what == "item" else "raters")
        if data.is_share:
            interval = _on_logit_scale(interval, estimate)
        note = f"The SD of the effect over {what}s is {tau:.2g}"
        found.append(Result(estimate, PREDICTION, None, interval, n_units=k, note=note))
    new_item, new_rater = found
    if new_item.estimate is None:
        return Heterogeneity(new_item, new_rater, new_item)
    effects = _items(fit, data, scale, lowest)
    null = 0.5 if data.is_share else 0.0
    distance = _logit_distance(estimate) if data.is_share else abs(estimate)
    opposite = _opposite(predicted["item"].beyond(distance), np.sign(estimate - null) * (effects.plain - null))
    return Heterogeneity(new_item, new_rater, opposite, effects)


@dataclass(frozen=True, eq=False)
class _Predicted:
    """The distribution of the effect on a new level around the estimate: equal parts of normal ones, `sd` shape (n,).

    An estimate of the effect on each of k levels has the variance A = tau^2 + `within`, and A is known with k - 1
    degrees of freedom: its confidence distribution is that of A (k - 1) / chi-square. tau^2 is what it exceeds
    `within` by, and the variance of the mean rises with it by 1 / k.
    """

    sd: Floats

    @classmethod
    def of(cls, tau: float, within: float, error: float, k: int) -> Self:
        total = (tau**2 + within) * (k - 1) / special.chdtri(k - 1, 1 - _QUANTILES)
        between = np.maximum(total - within, 0.0)
        of_mean = np.maximum(error**2 + (total - tau**2 - within) / k, 0.0)
        # Above 0, so that a distance of 0 is half beyond also where nothing varies.
        return cls(np.sqrt(np.maximum(between + of_mean, np.finfo(np.float64).tiny)))

    def beyond(self, distance: float) -> float:
        """Return the probability that a new effect is lower than the estimate by more than this."""
        return float(special.ndtr(-distance / self.sd).mean())

    def interval(self, estimate: float, level: float, inference: Inference) -> Interval:
        tail = (1 - level) / 2
        widest = float(self.sd.max()) * -float(special.ndtri(tail))
        reach = float(optimize.brentq(lambda distance: self.beyond(distance) - tail, 0.0, widest))
        return Interval(estimate - reach, estimate + reach, PREDICTION, level, inference=inference)


def _on_logit_scale(interval: Interval, share: float) -> Interval:
    """Return the interval with its reach moved to the logit scale by the delta method, so that it stays within 0 to 1.

    >>> symmetric = Interval(0.4, 1.2, PREDICTION, inference="items")
    >>> found = _on_logit_scale(symmetric, 0.8)
    >>> round(found.low, 3), round(found.high, 3)
    (0.247, 0.98)
    """
    inside = _inside(share)
    reach = (interval.high - interval.low) / 2 / (inside * (1 - inside))
    middle = special.logit(inside)
    return replace(interval, low=float(special.expit(middle - reach)), high=float(special.expit(middle + reach)))


def _logit_distance(share: float) -> float:
    """Return how far one half is from a share on the logit scale, in units of the share."""
    inside = _inside(share)
    return float(abs(special.logit(inside)) * inside * (1 - inside))


def _inside(share: float) -> float:
    return min(max(share, _EDGE), 1 - _EDGE)


def _items(fit: LmmFit, data: _Data, scale: float, lowest: float) -> ItemEffects:
    code, n = codes(data.item)
    labels = np.asarray(data.item)[np.unique(code, return_index=True)[1]]
    plain = _means(data.number, code, data.side, n)
    if not data.is_share:
        plain = plain - _means(data.number, code, ~data.side, n)
    return ItemEffects(labels, (fit.beta[-1] + fit.item_effects[-1]) * scale + lowest, plain)


def _means(number: Floats, code: Ints, side: Bools, n: int) -> Floats:
    """Return the mean on this side of each item; nan without any rating."""
    size = np.bincount(code[side], minlength=n)
    total = np.bincount(code[side], weights=number[side], minlength=n)
    means: Floats = np.divide(total, size, out=np.full(n, np.nan), where=size > 0)
    return means


def _opposite(share: float, plain: Floats) -> Result:
    """Return the share of items with the other sign than the mean effect; `plain` is negative where they have it."""
    known = plain[np.isfinite(plain)]
    note = f"{int((known < 0).sum())} of {len(known)} items have the opposite sign in the data"
    return Result(share, Method(words=f"{LMM}: predicted effects of new items"), n_units=len(known), note=note)


def _too_few(what: str, k: int) -> Result:
    some = f"No {what} has" if k == 0 else f"Only 1 {what} has" if k == 1 else f"Only {k} {what}s have"
    note = (
        f"{some} answers on both sides of the comparison, too few to tell how far the effect differs between {what}s."
    )
    if k >= MIN_LEVELS:
        note = f"No {what} has enough ratings to tell how far the effect differs between {what}s."
    return undefined("too_few", note, method=PREDICTION, n_units=k)


def _undefined(reason: Reason, note: str) -> Heterogeneity:
    nothing = undefined(reason, note, method=PREDICTION)
    return Heterogeneity(nothing, nothing, nothing)
