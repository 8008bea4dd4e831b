"""Factor structure against published solutions and on data with a known structure."""

from typing import Any

import numpy as np
import pytest

from app.stats.factor_structure import (
    Parallel,
    Structure,
    factor_structure,
    lavaan_model,
    most_factors,
    parallel_analysis,
    problem_of,
)

# Smith and Stanley (1983), six ability tests of 112 persons: R's `ability.cov`, compared with its file in Rdatasets.
ABILITY = (
    (24.641,),
    (5.991, 6.700),
    (33.520, 18.137, 149.831),
    (6.023, 1.782, 19.424, 12.711),
    (20.755, 4.936, 31.430, 4.757, 52.604),
    (29.701, 7.204, 50.753, 9.075, 66.762, 135.292),
)
# factanal(covmat = ability.cov) with one and two factors, in R's own tests (tests/Examples/datasets-Ex.Rout.save).
ONE_UNIQUE = (0.535, 0.853, 0.748, 0.910, 0.232, 0.280)
ONE_FACTOR = (0.682, 0.384, 0.502, 0.300, 0.877, 0.849)
UNIQUE = (0.455, 0.589, 0.218, 0.769, 0.052, 0.334)
VARIMAX = ((0.499, 0.543), (0.156, 0.622), (0.206, 0.860), (0.109, 0.468), (0.956, 0.182), (0.785, 0.225))
# Its direct oblimin with gamma 0, in the tests of R's GPArotation, after Venables and Ripley (2002, p. 322).
OBLIMIN = (
    (0.3864, 0.4745),
    (-0.0110, 0.6459),
    (-0.0263, 0.8961),
    (-0.0180, 0.4883),
    (0.9901, -0.0371),
    (0.7906, 0.0526),
)
# Harman (1976), eight measurements of 305 girls: R's `Harman23.cor`, and factanal with three factors, in R's own tests.
HARMAN = (
    (1.0,),
    (0.846, 1.0),
    (0.805, 0.881, 1.0),
    (0.859, 0.826, 0.801, 1.0),
    (0.473, 0.376, 0.380, 0.436, 1.0),
    (0.398, 0.326, 0.319, 0.329, 0.762, 1.0),
    (0.301, 0.277, 0.237, 0.327, 0.730, 0.583, 1.0),
    (0.382, 0.415, 0.345, 0.365, 0.629, 0.577, 0.539, 1.0),
)
HARMAN_UNIQUE = (0.127, 0.005, 0.193, 0.157, 0.090, 0.359, 0.411, 0.490)
# Bechtoldt (1961), nine of Thurstone's tests, 213 persons: `Thurstone` of R's psych, compared with the file of these
# correlations in Rdatasets.
THURSTONE = (
    (1.0,),
    (0.828, 1.0),
    (0.776, 0.779, 1.0),
    (0.439, 0.493, 0.460, 1.0),
    (0.432, 0.464, 0.425, 0.674, 1.0),
    (0.447, 0.489, 0.443, 0.590, 0.541, 1.0),
    (0.447, 0.432, 0.401, 0.381, 0.402, 0.288, 1.0),
    (0.541, 0.537, 0.534, 0.350, 0.367, 0.320, 0.555, 1.0),
    (0.380, 0.358, 0.359, 0.424, 0.446, 0.325, 0.598, 0.452, 1.0),
)
# `KMO(Thurstone)` of psych, as printed with the example of its manual.
THURSTONE_ADEQUACY = (0.86, 0.86, 0.90, 0.86, 0.88, 0.92, 0.85, 0.93, 0.87)
# fa(Thurstone, 3, n.obs = 213), oblimin, in table 1 of the overview that psych 1.8.10 to 2.0.12 have as a vignette:
# loadings, unique variances, correlations.
PSYCH = (
    (0.90, -0.03, 0.04),
    (0.89, 0.06, -0.03),
    (0.84, 0.03, 0.00),
    (0.00, 0.85, 0.00),
    (-0.02, 0.75, 0.10),
    (0.18, 0.63, -0.08),
    (0.03, -0.01, 0.84),
    (0.38, -0.05, 0.46),
    (-0.06, 0.21, 0.63),
)
PSYCH_UNIQUE = (0.18, 0.16, 0.26, 0.27, 0.37, 0.50, 0.27, 0.49, 0.48)
PSYCH_CORRELATIONS = ((1.00, 0.59, 0.53), (0.59, 1.00, 0.52), (0.53, 0.52, 1.00))
# Holzinger and Swineford (1939), nine tests of 301 pupils: correlations below the diagonal, from lavaan's data.
HOLZINGER = (
    (1.0,),
    (0.297, 1.0),
    (0.441, 0.340, 1.0),
    (0.373, 0.153, 0.159, 1.0),
    (0.293, 0.139, 0.077, 0.733, 1.0),
    (0.357, 0.193, 0.198, 0.704, 0.720, 1.0),
    (0.067, -0.076, 0.072, 0.174, 0.102, 0.121, 1.0),
    (0.224, 0.092, 0.186, 0.107, 0.139, 0.150, 0.487, 1.0),
    (0.390, 0.206, 0.329, 0.208, 0.227, 0.214, 0.341, 0.449, 1.0),
)
# The variances of these tests, and what lavaan 0.6-5 prints of three exploratory factors: loadings after an oblique
# geomin rotation, and residual variances (docs/efa_lavaan.html of R's efast).
VARIANCES = np.array([1.3584, 1.3818, 1.2749, 1.3507, 1.6598, 1.1964, 1.1831, 1.0220, 1.0150])
LAVAAN = (
    (0.715, 0.209, 0.023),
    (0.588, 0.042, -0.145),
    (0.787, -0.092, 0.012),
    (0.041, 0.971, 0.005),
    (-0.070, 1.140, 0.011),
    (0.098, 0.877, -0.013),
    (-0.096, 0.042, 0.774),
    (0.169, -0.042, 0.693),
    (0.414, 0.023, 0.451),
)
LAVAAN_RESIDUAL = (0.696, 1.035, 0.692, 0.377, 0.403, 0.365, 0.594, 0.479, 0.551)


