import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.multivariate.factor import Factor

from app.stats.arrays import Floats, Ints
from app.stats.scales import (
    _gradient,
    _loadings,
    alpha_if_dropped,
    cronbach_alpha,
    item_rest_correlations,
    omega,
)
from tests.kit.oracles import Oracle


def test_attitude_survey_matches_psych(oracle: Oracle) -> None:
    """datasets::attitude with psych::alpha 2.2.9."""
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


def test_reversed_and_missing_answers_match_psych(oracle: Oracle) -> None:
    """psych::bfi rows 1 to 400; complete cases, and pairwise covariances."""
    known = oracle("cronbach_bfi_reversed_missing")
    raw = np.array([[np.nan if cell is None else cell for cell in row] for row in known["input"]["rows"]], float)
    is_reversed = [name in known["input"]["reverse"] for name in known["input"]["columns"]]
    low, high = known["input"]["scale"]
    scores = np.where(is_reversed, low + high - raw, raw)
    complete, pairwise = cronbach_alpha(scores), cronbach_alpha(scores, is_pairwise=True)
    assert complete.estimate == pytest.approx(known["expected"]["alpha_complete_cases"], abs=1e-6)
    assert complete.n_units == known["expected"]["n_complete"]
    assert pairwise.estimate == pytest.approx(known["expected"]["alpha_pairwise"], abs=1e-6)
    assert pairwise.interval is None


def test_omega_recovers_simulated_factor() -> None:
    rng = np.random.default_rng(3)
    loadings, n = np.array([0.9, 0.7, 0.5, 0.6]), 20_000
    scores = rng.normal(size=(n, 1)) * loadings + rng.normal(size=(n, 4)) * np.sqrt(1 - loadings**2)
    expected = loadings.sum() ** 2 / (loadings.sum() ** 2 + (1 - loadings**2).sum())
    assert omega(scores * [1, 2, 1, 3]).estimate is not None
    assert omega(scores).estimate == pytest.approx(expected, abs=0.01)


def test_omega_is_near_maximum_likelihood_factor_of_statsmodels(oracle: Oracle) -> None:
    scores = np.array(oracle("cronbach_attitude")["input"]["rows"], float)
    fit = Factor(scores, n_factor=1, method="ml").fit()
    sds = scores.std(axis=0, ddof=1)
    common = (fit.loadings[:, 0] * sds).sum() ** 2
    expected = common / (common + (fit.uniqueness * sds**2).sum())
    assert omega(scores).estimate == pytest.approx(expected, abs=0.01)


def test_omega_gradient_matches_finite_differences() -> None:
    rng = np.random.default_rng(2)
    scores = np.outer(rng.normal(size=200), [1, 0.8, 0.6, 0.9]) + rng.normal(size=(200, 4)) * [1, 0.5, 1, 0.8]
    sds, correlation = scores.std(axis=0, ddof=1), np.corrcoef(scores, rowvar=False)
    whole = _loadings(np.asarray(correlation))
    assert whole is not None
    found = _gradient(np.asarray(correlation), whole, sds)
    assert found is not None

    def at(covariance: Floats) -> float:
        deviations = np.sqrt(np.diag(covariance))
        loadings = _loadings(covariance / np.outer(deviations, deviations))
        assert loadings is not None
        common = (loadings * deviations).sum() ** 2
        return float(common / (common + ((1 - loadings**2) * deviations**2).sum()))

    covariance, step = np.cov(scores, rowvar=False), 1e-4
    for i, j in ((0, 0), (0, 1), (2, 3), (3, 3)):
        side = np.zeros((4, 4))
        side[i, j] = side[j, i] = step * sds[i] * sds[j]
        moved = (at(covariance + side) - at(covariance - side)) / (2 * step)
        assert moved == pytest.approx(found[i, j] * (1 if i == j else 2), abs=1e-4)


def test_loading_above_one_leaves_omega_without_interval() -> None:
    """Correlations .9, .9 and .65 imply a loading above 1."""
    wanted = np.linalg.cholesky([[1, 0.9, 0.9], [0.9, 1, 0.65], [0.9, 0.65, 1]])
    own, _ = np.linalg.qr(np.column_stack([np.ones(60), np.random.default_rng(4).normal(size=(60, 3))]))
    result = omega(own[:, 1:] @ wanted.T)
    assert (result.interval, result.interval_reason) == (None, "singular")
    assert result.estimate is not None


