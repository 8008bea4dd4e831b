"""t tests on item means. The estimates of Ayers et al. are from JAMA Intern Med 2023; 183(6):589-596."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from app.stats.comparison.t_tests import item_mean_difference, t_paired, t_unpaired
from tests.stats.conftest import Ayers, RandomRatings, Where


@pytest.mark.parametrize(("dimension", "unpaired", "paired"), [("Quality", 13.31, 13.26), ("Empathy", 18.93, 20.21)])
def test_ayers_2023_t_statistics_are_reproduced(ayers: Ayers, dimension: str, unpaired: float, paired: float) -> None:
    r = ayers(dimension)
    found = [test(r.value, r.is_treated, **r.clusters) for test in (t_unpaired, t_paired)]
    assert [result.estimate for result in found] == pytest.approx([unpaired, paired], abs=0.005)
    assert [(result.df, result.n_units, result.n_items) for result in found] == [(388, 390, 195), (194, 195, 195)]


def _means(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    """Simulate two to three ratings of eight items in both sources, and of two more items in the reference only."""
    item = np.repeat(np.arange(10), 5)
    treated = np.tile([True, True, False, False, False], 10) & (item < 8)
    return rng.integers(1, 6, 50).astype(float), treated, item, np.tile(np.arange(5), 10)


@pytest.mark.parametrize("is_paired", [True, False])
def test_t_tests_match_scipy_on_item_means(*, is_paired: bool) -> None:
    value, treated, item, rater = _means(np.random.default_rng(5))
    mine = np.array([value[treated & (item == i)].mean() for i in range(8)])
    theirs = np.array([value[~treated & (item == i)].mean() for i in range(10)])
    known = stats.ttest_rel(mine, theirs[:8]) if is_paired else stats.ttest_ind(mine, theirs)
    found = (t_paired if is_paired else t_unpaired)(value, treated, item=item, rater=rater)
    assert (found.estimate, found.p_value, found.df) == pytest.approx((known.statistic, known.pvalue, known.df))
    interval = item_mean_difference(value, treated, item=item, rater=rater, is_paired=is_paired).interval
    expected = known.confidence_interval()
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high))
    assert str(interval.method) == ("t_paired" if is_paired else "t_unpaired")


@pytest.mark.parametrize(
    ("value", "treated", "item", "paired", "unpaired"),
    [
        ([], [], [], "no_pairable_units", "no_pairable_units"),
        ([1, 2], [True, False], [0, 1], "no_pairable_units", "one_cluster"),
        ([1, 2], [True, False], [0, 0], "one_cluster", "one_cluster"),
        ([1, 2], [False, False], [0, 1], "no_pairable_units", "no_pairable_units"),
        ([4, 2, 4, 2], [True, False] * 2, [0, 0, 1, 1], "no_variation", "no_variation"),
    ],
)
def test_impossible_t_test_reports_a_reason(
    value: list[float], treated: list[bool], item: list[int], paired: str, unpaired: str
) -> None:
    args = (np.array(value, float), np.array(treated, bool))
    where: Where = {"item": np.array(item), "rater": np.array(item)}
    assert t_paired(*args, **where).reason == paired
    assert t_unpaired(*args, **where).reason == unpaired


def test_constant_difference_has_estimate_without_interval() -> None:
    value, treated, item = np.array([4.0, 2, 5, 3]), np.array([True, False] * 2), np.array([0, 0, 1, 1])
    result = item_mean_difference(value, treated, item=item, rater=item, is_paired=True)
    assert (result.estimate, result.interval, result.interval_reason) == (2, None, "no_variation")


@pytest.mark.parametrize("is_paired", [True, False])
def test_difference_of_a_single_item_has_no_interval(*, is_paired: bool) -> None:
    value, item = np.array([4.0, 1.5]), np.array([0, 0])
    result = item_mean_difference(value, value > 2, item=item, rater=item, is_paired=is_paired)
    assert (result.estimate, result.interval, result.interval_reason) == (2.5, None, "one_cluster")
    assert result.note


def test_difference_without_a_shared_item_is_undefined() -> None:
    one = np.array([1.0])
    result = item_mean_difference(one, one > 0, item=one, rater=one, is_paired=False)
    assert result.reason == "no_pairable_units"


@given(data=st.data(), is_paired=st.booleans())
def test_t_tests_are_symmetric_for_any_ratings(
    random_ratings: RandomRatings, data: st.DataObject, *, is_paired: bool
) -> None:
    r = data.draw(random_ratings)
    test = t_paired if is_paired else t_unpaired
    there, back = test(r.value, r.is_treated, **r.clusters), test(r.value, ~r.is_treated, **r.clusters)
    assert there.reason == back.reason
    if there.estimate is not None:
        assert back.estimate == pytest.approx(-there.estimate)
    difference = item_mean_difference(r.value, r.is_treated, is_paired=is_paired, **r.clusters)
    assert difference.reason or difference.interval or difference.interval_reason
