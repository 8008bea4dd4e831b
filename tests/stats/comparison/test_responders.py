import numpy as np
import pytest
from scipy import stats

from app.stats.comparison.rank_tests import compare_responders


def test_napiwotzki_2025_responder_comparison_is_reproduced() -> None:
    """Napiwotzki et al. (2025): U = 2.0, r = .917, p = .005 (asymptotic)."""
    trainees = np.array([1.0, 2, 3, 4, 5, 6, 7.5, 8.5])
    models = np.array([7.0, 8.0, 9, 10, 11, 12])
    value = np.concatenate([models, trainees])
    found = compare_responders(value, np.arange(14) < 6, np.arange(14))
    n_above = (models[:, np.newaxis] > trainees).sum()
    assert n_above == 45
    models[1] = 8.6
    found = compare_responders(np.concatenate([models, trainees]), np.arange(14) < 6, np.arange(14))
    assert found.exact.estimate == 2
    assert found.rank_biserial.estimate == pytest.approx(0.917, abs=5e-4)
    assert found.asymptotic.p_value == pytest.approx(0.005, abs=5e-4)
    assert str(found.asymptotic.method) == "mann_whitney: normal approximation"
    assert found.exact.note == "U of the reference, the smaller of the two."
    known = stats.mannwhitneyu(models, trainees, method="exact")
    assert found.exact.p_value == pytest.approx(known.pvalue)


def test_equal_means_of_responders_are_ties_whatever_their_rounding_errors() -> None:
    """(.1 + .2 + .6) / 3 is .3 in exact arithmetic, and not in floating point."""
    value = np.array([0.1, 0.2, 0.6, 0.2, 0.3, 0.3, 0.9])
    responder = np.array([0, 0, 0, 1, 2, 3, 4])
    found = compare_responders(value, responder < 2, responder)
    tied = stats.mannwhitneyu([0.3, 0.2], [0.3, 0.3, 0.9], use_continuity=False, method="asymptotic")
    assert found.exact.estimate == 1
    assert found.asymptotic.p_value == pytest.approx(tied.pvalue)


def test_responder_is_unit_of_analysis() -> None:
    value = np.array([1.0, 3, 4, 4, 5, np.nan])
    responder = np.array(["a", "a", "b", "c", "c", "c"])
    found = compare_responders(value, responder == "a", responder)
    assert (found.exact.estimate, found.exact.n_units, found.exact.n_ratings) == (0, 3, 5)
    assert found.exact.note == "U of the source, the smaller of the two."


def test_single_group_has_no_test() -> None:
    found = compare_responders(np.arange(3.0), np.zeros(3, bool), np.arange(3))
    assert {found.exact.reason, found.asymptotic.reason, found.rank_biserial.reason} == {"no_pairable_units"}


def test_equal_means_have_no_test() -> None:
    found = compare_responders(np.ones(4), np.arange(4) < 2, np.arange(4))
    assert {found.exact.reason, found.asymptotic.reason, found.rank_biserial.reason} == {"no_variation"}
