import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from app.stats.arrays import Ints
from app.stats.comparison import describe
from tests.kit.oracles import Oracle
from tests.stats.conftest import Ayers, RandomRatings, Where

ITEM, RATER = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])


@pytest.mark.parametrize("n_items", [2, 3, 12, 200])
def test_difference_of_texts_which_nobody_rates_is_the_paired_t_test(n_items: int) -> None:
    """As `text_difference` calls it: each item is its own rater."""
    rng = np.random.default_rng(n_items)
    usual = rng.normal(50, 20, n_items)
    theirs, mine = usual + rng.normal(0, 5, n_items), usual + rng.normal(4, 9, n_items)
    item = np.tile(np.arange(n_items), 2)
    is_mine = np.repeat([True, False], n_items)
    found = describe.mean_difference(np.concatenate([mine, theirs]), is_mine, item=item, rater=item)
    known = stats.ttest_rel(mine, theirs)
    limits = known.confidence_interval()
    assert found.interval is not None
    assert found.estimate == pytest.approx((mine - theirs).mean(), rel=1e-12)
    assert (found.interval.low, found.interval.high) == pytest.approx((limits.low, limits.high), rel=1e-9)
    assert (found.p_value, found.df) == pytest.approx((known.pvalue, known.df), rel=1e-9)


def test_mean_of_empty_data_is_undefined() -> None:
    empty = np.array([])
    assert describe.mean(empty, item=empty, rater=empty).reason == "no_pairable_units"
    assert describe.share(empty, item=empty, rater=empty).reason == "no_pairable_units"


@pytest.mark.parametrize(("item", "rater"), [(np.zeros(4, int), np.arange(4)), (np.arange(4), np.zeros(4, int))])
def test_single_item_or_rater_gives_mean_without_interval(item: Ints, rater: Ints) -> None:
    result = describe.mean(np.array([1.0, 2, 3, 4]), item=item, rater=rater)
    assert (result.estimate, result.interval, result.interval_reason) == (2.5, None, "one_cluster")


def test_standard_deviation_requires_two_ratings() -> None:
    one = np.array([3.0])
    assert describe.sd(one, item=one, rater=one).reason == "no_pairable_units"
    assert describe.sd(np.array([1.0, 3, 1, 3]), item=ITEM, rater=RATER).estimate == pytest.approx((4 / 3) ** 0.5)
    assert describe.sd(np.full(4, 0.1), item=ITEM, rater=RATER).estimate == pytest.approx(0)
    assert describe.sd(np.zeros(4), item=ITEM, rater=RATER).estimate == 0


@pytest.mark.parametrize(("source", "who"), [("human", "source"), ("model_x", "reference")])
def test_source_without_ratings_leaves_difference_undefined(oracle: Oracle, source: str, who: str) -> None:
    known = oracle("degenerate_source_without_ratings")
    item, rater, _, value = (np.array(column) for column in zip(*known["input"]["rows"], strict=True))
    treated = np.full(len(value), who == "reference")
    result = describe.mean_difference(value, treated, item=item, rater=rater)
    assert (result.reason, who in result.note) == ("no_pairable_units", True)
    assert describe.mean(value, item=item, rater=rater).estimate == known["expected"]["mean_human"]


def test_source_with_one_rater_has_no_interval_for_new_raters() -> None:
    value, treated = np.array([1.0, 2, 4, 5, 3, 3]), np.array([True, True, False, False, False, False])
    item, rater = np.array([0, 1, 0, 1, 0, 1]), np.array([0, 0, 1, 1, 2, 2])
    result = describe.mean_difference(value, treated, item=item, rater=rater)
    assert (result.interval_reason, result.estimate, result.p_value) == ("one_cluster", -2.25, None)


def test_constant_sources_differ_without_interval() -> None:
    result = describe.mean_difference(np.array([4.0, 2, 4, 2]), np.array([True, False] * 2), item=ITEM, rater=RATER)
    assert (result.estimate, result.interval_reason) == (2, "no_variation")


