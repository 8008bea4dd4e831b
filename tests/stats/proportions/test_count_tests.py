from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats import contingency_tables

from app.stats.proportions.count_tests import chi_square, mcnemar

if TYPE_CHECKING:
    from tests.stats.conftest import Oracle


def test_agresti_approval_ratings_are_reproduced(oracle: Oracle) -> None:
    """Agresti (1990) p. 350; published chi-square 17.36."""
    known = oracle("mcnemar_approval")
    (_, b), (c, _) = known["input"]["table"]
    expected = known["expected"]
    corrected, plain, exact = (
        mcnemar(b, c, is_exact=False),
        mcnemar(b, c, is_exact=False, is_corrected=False),
        mcnemar(b, c),
    )
    assert (corrected.estimate, corrected.p_value) == pytest.approx(
        (expected["chisq_corrected"], expected["p_corrected"])
    )
    assert (plain.estimate, plain.p_value) == pytest.approx((expected["chisq"], expected["p"]))
    assert exact.p_value == pytest.approx(expected["p_exact"])


@given(
    counts=st.tuples(st.integers(0, 2000), st.integers(0, 2000)).filter(any),
    is_exact=st.booleans(),
    is_corrected=st.booleans(),
)
def test_mcnemar_matches_statsmodels(counts: tuple[int, int], *, is_exact: bool, is_corrected: bool) -> None:
    known = contingency_tables.mcnemar([[0, counts[0]], [counts[1], 0]], exact=is_exact, correction=is_corrected)
    found = mcnemar(*counts, is_exact=is_exact, is_corrected=is_corrected)
    assert (found.estimate, found.p_value) == pytest.approx((known.statistic, known.pvalue), rel=1e-10, abs=1e-300)


def test_concordant_pairs_have_no_test() -> None:
    assert mcnemar(0, 0).reason == "no_variation"


def test_chi_square_matches_computation_by_hand() -> None:
    """By hand: expected 20 everywhere, four deviations of 10; the unused point changes nothing."""
    result = chi_square(np.array([[30, 0, 10], [10, 0, 30]]))
    assert (result.estimate, result.df, result.n_ratings, result.note) == (20, 1, 80, "")


def test_small_expected_counts_are_noted() -> None:
    assert "below five" in chi_square(np.array([[3, 1], [1, 3]])).note


@pytest.mark.parametrize(
    ("counts", "reason"),
    [([[0, 0], [0, 0]], "no_pairable_units"), ([[3, 2], [0, 0]], "no_variation"), ([[3, 0], [2, 0]], "no_variation")],
)
def test_single_source_or_scale_point_has_no_chi_square(counts: list[list[int]], reason: str) -> None:
    assert chi_square(np.array(counts)).reason == reason
