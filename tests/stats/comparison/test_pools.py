from typing import TypedDict

import numpy as np
import pytest
from scipy import stats
from sklearn.metrics import f1_score

from app.stats.accuracy.category_f1 import f1_macro_pseudo_values
from app.stats.arms import FEW_IN_POOL
from app.stats.arrays import Bools, Floats, Ints
from app.stats.comparison.pools import group_difference, pool_correlation, pool_difference, score_difference
from app.stats.spans import f1_pseudo_values


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
    assert found.interval_warnings == (
        "One pool has only 3 raters, so the interval is wide, and its level is approximate.",
    )


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


def _one_hot(cell: Ints, k: int) -> Floats:
    return np.eye(k)[cell]


def test_score_difference_is_that_of_the_groups_with_the_errors_of_their_pseudo_values() -> None:
    """With an own item and rater for each answer, the pseudo-values of a pair are compared as in a paired t test."""
    rng = np.random.default_rng(5)
    cell = rng.integers(0, 4, 60)
    item, first = np.repeat(np.arange(30), 2), np.tile([True, False], 30)
    sums = _one_hot(cell, 4)
    found = score_difference(sums, f1_macro_pseudo_values, first, unit=item, item=item, rater=np.arange(60))
    macro = [f1_score(*np.divmod(cell[side], 2), average="macro") for side in (first, ~first)]
    values = [f1_macro_pseudo_values(sums[side]) for side in (first, ~first)]
    known = stats.ttest_rel(values[0], values[1])
    assert found.estimate == pytest.approx(macro[0] - macro[1])
    assert found.p_value == pytest.approx(known.pvalue)
    assert found.df == pytest.approx(29)


def test_pseudo_values_are_the_score_plus_what_each_answer_changes() -> None:
    """Of many answers, one more changes the score by its influence divided by their number."""
    rng = np.random.default_rng(6)
    sums = _one_hot(rng.integers(0, 9, 3_000), 9)
    values = f1_macro_pseudo_values(sums)
    score = values.mean()
    for at in range(20):
        more = f1_macro_pseudo_values(np.vstack([sums, sums[at]])).mean()
        assert (more - score) * 3_001 == pytest.approx(values[at] - score, rel=0.01, abs=0.01)


def test_pseudo_values_of_marks_have_the_f1_of_all_characters_as_mean() -> None:
    sums = np.array([[3.0, 5, 4], [0, 2, 3], [4, 4, 4]])
    assert f1_pseudo_values(sums).mean() == pytest.approx(2 * 7 / 22)


def test_score_difference_without_data_has_a_reason() -> None:
    unit, first = np.arange(4), np.array([True, True, False, False])
    apart = score_difference(_one_hot(np.arange(4), 4), f1_macro_pseudo_values, first, unit=unit, item=unit, rater=unit)
    assert (apart.reason, apart.note) == ("no_pairable_units", "No response was rated by both pools.")
    empty = score_difference(np.zeros((4, 3)), f1_pseudo_values, first, unit=unit % 2, item=unit % 2, rater=unit)
    assert (empty.reason, empty.note) == ("no_pairable_units", "One of the groups has no answer that counts.")
    alone = score_difference(
        _one_hot(np.arange(4), 4), f1_macro_pseudo_values, first, unit=unit % 2, item=unit % 2, rater=unit // 2
    )
    assert (alone.estimate is not None, alone.interval_reason) == (True, "one_cluster")


def test_group_difference_of_equal_sizes_is_welch_on_means_of_raters() -> None:
    rng = np.random.default_rng(7)
    rater = np.repeat(np.arange(8), 2)
    value, first = rng.normal(size=16), rater < 4
    value[3] = np.nan
    mean = np.array([np.nanmean(value[rater == k]) for k in range(8)])
    known = stats.ttest_ind(mean[:4], mean[4:], equal_var=False)
    found = group_difference(value, first, rater=rater)
    assert found.p_value == pytest.approx(known.pvalue)
    assert found.df == pytest.approx(known.df)
    assert (found.n_raters, found.n_ratings) == (8, 15)
    assert found.interval_warnings == (
        "One pool has only 4 raters, so the interval is wide, and its level is approximate.",
    )
    assert not group_difference(rng.normal(size=11), np.arange(11) < 5, rater=np.arange(11)).note
    assert found.interval
    assert (found.interval.low, found.interval.high) == pytest.approx(tuple(known.confidence_interval()))


def test_raters_who_wrote_with_each_other_count_as_one_rater_of_their_group() -> None:
    rng = np.random.default_rng(8)
    pair = np.repeat(np.arange(12), 2)
    value, first = rng.normal(size=24) + rng.normal(size=12)[pair], pair < 6
    found = group_difference(value, first, rater=np.arange(24), cluster=pair)
    mean = value.reshape(12, 2).mean(axis=1)
    known = stats.ttest_ind(mean[:6], mean[6:], equal_var=False)
    assert found.standard_error == pytest.approx((mean[:6].mean() - mean[6:].mean()) / known.statistic)
    assert found.df == pytest.approx(known.df, rel=0.05)
    assert (found.n_units, found.n_raters, found.n_ratings) == (12, 24, 24)
    few = group_difference(value[6:18], first[6:18], rater=np.arange(12), cluster=pair[6:18])
    assert few.interval_warnings == (FEW_IN_POOL.format(n=3, what="groups of raters who wrote with each other"),)


def test_raters_of_two_groups_who_wrote_with_each_other_count_in_their_own() -> None:
    value, first = np.array([1.0, 5, 2, 7, 3, 6, 2, 8]), np.arange(8) % 2 == 0
    found = group_difference(value, first, rater=np.arange(8), cluster=np.repeat(np.arange(4), 2))
    assert found.estimate == pytest.approx(2.0 - 6.5)
    assert found.n_units == 8


def test_two_raters_who_are_alike_do_not_get_the_degrees_of_freedom_of_a_large_group() -> None:
    """By hand: variances of means .04 and .25, times 1 / .1015 and 3 / 1.2125 (chi-square tables)."""
    value = np.array([1.0, 1.4, 3.0, 4.0, 5.0, 4.0])
    value[2:] = 4 + (value[2:] - 4) * 1.5**0.5
    first, rater = np.arange(6) < 2, np.arange(6)
    found, known = group_difference(value, first, rater=rater), stats.ttest_ind(value[:2], value[2:], equal_var=False)
    limits = [0.04 / 0.1015, 0.25 * 3 / 1.2125]
    assert found.standard_error == pytest.approx(0.29**0.5)
    assert found.df == pytest.approx(sum(limits) ** 2 / (limits[0] ** 2 / 1 + limits[1] ** 2 / 3), rel=1e-3)
    assert found.df is not None
    assert found.df < known.df


@pytest.mark.parametrize(
    ("value", "reason", "interval_reason"),
    [
        ([1.0, 2, np.nan, np.nan], "no_pairable_units", None),
        ([1.0, 2, 3, np.nan], None, "one_cluster"),
        ([1.0, 1, 3, 3], None, "no_variation"),
    ],
)
def test_groups_without_enough_raters_have_a_reason(
    value: list[float], reason: str | None, interval_reason: str | None
) -> None:
    found = group_difference(np.array(value), np.array([True, True, False, False]), rater=np.arange(4))
    assert (found.reason, found.interval_reason) == (reason, interval_reason)
