from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

import numpy as np
import pytest
from scipy import stats

from app.stats.comparison.pools import pool_correlation, pool_difference

if TYPE_CHECKING:
    from app.stats.arrays import Bools, Floats, Ints


def test_one_rating_per_pool_matches_paired_t_test() -> None:
    """Every response has its own recipient and its own other rater: both are nested in its item."""
    rng = np.random.default_rng(1)
    mine, theirs = rng.normal(1, 1, 20), rng.normal(0, 1, 20)
    item = np.tile(np.arange(20), 2)
    value, first = np.concatenate([mine, theirs]), np.repeat([True, False], 20)
    found = pool_difference(value, first, unit=item, item=item, rater=np.arange(40))
    known = stats.ttest_rel(mine, theirs)
    assert found.estimate == pytest.approx((mine - theirs).mean())
    assert (found.n_units, found.n_raters, found.n_ratings) == (20, 40, 40)
    assert found.interval
    assert ((found.estimate or 0) / (found.standard_error or 1), found.df, found.p_value) == pytest.approx(
        (known.statistic, 19, known.pvalue)
    )


def test_responses_weigh_equally_regardless_of_rater_count() -> None:
    value = np.array([5.0, 1, 1, 1, 1, 2, 2])
    first = np.array([True, False, False, False, False, True, False])
    unit = np.array([0, 0, 0, 0, 0, 1, 1])
    found = pool_difference(value, first, unit=unit, item=unit, rater=np.arange(7))
    assert found.estimate == pytest.approx((4 + 0) / 2)


def test_responses_rated_by_one_pool_are_excluded() -> None:
    value, unit = np.array([5.0, 1, 3]), np.array([0, 0, 1])
    found = pool_difference(value, np.array([True, False, True]), unit=unit, item=unit, rater=np.arange(3))
    assert (found.n_units, found.n_ratings) == (1, 2)
    none = pool_difference(value, np.array([True, True, True]), unit=unit, item=unit, rater=np.arange(3))
    assert none.reason == "no_pairable_units"


class Pools(TypedDict):
    value: Floats
    is_first: Bools
    unit: Ints
    item: Ints
    rater: Ints


def _two_pools(n_units: int = 20, n_raters: int = 6) -> Pools:
    rng = np.random.default_rng(2)
    unit, rater = (axis.ravel() for axis in np.indices((n_units, n_raters)))
    value = rng.normal(size=n_units)[unit] + 0.5 * rng.normal(size=n_raters)[rater] + rng.normal(size=len(unit))
    return Pools(value=value, is_first=rater < n_raters // 2, unit=unit, item=unit // 2, rater=rater)


@pytest.mark.parametrize("n_crowd", [20, 40])
def test_variance_between_few_experts_counts_at_its_upper_limit(n_crowd: int) -> None:
    """Three experts who are alike get no more degrees of freedom for it; 20 rate everything, or 40 an item each."""
    rng = np.random.default_rng(2)
    item, rater = (axis.ravel() for axis in np.indices((40, 3 + n_crowd)))
    is_shown = (rater < 3) | (n_crowd < 40) | (rater == item + 3)
    item, rater = item[is_shown], rater[is_shown]
    level = np.append([0.1, 0, 0], rng.normal(0, 0.6, n_crowd))
    value, expert = rng.normal(0, 0.6, 40)[item] + level[rater] + rng.normal(size=len(item)), rater < 3
    found = pool_difference(value, expert, unit=item, item=item, rater=rater)
    means = np.bincount(rater, value) / np.bincount(rater)
    pools = [means[:3], means[3:]] if n_crowd == 20 else [means[:3]]
    parts = [(pool.var(ddof=1) / len(pool), len(pool) - 1) for pool in pools]
    limits = [(variance * df / stats.chi2.ppf(0.25, df), df) for variance, df in parts]
    rest = ((found.standard_error or 0) ** 2 - sum(variance for variance, _ in parts), 39)
    df = sum(one for one, _ in (*limits, rest)) ** 2 / sum(one**2 / df for one, df in (*limits, rest))
    assert found.df == pytest.approx(df)
    assert found.note == "One pool has only 3 raters, so the interval is wide, and its level is approximate."


def test_pool_correlation_is_correlation_of_pool_means() -> None:
    data = _two_pools()
    found = pool_correlation(**data)
    means = [
        [data["value"][(data["unit"] == u) & (data["is_first"] == side)].mean() for u in range(20)] for side in (1, 0)
    ]
    assert found.estimate == pytest.approx(np.corrcoef(means)[0, 1])
    assert found.interval
    assert found.interval.low < (found.estimate or 0) < found.interval.high
    assert (found.n_items, found.n_units, found.n_raters) == (10, 20, 6)


def test_single_rating_pairs_match_jackknife_of_correlation() -> None:
    """Each response has its own two raters, so deleting an item or a rater deletes one response."""
    rng = np.random.default_rng(3)
    a = rng.normal(size=15)
    b = a + rng.normal(size=15)
    item, first = np.tile(np.arange(15), 2), np.repeat([True, False], 15)
    found = pool_correlation(np.concatenate([a, b]), first, unit=item, item=item, rater=np.arange(30))
    left = np.arctanh([np.corrcoef(np.delete(a, k), np.delete(b, k))[0, 1] for k in range(15)])
    jackknife = float(np.sqrt(14 / 15 * ((left - left.mean()) ** 2).sum()))
    r = np.corrcoef(a, b)[0, 1]
    assert found.standard_error == pytest.approx(jackknife * (1 - r**2), rel=0.1)


def test_pool_with_one_rater_has_no_interval_for_new_raters() -> None:
    found = pool_correlation(**_two_pools(n_raters=2))
    assert found.estimate is not None
    assert found.interval_reason == "one_cluster"


@pytest.mark.parametrize(
    ("value", "reason", "estimate", "interval_reason"),
    [
        ([1, 2, 3, 1, 1, 1], "no_variation", None, None),
        ([1, 2, 3, 2, 4, 6], None, 1, "no_variation"),
        ([1, 2, 3, 3, 2, 1], None, -1, "no_variation"),
        ([1, 2, np.nan, 1, 2, 1], "no_pairable_units", None, None),
    ],
)
def test_means_without_variation_report_a_reason(
    value: list[float], reason: str | None, estimate: float | None, interval_reason: str | None
) -> None:
    unit = np.tile(np.arange(3), 2)
    found = pool_correlation(
        np.array(value, float), np.repeat([True, False], 3), unit=unit, item=unit, rater=np.arange(6) // 3
    )
    assert (found.reason, found.interval_reason) == (reason, interval_reason)
    assert found.estimate == (estimate if estimate is None else pytest.approx(estimate))
