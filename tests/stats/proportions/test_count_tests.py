import numpy as np
import pytest

from app.stats.proportions.share_difference import chi_square


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
