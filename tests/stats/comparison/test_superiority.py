import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.stats.comparison.rank_tests import (
    cliffs_delta,
    cliffs_delta_unpaired,
    prob_superiority,
    prob_superiority_unpaired,
    rank_biserial,
)
from tests.stats.conftest import Ayers, RandomRatings


def test_wins_and_half_ties_count_within_item_and_rater() -> None:
    """Three cells by hand: a win, a tie, and 3 against (1, 3, 5), i.e. a win, a tie and a loss; one is unpaired."""
    value = np.array([4, 2, 3, 3, 3, 1, 3, 5, 5], float)
    treated = np.array([1, 0, 1, 0, 1, 0, 0, 0, 1], bool)
    item = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1])
    rater = np.array([0, 0, 1, 1, 0, 0, 0, 0, 1])
    result = prob_superiority(value, treated, item=item, rater=rater)
    assert result.estimate == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert (result.n_units, result.n_items, result.n_raters, result.n_ratings) == (3, 2, 2, 8)
    assert cliffs_delta(value, treated, item=item, rater=rater).estimate == pytest.approx(1 / 3)


def test_ayers_superiority_matches_loop_over_ratings(ayers: Ayers) -> None:
    r = ayers("Empathy")
    mine, theirs = (part.value[np.argsort(part.rater)] for part in (r.of(treated=True), r.of(treated=False)))
    expected = np.mean([(a > b) + (a == b) / 2 for a, b in zip(mine, theirs, strict=True)])
    result = prob_superiority(r.value, r.is_treated, **r.clusters)
    assert result.estimate == pytest.approx(expected)
    assert result.interval is not None
    assert 0.5 < result.interval.low < expected < result.interval.high < 1


def test_raters_with_one_source_each_cannot_be_paired() -> None:
    value, rater = np.array([1.0, 2, 3, 4]), np.arange(4)
    result = cliffs_delta(value, rater < 2, item=np.zeros(4), rater=rater)
    assert (result.reason, result.n_ratings) == ("no_pairable_units", 0)


def test_unpaired_delta_is_rank_biserial_correlation(ayers: Ayers) -> None:
    r = ayers("Quality")
    result = cliffs_delta_unpaired(r.value, r.is_treated, **r.clusters)
    known = rank_biserial(r.of(treated=True).value, r.of(treated=False).value)
    assert result.estimate == pytest.approx(known.estimate)


def test_unpaired_standard_error_is_near_item_jackknife() -> None:
    """Each item has its own rater, so the two-way interval is over items: a jackknife agrees to within 2%."""
    rng = np.random.default_rng(2)
    item = np.repeat(np.arange(80), 2)
    treated = np.tile([True, False], 80)
    value = np.rint(rng.normal(size=80)[item] + 0.4 * treated + rng.normal(size=160))
    result = prob_superiority_unpaired(value, treated, item=item, rater=item)
    left_out = []
    for k in range(80):
        kept = item != k
        part = prob_superiority_unpaired(value[kept], treated[kept], item=item[kept], rater=item[kept])
        left_out.append(part.estimate)
    jackknife = np.sqrt(79 / 80 * ((np.array(left_out, float) - np.mean(np.array(left_out, float))) ** 2).sum())
    assert result.standard_error == pytest.approx(jackknife, rel=0.02)


@pytest.mark.parametrize("is_treated", [True, False])
def test_single_source_has_no_superiority(*, is_treated: bool) -> None:
    value = np.array([1.0, 2])
    result = prob_superiority_unpaired(value, np.full(2, is_treated), item=value, rater=value)
    assert result.reason == "no_pairable_units"
    assert cliffs_delta_unpaired(value, np.full(2, is_treated), item=value, rater=value) == result


@given(data=st.data())
def test_swapping_sources_reverses_delta(random_ratings: RandomRatings, data: st.DataObject) -> None:
    r = data.draw(random_ratings)
    for statistic in (cliffs_delta, cliffs_delta_unpaired):
        there = statistic(r.value, r.is_treated, **r.clusters)
        back = statistic(r.value, ~r.is_treated, **r.clusters)
        assert (there.reason, there.interval_reason) == (back.reason, back.interval_reason)
        if there.estimate is not None:
            assert back.estimate == pytest.approx(-there.estimate, abs=1e-12)
        if there.interval and back.interval:
            assert back.interval.low == pytest.approx(-there.interval.high)


def test_rounding_does_not_decide_the_degrees_of_freedom() -> None:
    """The items' variance is that of the cells, so that both together are that of the raters, but for rounding."""
    value, is_first = np.array([1.0, 1, 1, 1, 1, 1, 1, 2]), np.array([0, 0, 0, 1, 1, 1, 1, 1], bool)
    item, rater = np.array([0, 1, 4, 0, 2, 2, 3, 1]), np.array([11, 10, 10, 12, 13, 13, 11, 10])
    for treated in (is_first, ~is_first):
        assert cliffs_delta_unpaired(value, treated, item=item, rater=rater).df == 3
