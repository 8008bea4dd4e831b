"""Confidence intervals from the influence of each unit, and undefined results for data that allow none."""

from dataclasses import replace
from typing import TypedDict

import numpy as np

from app.stats.arrays import Floats
from app.stats.clusters import ends_within, t_quantile
from app.stats.ratings import Ratings
from app.stats.result import Interval, Method, Reason, Result, undefined

# a standard error below this is a rounding error of zero
ZERO = 1e-12
# minimum number of units for a variance
PAIR = 2


class Spread(TypedDict):
    """The fields of a Result that describe the uncertainty of an estimate."""

    standard_error: float | None
    df: float | None
    interval: Interval | None
    interval_reason: Reason | None


def no_spread(reason: Reason) -> Spread:
    """Return the fields for an estimate without an interval, with the reason."""
    return {"standard_error": None, "df": None, "interval": None, "interval_reason": reason}


def nothing_to_compare(ratings: Ratings) -> Result | None:
    """Return the undefined Result if no unit has two ratings, else None."""
    return None if ratings.is_pairable.any() else no_pairs(ratings)


def no_pairs(ratings: Ratings) -> Result:
    """Return the undefined Result for ratings without any pair to compare."""
    words = "no unit has two ratings, so agreement is not estimable" if len(ratings.value) else "there are no ratings"
    return undefined("no_pairable_units", words, **ratings.sizes())


def no_variation(ratings: Ratings) -> Result:
    """Return the undefined Result for ratings that are all equal."""
    words = "all ratings that can be compared have the same value, so agreement beyond chance is not defined"
    return undefined("no_variation", words, **ratings.sizes())


def jackknife_se(influence: Floats, weight: Floats) -> float:
    """Return the infinitesimal jackknife standard error.

    `influence` is the derivative of the estimate with respect to the weight of a unit, shape (n_kinds,); `weight` is
    the number of units with that influence. Efron and Tibshirani (1993), times n / (n - 1) for small
    samples.
    """
    n = float(weight.sum())
    centre = float(weight @ influence) / n
    return float(np.sqrt(n / (n - 1) * (weight @ (influence - centre) ** 2)))


def correlation_spread(estimate: float, influence: Floats, weight: Floats, confidence: float) -> Spread:
    """Return the interval of a coefficient of at most 1: t on Fisher's z, df = units - 1; plain t outside (-1, 1)."""
    n = float(weight.sum())
    if n < PAIR:
        return no_spread("one_cluster")
    se = jackknife_se(influence, weight)
    if se < ZERO:
        return no_spread("no_variation")
    low, high = fisher_ends(estimate, t_quantile(n - 1, confidence) * se)
    return {
        "standard_error": se,
        "df": n - 1,
        "interval": Interval(low, high, Method("jackknife_units"), confidence, inference="items"),
        "interval_reason": None,
    }


def fisher_ends(centre: float, reach: float) -> tuple[float, float]:
    """Return the limits `reach` around correlation `centre` via Fisher's z; outside (-1, 1) linearly, cut at 1."""
    if abs(centre) > 1 - ZERO:
        return centre - reach, min(centre + reach, 1.0)
    z, reach = np.arctanh(centre), reach / (1 - centre**2)
    return float(np.tanh(z - reach)), float(np.tanh(z + reach))


def share_spread(values: Floats, confidence: float) -> Spread:
    """Return the interval of the mean of one proportion per unit, shape (n_units,).

    For a mean, the jackknife is the t interval; it is computed on the logit scale if it would leave 0 to 1.
    """
    n = len(values)
    if n < PAIR:
        return no_spread("one_cluster")
    se = float(values.std(ddof=1) / np.sqrt(n))
    if se < ZERO:
        return no_spread("no_variation")
    mean, reach = float(values.mean()), t_quantile(n - 1, confidence) * se
    return {
        "standard_error": se,
        "df": float(n - 1),
        "interval": Interval(
            *ends_within(mean, reach, 0.0, 1.0), Method("jackknife_units"), confidence, inference="items"
        ),
        "interval_reason": None,
    }


def of_share(spread: Spread, share: float) -> Spread:
    """Return the spread of a proportion, with its interval on the logit scale if it would reach below 0."""
    interval, error, df = spread["interval"], spread["standard_error"], spread["df"]
    if interval is not None and interval.low < 0 and error is not None and df is not None:
        low, high = ends_within(share, t_quantile(df, interval.level) * error, 0.0, 1.0)
        spread["interval"] = replace(interval, low=low, high=high)
    return spread