@pytest.mark.slow
@pytest.mark.parametrize("n_raters", [6, 20])
def test_omega_interval_covers_new_items_and_raters(n_raters: int) -> None:
    """Simulate four questions on one factor of items and raters, each with its own noise."""
    truth_rng, rng = np.random.default_rng(1), np.random.default_rng(n_raters)

    def study(rng: np.random.Generator, n_items: int, n_raters: int) -> tuple[Floats, Ints, Ints]:
        item, rater = (index.ravel() for index in np.indices((n_items, n_raters)))
        factor = rng.normal(0, 0.8, n_items)[item] + rng.normal(0, 0.5, n_raters)[rater] + rng.normal(0, 0.4, len(item))
        own = rng.normal(0, 0.5, (n_raters, 4))[rater] + rng.normal(0, 0.6, (len(item), 4))
        return np.outer(factor, [1, 0.8, 0.9, 0.7]) + own, item, rater

    truth = omega(study(truth_rng, 1000, 1000)[0]).estimate
    assert truth is not None
    both: list[bool] = []
    alone: list[bool] = []
    for _ in range(600):
        scores, item, rater = study(rng, 60, n_raters)
        for hits, result in ((both, omega(scores, item=item, rater=rater)), (alone, omega(scores))):
            hits.append(result.interval is not None and result.interval.low <= truth <= result.interval.high)
    assert 0.92 <= np.mean(both) <= 0.985
    assert np.mean(alone) < 0.92


def _constant(*columns: float) -> Floats:
    return np.tile(np.array(columns), (5, 1))


@pytest.mark.parametrize(
    ("scores", "of_alpha", "of_omega"),
    [
        (np.zeros((0, 3)), "no_pairable_units", "no_pairable_units"),
        (np.ones((5, 1)), "no_pairable_units", "no_pairable_units"),
        (np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0]]), None, "no_pairable_units"),
        (_constant(1, 2, 3), "no_variation", "no_variation"),
        # the variance of six numbers 0.1 is not exactly 0
        (np.full((6, 3), 0.1), "no_variation", "no_variation"),
        (
            np.array([[0.1, 1, 3], [0.1, 2, 2], [0.1, 1, 2], [0.1, 2, 1], [0.1, 1, 1], [0.1, 3, 3]]),
            None,
            "no_variation",
        ),
        (np.array([[0.1, -0.1], [0.7, -0.7], [0.3, -0.3]]), "no_variation", "no_pairable_units"),
        (np.array([[1.0, 2, 3], [2, 1, 3], [1, 1, 3]]), None, "no_variation"),
        (np.array([[1.0, -1.0, 0], [2, -2, 0], [3, -3, 0]]), "no_variation", "no_variation"),
    ],
)
def test_incomparable_questions_report_a_reason(scores: Floats, of_alpha: str | None, of_omega: str) -> None:
    assert cronbach_alpha(scores).reason == of_alpha
    assert omega(scores).reason == of_omega


def test_identical_questions_have_no_interval() -> None:
    scores = np.tile(np.arange(5.0)[:, np.newaxis], (1, 3))
    result = cronbach_alpha(scores)
    assert (result.estimate, result.interval_reason) == (1, "no_variation")


def test_constant_question_has_no_item_rest_correlation() -> None:
    rest = item_rest_correlations(np.array([[1.0, 3, 5], [2, 3, 4], [4, 3, 1]]))
    assert [result.reason for result in rest] == [None, "no_variation", None]


@given(
    st.lists(st.lists(st.sampled_from([1.0, 2, 3, 5, np.nan]), min_size=4, max_size=4), max_size=12),
    st.integers(1, 4),
)
def test_reliability_reports_estimate_or_reason_for_any_answers(rows: list[list[float]], k: int) -> None:
    scores = np.array(rows, float).reshape(-1, 4)[:, :k]
    for result in (cronbach_alpha(scores), cronbach_alpha(scores, is_pairwise=True), omega(scores)):
        assert (result.estimate is None) != (result.reason is None)
    assert len(alpha_if_dropped(scores)) == len(item_rest_correlations(scores)) == k


def test_questions_that_vary_against_each_other_have_no_reliability() -> None:
    rng = np.random.default_rng(4)
    first = rng.normal(size=30)
    against = cronbach_alpha(np.column_stack([first, rng.normal(0, 0.5, 30) - first]))
    assert against.estimate is not None
    assert against.estimate < -1
    assert "reversed" in against.note