def _answers(lower: tuple[tuple[float, ...], ...], n: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return n rows with exactly these covariances."""
    k = len(lower)
    covariance = np.zeros((k, k))
    for i, row in enumerate(lower):
        covariance[i, : len(row)] = covariance[: len(row), i] = row
    drawn = np.random.default_rng(1).normal(size=(n, k))
    drawn -= drawn.mean(axis=0)
    white = drawn @ np.linalg.inv(np.linalg.cholesky(np.cov(drawn.T)).T)
    return white @ np.linalg.cholesky(covariance).T


def _fit(scores: np.ndarray[Any, Any], m: int, **more: Any) -> Structure:  # noqa: ANN401 - arguments of factor_structure
    at = np.arange(len(scores))
    return factor_structure(scores, m, **{"item": at, "rater": at, "n_draws": 0, **more})


def test_solution_is_that_of_factanal() -> None:
    """R's varimax stops a little before the best rotation."""
    found = _fit(_answers(ABILITY, 112), 2, rotation="varimax")
    assert found.unique == pytest.approx(UNIQUE, abs=6e-4)
    order = np.argsort(-np.abs(found.loadings[4]))
    assert found.loadings[:, order] == pytest.approx(np.array(VARIMAX), abs=4e-3)
    assert found.correlations == pytest.approx(np.eye(2))
    assert found.heywood == []


def test_one_factor_is_that_of_factanal() -> None:
    found = _fit(_answers(ABILITY, 112), 1)
    assert found.unique == pytest.approx(ONE_UNIQUE, abs=6e-4)
    assert found.loadings[:, 0] == pytest.approx(ONE_FACTOR, abs=6e-4)


def test_oblimin_is_that_of_gparotation() -> None:
    found = _fit(_answers(ABILITY, 112), 2)
    order = np.argsort(-np.abs(found.loadings[4]))
    assert found.loadings[:, order] == pytest.approx(np.array(OBLIMIN), abs=2e-3)


def test_improper_solution_of_harman_is_found_and_said() -> None:
    """The arm span has no variance of its own: factanal stops at .005 too."""
    found = _fit(_answers(HARMAN, 305), 3, rotation="varimax")
    assert found.unique == pytest.approx(HARMAN_UNIQUE, abs=1e-3)
    assert found.heywood == [1]


def test_thurstone_has_the_loadings_that_psych_prints() -> None:
    """It minimizes residuals, Attune maximizes the likelihood: they differ by at most .01 before psych rounds.

    Its manual calls such solutions very similar.
    """
    found = _fit(_answers(THURSTONE, 213), 3)
    assert found.loadings == pytest.approx(np.array(PSYCH), abs=0.0151)
    assert found.unique == pytest.approx(PSYCH_UNIQUE, abs=0.0151)
    assert found.correlations == pytest.approx(np.array(PSYCH_CORRELATIONS), abs=0.0101)


def test_correlations_of_thurstone_are_those_of_psych() -> None:
    """Kaiser's measure of sampling adequacy: squared correlations over them and squared partial correlations."""
    correlations = np.corrcoef(_answers(THURSTONE, 213).T) - np.eye(9)
    inverse = np.linalg.inv(correlations + np.eye(9))
    partial = inverse / np.sqrt(np.outer(np.diag(inverse), np.diag(inverse))) - np.eye(9)
    adequacy = (correlations**2).sum(axis=0) / (correlations**2 + partial**2).sum(axis=0)
    assert adequacy == pytest.approx(THURSTONE_ADEQUACY, abs=0.005)


def test_solution_is_that_of_lavaan_under_another_rotation() -> None:
    """Its unique variances are ours, and its loadings are ours, turned so that each factor keeps a variance of 1."""
    found = _fit(_answers(HOLZINGER, 301), 3)
    assert found.unique == pytest.approx(np.array(LAVAAN_RESIDUAL) / VARIANCES, abs=0.0015)
    known = np.array(LAVAAN) / np.sqrt(VARIANCES)[:, None]
    turn = np.linalg.lstsq(found.loadings, known)[0]
    assert found.loadings @ turn == pytest.approx(known, abs=0.002)
    back = np.linalg.inv(turn)
    assert np.diag(back @ found.correlations @ back.T) == pytest.approx(np.ones(3), abs=0.004)


def test_three_factors_of_holzinger_and_swineford() -> None:
    """Three tests each of visual, textual and speed factors, the structure of lavaan's example."""
    scores = _answers(HOLZINGER, 301)
    parallel = parallel_analysis(scores, n_draws=50)
    assert parallel.n_factors == 3
    others = [np.delete(scores, at, axis=1) for at in range(9)]
    shared = np.corrcoef(scores.T)
    for at, rest in enumerate(others):
        fitted = np.column_stack([np.ones(301), rest])
        shared[at, at] = 1 - (np.linalg.lstsq(fitted, scores[:, at])[1][0] / 301) / scores[:, at].var()
    assert parallel.eigenvalues == pytest.approx(np.linalg.eigvalsh(shared)[::-1])
    found = _fit(scores, 3, n_draws=6)
    assert [len(set(found.main_factor[at : at + 3].tolist())) for at in (0, 3, 6)] == [1, 1, 1]
    assert lavaan_model([f"x{n}" for n in range(1, 10)], found).splitlines()[0] == "F1 =~ x4 + x5 + x6"
    # The model is the same under either rotation: pattern, factors' correlations and unique variances give it back.
    model = found.loadings @ found.correlations @ found.loadings.T + np.diag(found.unique)
    other = _fit(scores, 3, rotation="varimax")
    assert model == pytest.approx(other.loadings @ other.loadings.T + np.diag(other.unique), abs=1e-4)
    assert np.diag(model) == pytest.approx(np.ones(9), abs=1e-4)
    assert found.low is not None
    assert found.high is not None
    assert ((found.low <= found.loadings) & (found.loadings <= found.high)).mean() > 0.6


@pytest.mark.parametrize("rotation", ["oblimin", "varimax"])
def test_loadings_are_those_of_statsmodels(rotation: str) -> None:
    """Its maximum likelihood fit by another algorithm, its rotations from the same start."""
    from statsmodels.multivariate.factor import Factor
    from statsmodels.multivariate.factor_rotation import rotate_factors

    scores = _answers(HOLZINGER, 301)
    fit = Factor(corr=np.corrcoef(scores.T), n_factor=3, method="ml").fit()
    found = _fit(scores, 3, rotation=rotation)
    assert found.unique == pytest.approx(fit.uniqueness, abs=1e-3)
    length = np.sqrt((fit.loadings**2).sum(axis=1, keepdims=True)) if rotation == "varimax" else 1
    known = rotate_factors(fit.loadings / length, "varimax" if rotation == "varimax" else "quartimin")[0] * length
    known = known[:, np.abs(known.T @ found.loadings).argmax(axis=0)]
    assert np.abs(known) == pytest.approx(np.abs(found.loadings), abs=5e-3)


def test_factors_that_go_together_are_counted_apart() -> None:
    """Thurstone's three factors correlate with .5 to .6; by the components of the correlations they were one."""
    assert parallel_analysis(_answers(THURSTONE, 213)).n_factors == 3
    assert parallel_analysis(_answers(ABILITY, 112)).n_factors == 2
    rng = np.random.default_rng(2)
    assert [parallel_analysis(rng.normal(size=(100, 6)), seed=seed).n_factors for seed in range(5)] == [0] * 5
    one = rng.normal(size=(100, 1)) + rng.normal(size=(100, 6))
    assert parallel_analysis(one).n_factors == 1


def test_one_factor_has_a_positive_sign_and_few_raters_widen_its_interval() -> None:
    """Four raters, whose answers share very different parts with the factor, say little about further raters."""
    rng = np.random.default_rng(3)
    factor, rater = rng.normal(size=(200, 1)), np.arange(200) % 4
    scores = rng.normal(size=(200, 4)) - np.array([0.1, 0.5, 1.5, 3.0])[rater][:, None] * factor
    widths = []
    for of in (rater, np.arange(200)):
        found = _fit(scores, 1, item=None, rater=of, n_draws=30)
        assert found.loadings.sum() > 0
        assert found.low is not None
        assert found.high is not None
        widths.append((found.high - found.low).mean())
    assert widths[0] > 1.3 * widths[1]


@pytest.mark.slow
def test_interval_over_raters_alone_is_as_wide_as_the_estimates_of_many_studies_vary() -> None:
    rng = np.random.default_rng(8)
    found = []
    for _ in range(40):
        scores = rng.normal(size=(150, 1)) + rng.normal(size=(150, 4))
        found.append(_fit(scores, 1, item=None, n_draws=60))
    estimates = np.array([one.loadings[:, 0] for one in found])
    widths = [one.high - one.low for one in found if one.high is not None and one.low is not None]
    assert np.mean(widths) == pytest.approx(2 * 1.96 * estimates.std(axis=0, ddof=1).mean(), rel=0.15)


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        (np.ones((20, 2)), "too_few"),
        (np.random.default_rng(1).normal(size=(6, 3)), "too_few"),
        (np.column_stack([np.arange(20.0) % 3, np.arange(20.0) % 7, np.ones(20)]), "no_variation"),
        (np.column_stack([np.arange(20.0) % 3, np.arange(20.0) % 7, np.arange(20.0) % 3]), "singular"),
    ],
)
def test_questions_without_a_structure_have_a_reason(scores: np.ndarray[Any, Any], reason: str) -> None:
    problem = problem_of(scores)
    assert problem is not None
    assert problem[0] == reason
    assert problem_of(_answers(ABILITY, 30)) is None


