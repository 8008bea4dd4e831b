from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.multivariate.factor import Factor

from app.stats.scales import alpha_if_dropped, composite, cronbach_alpha, item_rest_correlations, omega, turn

if TYPE_CHECKING:
    from app.stats.arrays import Floats
    from tests.stats.conftest import Oracle


def test_the_attitude_survey_is_that_of_psych(oracle: Oracle) -> None:
    """datasets::attitude by psych::alpha 2.2.9."""
    known = oracle("cronbach_attitude")
    scores, expected = np.array(known["input"]["rows"], float), known["expected"]
    alpha = cronbach_alpha(scores)
    assert alpha.estimate == pytest.approx(expected["alpha"], abs=1e-6)
    assert alpha.standard_error == pytest.approx(expected["ase"], abs=1e-6)
    assert alpha.interval is not None
    assert (alpha.interval.low, alpha.interval.high) == pytest.approx(tuple(expected["feldt_ci"]), abs=1e-6)
    dropped = [result.estimate for result in alpha_if_dropped(scores)]
    assert dropped == pytest.approx(expected["alpha_if_dropped"], abs=1e-6)
    rest = [result.estimate for result in item_rest_correlations(scores)]
    assert rest == pytest.approx(expected["item_rest_r"], abs=1e-6)


def test_a_reversed_question_and_missing_answers_are_handled_as_psych_does(oracle: Oracle) -> None:
    """psych::bfi rows 1 to 400; complete cases, and pairwise covariances."""
    known = oracle("cronbach_bfi_reversed_missing")
    raw = np.array([[np.nan if cell is None else cell for cell in row] for row in known["input"]["rows"]], float)
    is_reversed = [name in known["input"]["reverse"] for name in known["input"]["columns"]]
    low, high = known["input"]["scale"]
    scores = turn(raw, is_reversed, low=low, high=high)
    complete, pairwise = cronbach_alpha(scores), cronbach_alpha(scores, is_pairwise=True)
    assert complete.estimate == pytest.approx(known["expected"]["alpha_complete_cases"], abs=1e-6)
    assert complete.n_units == known["expected"]["n_complete"]
    assert pairwise.estimate == pytest.approx(known["expected"]["alpha_pairwise"], abs=1e-6)
    assert pairwise.interval is None


def test_a_composite_turns_reversed_questions_and_wants_enough_answers() -> None:
    scores = np.array([[1, 5, 2], [np.nan, 4, np.nan], [np.nan] * 3])
    assert composite(scores, [False, True, False], low=1, high=5) == pytest.approx([4 / 3, 2, np.nan], nan_ok=True)
    found = composite(scores, [False, True, False], low=1, high=5, fewest_answered=2)
    assert found == pytest.approx([4 / 3, np.nan, np.nan], nan_ok=True)


def test_omega_recovers_the_factor_that_made_the_answers() -> None:
    rng = np.random.default_rng(3)
    loadings, n = np.array([0.9, 0.7, 0.5, 0.6]), 20_000
    scores = rng.normal(size=(n, 1)) * loadings + rng.normal(size=(n, 4)) * np.sqrt(1 - loadings**2)
    expected = loadings.sum() ** 2 / (loadings.sum() ** 2 + (1 - loadings**2).sum())
    assert omega(scores * [1, 2, 1, 3]).estimate is not None
    assert omega(scores).estimate == pytest.approx(expected, abs=0.01)


def test_omega_is_near_that_of_the_maximum_likelihood_factor_of_statsmodels(oracle: Oracle) -> None:
    scores = np.array(oracle("cronbach_attitude")["input"]["rows"], float)
    fit = Factor(scores, n_factor=1, method="ml").fit()
    sds = scores.std(axis=0, ddof=1)
    common = (fit.loadings[:, 0] * sds).sum() ** 2
    expected = common / (common + (fit.uniqueness * sds**2).sum())
    assert omega(scores).estimate == pytest.approx(expected, abs=0.01)


def _constant(*columns: float) -> Floats:
    return np.tile(np.array(columns), (5, 1))


@pytest.mark.parametrize(
    ("scores", "of_alpha", "of_omega"),
    [
        (np.zeros((0, 3)), "no_pairable_units", "no_pairable_units"),
        (np.ones((5, 1)), "no_pairable_units", "no_pairable_units"),
        (np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0]]), None, "no_pairable_units"),
        (_constant(1, 2, 3), "no_variation", "no_variation"),
        (np.array([[1.0, 2, 3], [2, 1, 3], [1, 1, 3]]), None, "no_variation"),
        (np.array([[1.0, -1.0, 0], [2, -2, 0], [3, -3, 0]]), "no_variation", "no_variation"),
    ],
)
def test_questions_that_cannot_be_compared_have_a_reason(scores: Floats, of_alpha: str | None, of_omega: str) -> None:
    assert cronbach_alpha(scores).reason == of_alpha
    assert omega(scores).reason == of_omega


def test_questions_that_all_say_the_same_have_no_interval() -> None:
    scores = np.tile(np.arange(5.0)[:, np.newaxis], (1, 3))
    result = cronbach_alpha(scores)
    assert (result.estimate, result.interval_reason) == (1, "no_variation")


def test_a_question_that_does_not_vary_correlates_with_nothing() -> None:
    rest = item_rest_correlations(np.array([[1.0, 3, 5], [2, 3, 4], [4, 3, 1]]))
    assert [result.reason for result in rest] == [None, "no_variation", None]


@given(
    st.lists(st.lists(st.sampled_from([1.0, 2, 3, 5, np.nan]), min_size=4, max_size=4), max_size=12),
    st.integers(1, 4),
)
def test_any_answers_give_a_number_or_a_reason(rows: list[list[float]], k: int) -> None:
    scores = np.array(rows, float).reshape(-1, 4)[:, :k]
    for result in (cronbach_alpha(scores), cronbach_alpha(scores, is_pairwise=True), omega(scores)):
        assert (result.estimate is None) != (result.reason is None)
    assert len(alpha_if_dropped(scores)) == len(item_rest_correlations(scores)) == k
