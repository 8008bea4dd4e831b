"""Agreement of rankings within items, against Friedman's test, Spearman's correlation and a worked example."""

from itertools import combinations
from typing import TypedDict

import numpy as np
import pytest
from scipy import stats

from app.stats.agreement.rankings import concordance_within_items, midranks, rank_correlation_within_items
from app.stats.arrays import Floats, Ints


class Long(TypedDict):
    rank: Floats
    item: Ints
    response: Ints
    rater: Ints


def long(*tables: Floats | Ints) -> Long:
    """Return long-format arrays from ranks of shape (n_raters, n_responses) per item; response codes are unique."""
    places = [np.indices(table.shape).reshape(2, -1) for table in tables]
    return {
        "rank": np.concatenate([np.asarray(table, dtype=np.float64).ravel() for table in tables]),
        "item": np.repeat(np.arange(len(tables)), [table.size for table in tables]),
        "response": np.concatenate([at[1] + 100 * item for item, at in enumerate(places)]),
        "rater": np.concatenate([at[0] for at in places]),
    }


# Siegel and Castellan (1988), table 9.13: three executives rank six applicants; W = .16
APPLICANTS = np.array([[1, 6, 3, 2, 5, 4], [1, 5, 6, 4, 2, 3], [6, 3, 2, 5, 4, 1]])


def test_published_ranking_w_is_reproduced() -> None:
    result = concordance_within_items(**long(APPLICANTS))
    assert result.estimate == pytest.approx(0.16, abs=0.005)
    assert result.p_value == pytest.approx(stats.friedmanchisquare(*APPLICANTS.T).pvalue)
    assert (result.interval, result.interval_reason) == (None, "one_cluster")


def test_w_is_averaged_over_items_with_interval_for_new_items() -> None:
    rng = np.random.default_rng(3)
    tables = [np.array([rng.permutation(4) + 1 for _ in range(5)]) for _ in range(8)]
    w = [float(stats.friedmanchisquare(*table.T).statistic) / (5 * 3) for table in tables]
    result = concordance_within_items(**long(*tables))
    assert result.estimate == pytest.approx(np.mean(w))
    expected = stats.ttest_1samp(w, 0).confidence_interval(0.95)
    assert result.interval
    assert (result.interval.low, result.interval.high) == pytest.approx((expected.low, expected.high))
    assert (result.df, result.n_items, result.n_ratings) == (24, 8, 160)


def test_rank_correlation_is_mean_over_rater_pairs() -> None:
    rng = np.random.default_rng(5)
    tables = [np.array([rng.permutation(5) + 1 for _ in range(4)]) for _ in range(3)]
    pairs = [float(stats.spearmanr(a, b).statistic) for table in tables for a, b in combinations(table, 2)]
    assert rank_correlation_within_items(**long(*tables)).estimate == pytest.approx(np.mean(pairs))


def test_single_ranking_and_all_tied_rankings_are_undefined() -> None:
    one = long(np.array([[1, 2, 3]]))
    assert concordance_within_items(**one).reason == "no_pairable_units"
    assert rank_correlation_within_items(**one).reason == "no_pairable_units"
    assert concordance_within_items(**long(np.ones((2, 3)))).reason == "no_pairable_units"
    nothing = np.zeros(0, dtype=np.int64)
    none = concordance_within_items(nothing.astype(np.float64), item=nothing, response=nothing, rater=nothing)
    assert none.reason == "no_pairable_units"


def test_items_with_equal_agreement_have_no_interval() -> None:
    same = np.array([[1, 2, 3], [1, 2, 3]])
    result = concordance_within_items(**long(same, same))
    assert (result.estimate, result.interval_reason) == (1.0, "no_variation")


def test_interval_stays_within_possible_range() -> None:
    same, other = np.array([[1, 2, 3], [1, 2, 3]]), np.array([[1, 2, 3], [1, 3, 2]])
    interval = concordance_within_items(**long(same, same, other)).interval
    assert interval
    assert interval.high == 1.0


def test_tied_responses_share_mean_rank() -> None:
    ranking = np.array([0, 0, 0, 1, 1, 1])
    assert midranks(np.array([1.0, 1, 2, 2, 1, 3]), ranking).tolist() == [1.5, 1.5, 3, 2, 1, 3]