def test_samples_without_a_solution_give_no_interval() -> None:
    """One rater gives half of all answers; without it, a question never varies."""
    scores = _answers(ABILITY, 30)
    scores[:, 0] = 0
    scores[:2, 0] = (1, 2)
    found = _fit(scores, 1, n_draws=12, rater=np.arange(30) // 2)
    assert (found.low, found.high) == (None, None)
    assert found.loadings.shape == (6, 1)


def test_samples_without_any_answer_have_no_solution() -> None:
    """Items and raters are drawn apart: of seven raters with an item each, some samples have none with theirs."""
    scores = np.random.default_rng(1).normal(size=(7, 3))
    found = _fit(scores, 1, n_draws=200, seed=37)
    assert found.loadings.shape == (3, 1)


def test_rotation_ends_also_where_it_does_not_converge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.stats.factor_structure.MAX_TURNS", 2)
    monkeypatch.setattr("app.stats.factor_structure.MAX_HALVINGS", 1)
    found = _fit(_answers(HOLZINGER, 301), 3)
    assert np.diag(found.correlations) == pytest.approx(np.ones(3))


def test_fewer_factors_than_questions_can_be_told_apart() -> None:
    assert [most_factors(k) for k in (3, 5, 6, 9)] == [1, 2, 3, 5]


def test_all_eigenvalues_above_their_limits_are_factors() -> None:
    assert Parallel(np.array([2.0, 1.0]), np.array([1.0, 0.5])).n_factors == 2
