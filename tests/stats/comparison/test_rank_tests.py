from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from app.stats.comparison.rank_tests import mann_whitney, rank_biserial, wilcoxon, wilcoxon_of_item_means
from tests.kit.oracles import Oracle
from tests.stats.conftest import RandomRatings

POINTS = st.lists(st.integers(-3, 3), min_size=1, max_size=7)


def test_hollander_and_wolfe_depression_data_are_reproduced(oracle: Oracle) -> None:
    """Hollander and Wolfe (1973) 29f; V = 40, two-sided p twice the published 0.01953."""
    known = oracle("wilcoxon_signed_rank_exact")
    result = wilcoxon(np.array(known["input"]["x"]) - np.array(known["input"]["y"]))
    assert (result.estimate, result.p_value) == (40, known["expected"]["p_two_sided"])


@given(POINTS)
def test_exact_wilcoxon_p_value_handles_ties_and_zeros(difference: list[int]) -> None:
    moved = np.array([d for d in difference if d], float)
    result = wilcoxon(np.array(difference, float))
    if not len(moved):
        assert result.reason == "no_variation"
        return
    ranks = stats.rankdata(np.abs(moved))
    sums = np.array([ranks[np.array(signs)].sum() for signs in product([True, False], repeat=len(moved))])
    tails = (sums <= result.estimate).mean(), (sums >= result.estimate).mean()
    assert result.p_value == pytest.approx(min(1, 2 * min(tails)))


def test_item_means_are_paired_over_common_items() -> None:
    """Differences +2, -1 and +3 by hand: ranks 2, 1 and 3, V = 5; the fourth item has only one source."""
    value = np.array([4.0, 2, 1, 2, 5, 3, 1, 3])
    treated, item = np.array([1, 0, 1, 0, 1, 1, 0, 1], bool), np.array([0, 0, 1, 1, 2, 2, 2, 3])
    result = wilcoxon_of_item_means(value, treated, item=item, rater=item)
    assert (result.estimate, result.n_units, result.n_items, result.n_ratings) == (5, 3, 4, 8)


def test_equal_fractional_differences_share_a_rank() -> None:
    """Thirds are not exact in binary: 2/3 of a point up and 2/3 down are tied, even at different item levels."""
    mine = [(5, 5, 4), (2, 1, 1), (4, 4, 5), (3, 3, 2)]
    theirs = [(4, 4, 4), (2, 2, 2), (4, 3, 4), (2, 2, 2)]
    both = np.array([mine, theirs], float)
    thirds = np.rint(3 * (both[0].mean(axis=1) - both[1].mean(axis=1)))
    assert thirds.tolist() == [2, -2, 2, 2]
    source, item, rater = np.indices(both.shape)
    result = wilcoxon_of_item_means(both.ravel(), (source == 0).ravel(), item=item.ravel(), rater=rater.ravel())
    assert (result.estimate, result.p_value) == (7.5, wilcoxon(thirds).p_value)


@given(st.lists(st.tuples(*[st.integers(1, 5)] * 7), min_size=1, max_size=9))
def test_item_mean_ranks_match_exact_fractions(rows: list[tuple[int, ...]]) -> None:
    """Three ratings of the source and four of the reference: twelve times the difference is an integer."""
    table = np.array(rows)
    twelfths = 4 * table[:, :3].sum(axis=1) - 3 * table[:, 3:].sum(axis=1)
    item, column = np.indices(table.shape)
    found = wilcoxon_of_item_means(table.ravel() * 1.0, (column < 3).ravel(), item=item.ravel(), rater=column.ravel())
    exact = wilcoxon(twelfths.astype(float))
    assert (found.estimate, found.p_value, found.reason) == (exact.estimate, exact.p_value, exact.reason)


def test_large_wilcoxon_uses_normal_approximation_with_ties() -> None:
    difference = np.random.default_rng(2).integers(-3, 5, 400).astype(float)
    known = stats.wilcoxon(difference, correction=False, method="approx", alternative="two-sided")
    assert wilcoxon(difference).p_value == pytest.approx(known.pvalue)


def test_exact_and_approximate_p_values_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    difference = np.random.default_rng(2).integers(-3, 4, 250).astype(float)
    exact = wilcoxon(difference).p_value
    monkeypatch.setattr("app.stats.comparison.rank_tests.MAX_EXACT_PAIRS", 10)
    assert wilcoxon(difference).p_value == pytest.approx(exact, rel=0.02)


@given(mine=POINTS, theirs=POINTS)
def test_exact_mann_whitney_p_value_handles_ties(mine: list[int], theirs: list[int]) -> None:
    result = mann_whitney(np.array(mine, float), np.array(theirs, float))
    if len({*mine, *theirs}) == 1:
        assert result.reason == "no_variation"
        return
    ranks = stats.rankdata(mine + theirs)
    observed = ranks[: len(mine)].sum()
    sums = np.array([ranks[list(split)].sum() for split in combinations(range(len(ranks)), len(mine))])
    tails = (sums <= observed).mean(), (sums >= observed).mean()
    assert result.p_value == pytest.approx(min(1, 2 * min(tails)))
    above = np.sign(np.subtract.outer(mine, theirs)).mean()
    assert rank_biserial(np.array(mine, float), np.array(theirs, float)).estimate == pytest.approx(above)


def test_large_mann_whitney_matches_scipy() -> None:
    rng = np.random.default_rng(9)
    mine, theirs = rng.integers(1, 6, 60).astype(float), rng.integers(2, 6, 50).astype(float)
    known = stats.mannwhitneyu(mine, theirs)
    result = mann_whitney(mine, theirs)
    assert (result.estimate, result.p_value) == pytest.approx((known.statistic, known.pvalue))


def test_empty_group_has_no_rank_test() -> None:
    assert mann_whitney(np.array([]), np.array([1.0])).reason == "no_pairable_units"
    assert rank_biserial(np.array([np.nan]), np.array([1.0])).reason == "no_pairable_units"


@given(data=st.data())
def test_wilcoxon_is_symmetric_for_any_ratings(random_ratings: RandomRatings, data: st.DataObject) -> None:
    r = data.draw(random_ratings)
    there = wilcoxon_of_item_means(r.value, r.is_treated, **r.clusters)
    back = wilcoxon_of_item_means(r.value, ~r.is_treated, **r.clusters)
    assert (there.reason, there.n_ratings) == (back.reason, int(np.isfinite(r.value).sum()))
    if there.p_value is not None:
        assert back.p_value == pytest.approx(there.p_value)
