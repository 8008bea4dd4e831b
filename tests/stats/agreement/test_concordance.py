"""Kendall's W against Zar's birds, Friedman's test and Spearman's correlation."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from app.stats.agreement import kendall_w
from app.stats.ratings import Ratings

# Zar (2010), Biostatistical Analysis, example 20.5: wing, tail and bill length of twelve birds, with ties
BIRDS = np.array(
    [
        [10.4, 10.8, 11.1, 10.2, 10.3, 10.2, 10.7, 10.5, 10.8, 11.2, 10.6, 11.4],
        [7.4, 7.6, 7.9, 7.2, 7.4, 7.1, 7.4, 7.2, 7.8, 7.7, 7.8, 8.3],
        [17, 17, 20, 14.5, 15.5, 13, 19.5, 16, 21, 20, 18, 22],
    ]
)


def panel(table: np.ndarray) -> Ratings:
    """Return Ratings from values of shape (n_raters, n_units)."""
    rater, unit = (index.ravel() for index in np.indices(table.shape))
    return Ratings(unit, rater, table.ravel().astype(np.float64))


def test_zar_birds_give_published_w_and_friedman_p_value() -> None:
    result = kendall_w(panel(BIRDS))
    friedman = stats.friedmanchisquare(*BIRDS.T)
    assert result.estimate == pytest.approx(0.924, abs=0.0005)
    assert result.estimate == pytest.approx(friedman.statistic / 33)
    assert result.p_value == pytest.approx(friedman.pvalue)
    assert result.df == 11


def test_untied_w_follows_mean_spearman_correlation() -> None:
    table = np.random.default_rng(8).normal(size=(4, 9))
    mean = np.mean([stats.spearmanr(a, b).statistic for a, b in combinations(table, 2)])
    assert kendall_w(panel(table)).estimate == pytest.approx((1 + 3 * mean) / 4)


def test_only_units_rated_by_every_rater_count() -> None:
    whole = panel(BIRDS)
    gap = whole.select(~((whole.unit == 11) & (whole.rater == 2)))
    result = kendall_w(gap)
    assert result.estimate == pytest.approx(kendall_w(panel(BIRDS[:, :11])).estimate)
    assert (result.n_units, result.n_pairable_units) == (12, 11)


def test_all_tied_rankings_have_no_variation() -> None:
    assert kendall_w(panel(np.array([[1, 1, 1], [2, 2, 2]]))).reason == "no_variation"


@given(ratings=st.from_type(Ratings))
def test_w_reports_estimate_or_reason_for_any_ratings(ratings: Ratings) -> None:
    result = kendall_w(ratings)
    if result.estimate is None:
        assert result.reason in {"no_pairable_units", "no_variation"}
        assert result.note
    else:
        assert -1e-12 <= result.estimate <= 1 + 1e-12
