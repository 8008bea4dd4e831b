"""Own implementations, which avoid the half second of importing scipy.stats, give the same results as scipy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from app.stats.agreement.cohen import kappa_of_table
from app.stats.arrays import midranks
from app.stats.comparison.rank_tests import asymptotic_p
from app.stats.proportions.binomial_intervals import clopper_pearson, wilson, wilson_cc
from app.stats.proportions.share_difference import chi_square

METHODS = {"wilson": wilson, "wilsoncc": wilson_cc, "exact": clopper_pearson}
VALUES = st.lists(st.integers(0, 5), min_size=2, max_size=40)


@given(st.integers(1, 300), st.floats(0, 1), st.sampled_from(sorted(METHODS)))
@settings(max_examples=200, deadline=None)
def test_share_intervals_and_sign_test_match_scipy(n: int, share: float, method: str) -> None:
    k = round(n * share)
    known = stats.binomtest(k, n)
    ends = known.proportion_ci(0.95, method)  # type: ignore[arg-type]  # a name that scipy accepts
    found = METHODS[method](k, n)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((max(0, ends.low), min(1, ends.high)), abs=1e-10)
    assert found.p_value == pytest.approx(known.pvalue, abs=1e-10)


@given(mine=VALUES, theirs=VALUES, is_corrected=st.booleans())
@settings(max_examples=200, deadline=None)
def test_mann_whitney_approximation_matches_scipy(mine: list[int], theirs: list[int], *, is_corrected: bool) -> None:
    if len({*mine, *theirs}) == 1:
        return
    known = stats.mannwhitneyu(mine, theirs, method="asymptotic", use_continuity=is_corrected).pvalue
    found = asymptotic_p(np.array(mine), np.array(theirs), is_corrected=is_corrected)
    assert found == pytest.approx(known, abs=1e-12)


@given(VALUES)
@settings(max_examples=100, deadline=None)
def test_midranks_match_scipy(values: list[int]) -> None:
    np.testing.assert_array_equal(midranks(np.array(values)), stats.rankdata(values))


def test_chi_square_matches_scipy() -> None:
    table = np.array([[10, 20, 30], [16, 5, 9], [0, 0, 0]])
    known = stats.chi2_contingency(table[:2], correction=False)
    found = chi_square(table)
    assert (found.estimate, found.df, found.p_value) == pytest.approx((known.statistic, known.dof, known.pvalue))


@pytest.mark.parametrize("weights", ["none", "linear", "quadratic"])
def test_kappa_and_standard_error_match_statsmodels(weights: str) -> None:
    inter_rater = pytest.importorskip("statsmodels.stats.inter_rater")
    rng = np.random.default_rng(1)
    for _ in range(50):
        table = rng.integers(0, 12, (4, 4)) + np.eye(4)
        steps = None if weights == "none" else np.arange(4)
        known = inter_rater.cohens_kappa(table, weights=steps, wt={"linear": "ca", "quadratic": "fc"}.get(weights))
        kappa, spread = kappa_of_table(table, np.arange(4.0), weights, 0.95)  # type: ignore[arg-type]  # a Literal
        assert (kappa, spread["standard_error"]) == pytest.approx((known.kappa, known.std_kappa), abs=1e-12)