def test_share_interval_stays_within_0_and_1() -> None:
    won = np.array([1.0] * 11 + [0.0])
    item, rater = np.arange(12), np.tile(np.arange(3), 4)
    interval = describe.share(won, item=item, rater=rater).interval
    assert interval is not None
    assert 0 < interval.low < 11 / 12 < interval.high < 1


def test_share_of_one_has_no_interval() -> None:
    result = describe.share(np.ones(4), item=ITEM, rater=RATER, null=0.5)
    assert (result.estimate, result.interval_reason, result.p_value) == (1.0, "no_variation", None)


def test_share_at_least_tolerates_rounding_at_threshold() -> None:
    value = np.array([0.1 + 0.2, 0.1])
    assert describe.share_at_least(value, 0.3, item=ITEM[1:3], rater=RATER[:2]).estimate == 0.5


def test_ayers_2023_share_of_empathy_at_least_four_is_reproduced(ayers: Ayers) -> None:
    empathy = ayers("Empathy")
    shares = [
        describe.share_at_least(part.value, 4, **part.clusters).estimate
        for part in (empathy.of(treated=False), empathy.of(treated=True))
    ]
    assert shares == pytest.approx([0.171, 0.677], abs=5e-4)


@given(data=st.data())
def test_descriptives_report_result_or_reason_for_any_ratings(
    random_ratings: RandomRatings, data: st.DataObject
) -> None:
    r = data.draw(random_ratings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        describe.sd(r.value, **r.clusters)
        for result in (
            describe.mean(r.value, **r.clusters),
            describe.mean_difference(r.value, r.is_treated, **r.clusters),
        ):
            assert result.reason or result.interval or result.interval_reason


@given(data=st.data())
def test_share_reports_result_or_reason(random_shares: RandomRatings, data: st.DataObject) -> None:
    r = data.draw(random_shares)
    result = describe.share(r.value, null=0.5, **r.clusters)
    assert result.reason or result.interval_reason or result.interval
    if result.estimate is not None and result.interval:
        assert 0 <= result.interval.low <= result.estimate <= result.interval.high <= 1
    describe.share_at_least(r.value, 0.5, **r.clusters)


@given(data=st.data())
def test_swapping_sources_reverses_difference(random_ratings: RandomRatings, data: st.DataObject) -> None:
    r = data.draw(random_ratings)
    there = describe.mean_difference(r.value, r.is_treated, **r.clusters)
    back = describe.mean_difference(r.value, ~r.is_treated, **r.clusters)
    assert there.interval_reason == back.interval_reason
    if there.estimate is not None:
        assert back.estimate == -there.estimate
    if there.interval and back.interval:
        assert back.p_value == pytest.approx(there.p_value)
        assert back.interval.low == pytest.approx(-there.interval.high)


@given(data=st.data(), seed=st.integers(0, 1000))
def test_estimates_ignore_labels_and_row_order(random_ratings: RandomRatings, data: st.DataObject, seed: int) -> None:
    r = data.draw(random_ratings)
    rng = np.random.default_rng(seed)
    order, names = rng.permutation(len(r.value)), rng.permutation(100)
    renamed: Where = {"item": names[r.item][order], "rater": names[r.rater][order]}
    first = describe.mean_difference(r.value, r.is_treated, **r.clusters)
    second = describe.mean_difference(r.value[order], r.is_treated[order], **renamed)
    # A sum in another order differs by at most the rounding error of its largest term.
    rounding = 1e-12 * float(np.nan_to_num(np.abs(r.value)).max(initial=0))
    for one, other in ((first.estimate, second.estimate), (first.standard_error, second.standard_error)):
        assert (one is None) == (other is None)
        assert one is None or other == pytest.approx(one, rel=1e-6, abs=rounding)


def test_source_with_one_shared_rater_has_no_interval() -> None:
    item, rater, treated = np.array([2, 2, 1, 2]), np.array([0, 0, 0, 1]), np.array([True, False, True, False])
    result = describe.mean_difference(np.array([4.0, 5.0, 4.0, 1.0]), treated, item=item, rater=rater)
    assert result.estimate == 1
    assert (result.interval, result.interval_reason) == (None, "one_cluster")
    assert result.note == "One of the two was rated on only one item or by only one rater."
