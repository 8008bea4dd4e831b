import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import SquareTable, cochrans_q, mcnemar

from app.stats.proportions.share_difference import category_difference, cochran_q, share_difference, stuart_maxwell


def test_category_difference_equals_share_difference() -> None:
    item, rater, source = (axis.ravel() for axis in np.indices((6, 5, 2)))
    has = (np.random.default_rng(1).random(60) < 0.3 + 0.3 * source) * 1.0
    found = category_difference(has, source == 1, item=item, rater=rater)
    assert found == share_difference(has, source == 1, item=item, rater=rater)


def test_two_categories_match_mcnemar_without_correction() -> None:
    """Approval of a prime minister (Agresti 1990, page 350): chi-square 17.356, p 3.099e-5."""
    mine = np.repeat(["yes", "yes", "no", "no"], [794, 150, 86, 570])
    theirs = np.repeat(["yes", "no", "yes", "no"], [794, 150, 86, 570])
    found = stuart_maxwell(mine, theirs)
    assert (found.estimate, found.df, found.p_value) == pytest.approx((17.3559322033898, 1, 3.09929344104522e-05))


@given(counts=st.tuples(st.integers(0, 200), st.integers(0, 200)).filter(any))
def test_two_categories_are_the_mcnemar_test_of_statsmodels(counts: tuple[int, int]) -> None:
    mine, theirs = np.repeat([1, 0], counts), np.repeat([0, 1], counts)
    known = mcnemar([[0, counts[0]], [counts[1], 0]], exact=False, correction=False)
    found = stuart_maxwell(mine, theirs)
    assert (found.estimate, found.p_value) == pytest.approx((known.statistic, known.pvalue), rel=1e-9, abs=1e-300)


def test_several_categories_match_statsmodels() -> None:
    """Unaided vision of 7,477 women, right and left eye (Stuart 1953)."""
    table = np.array([[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]])
    rows, columns = np.indices((4, 4))
    found = stuart_maxwell(np.repeat(rows.ravel(), table.ravel()), np.repeat(columns.ravel(), table.ravel()))
    known = SquareTable(table, shift_zeros=False).homogeneity(method="stuart_maxwell")
    assert (found.estimate, found.df, found.p_value) == pytest.approx((known.statistic, known.df, known.pvalue))


def test_disjoint_category_groups_reduce_degrees_of_freedom() -> None:
    mine, theirs = np.array([0, 0, 0, 2, 2, 2, 4]), np.array([1, 1, 0, 3, 3, 2, 4])
    found = stuart_maxwell(mine, theirs)
    assert (found.df, found.estimate) == pytest.approx((2, 4))


@pytest.mark.parametrize(("mine", "reason"), [([], "no_pairable_units"), (["a", "b"], "no_variation")])
def test_unchanged_answers_report_a_reason(mine: list[str], reason: str) -> None:
    assert stuart_maxwell(np.array(mine), np.array(mine)).reason == reason


def test_cochran_q_matches_statsmodels() -> None:
    x = (np.random.default_rng(2).random((40, 4)) < [0.3, 0.4, 0.5, 0.7]).astype(float)
    unit, source = (axis.ravel() for axis in np.indices((40, 4)))
    found = cochran_q(x.ravel(), unit, source)
    known = cochrans_q(x)
    assert (found.estimate, found.df, found.p_value) == pytest.approx((known.statistic, known.df, known.pvalue))
    assert found.n_units == 40


def test_units_missing_a_source_are_excluded() -> None:
    has, unit, source = np.array([1.0, 0, 1, 1, 0]), np.array([0, 0, 1, 1, 2]), np.array([0, 1, 0, 1, 0])
    assert cochran_q(has, unit, source).n_units == 2


@pytest.mark.parametrize(
    ("has", "unit", "source", "reason"),
    [
        ([], [], [], "no_pairable_units"),
        ([1, 0], [0, 1], [0, 0], "no_pairable_units"),
        ([1, 1, 0, 0], [0, 0, 1, 1], [0, 1, 0, 1], "no_variation"),
    ],
)
def test_untestable_cochran_q_reports_a_reason(
    has: list[float], unit: list[int], source: list[int], reason: str
) -> None:
    assert cochran_q(np.array(has, float), np.array(unit), np.array(source)).reason == reason
