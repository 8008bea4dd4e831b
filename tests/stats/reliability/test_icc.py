"""Intraclass correlations and variance components against R's psych and lme4, statsmodels, and by simulation."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.stats.agreement import icc, variance_components
from app.stats.ratings import Ratings
from app.stats.reliability.components import Crossing
from app.stats.reliability.icc import Form
from tests.kit.oracles import Oracle

FORMS: dict[Form, str] = {"1_1": "1_1", "a_1": "2_1", "c_1": "3_1", "1_k": "1_k", "a_k": "2_k", "c_k": "3_k"}


def crossed(rng: np.random.Generator, shape: tuple[int, int], per_unit: int, variances: tuple[float, ...]) -> Ratings:
    """Simulate units rated by `per_unit` randomly drawn raters; variances of unit, rater, residual."""
    unit, rater, rest = (variance**0.5 for variance in variances)
    value = rng.normal(0, unit, (shape[0], 1)) + rng.normal(0, rater, shape[1]) + rng.normal(0, rest, shape)
    is_rated = np.argsort(rng.random(shape), axis=1).argsort(axis=1) < per_unit
    rows, columns = np.nonzero(is_rated)
    return Ratings(rows, columns, value[is_rated])


@pytest.mark.parametrize(("form", "name"), FORMS.items())
def test_six_icc_forms_match_shrout_and_fleiss_and_psych(oracle: Oracle, form: Form, name: str) -> None:
    known = oracle("icc_shrout_fleiss_1979")
    expected, tolerance = known["expected"], known["tolerance"]["default"]
    result = icc(known["ratings"], form=form)
    assert result.interval is not None
    assert result.estimate == pytest.approx(expected[f"ICC_{name}"], abs=tolerance)
    assert (result.interval.low, result.interval.high) == pytest.approx(expected[f"ICC_{name}_ci"], abs=tolerance)
    assert result.p_value == pytest.approx(expected[f"ICC_{name}_p"], abs=tolerance)


def test_penicillin_components_match_lme4(oracle: Oracle) -> None:
    known = oracle("lmm_penicillin")
    expected, variance = known["expected"], float(known["ratings"].value.var())
    found = variance_components(known["ratings"])
    assert found is not None
    roots = np.sqrt(np.array([found.unit, found.rater, found.rest]) * variance)
    names = ("sd_plate", "sd_sample", "sd_residual")
    assert roots == pytest.approx([expected[name] for name in names], abs=known["tolerance"]["default"])


def reml_of_statsmodels(ratings: Ratings) -> list[float]:
    import pandas as pd
    import statsmodels.api as sm

    table = pd.DataFrame({"u": ratings.unit, "r": ratings.rater, "y": ratings.value, "all": 1})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        formulas = {"a_unit": "0 + C(u)", "b_rater": "0 + C(r)"}
        fit = sm.MixedLM.from_formula("y ~ 1", groups="all", vc_formula=formulas, data=table).fit(reml=True)
    return [*fit.vcomp, fit.scale]


@pytest.mark.parametrize("shape", [(30, 8), (9, 25)])
def test_unbalanced_components_match_statsmodels_mixed_model(shape: tuple[int, int]) -> None:
    ratings = crossed(np.random.default_rng(3), shape, 4, (1.0, 0.4, 0.6))
    found = variance_components(ratings)
    assert found is not None
    assert found.method == "REML"
    ours = np.array([found.unit, found.rater, found.rest]) * ratings.value.var()
    assert ours == pytest.approx(reml_of_statsmodels(ratings), rel=2e-3)


@pytest.mark.parametrize("shape", [(60, 7), (9, 25)])
@pytest.mark.parametrize("severity", [0.0, 0.4])
def test_components_match_own_mixed_model(shape: tuple[int, int], severity: float) -> None:
    from app.stats.mixed.lmm import fit_lmm
    from app.stats.reliability.components import reml

    crossing = Crossing(crossed(np.random.default_rng(4), shape, 4, (1.0, severity, 0.6)))
    one = np.ones((1, crossing.n))
    units, raters = crossing.units.code, crossing.raters.code
    fit = fit_lmm(crossing.value, one, item=units, rater=raters, item_columns=one, rater_columns=one)
    assert fit is not None
    roots = [fit.sd_item[0], fit.sd_rater[0], fit.sd_residual]
    found = reml(crossing, (0.5, 0.5, 0.5))
    assert found is not None
    assert np.sqrt(found) == pytest.approx(roots, abs=1e-3)


def test_reml_matches_sums_of_squares_on_complete_data(oracle: Oracle) -> None:
    from app.stats.reliability.components import _complete, _henderson, reml

    crossing = Crossing(oracle("icc_shrout_fleiss_1979")["ratings"])
    assert reml(crossing, (0.5, 0.5, 0.5)) == pytest.approx(_complete(crossing), abs=1e-4)
    assert _henderson(crossing) == pytest.approx(_complete(crossing), abs=1e-9)


def test_designs_too_large_for_reml_use_sums_of_squares(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = crossed(np.random.default_rng(5), (400, 30), 4, (1.0, 0.4, 0.6))
    by_reml = icc(ratings, form="a_1")
    monkeypatch.setattr("app.stats.reliability.components.REML_LEVELS", 5)
    monkeypatch.setattr("app.stats.reliability.components._found", {})
    by_sums = icc(ratings, form="a_1")
    assert str(by_sums.method).startswith("Henderson's method 1")
    assert by_sums.estimate == pytest.approx(by_reml.estimate, abs=0.03)


def test_components_are_cached_with_limited_size(monkeypatch: pytest.MonkeyPatch) -> None:
    found: dict[bytes, object] = {}
    monkeypatch.setattr("app.stats.reliability.components._found", found)
    monkeypatch.setattr("app.stats.reliability.components._MAX_FOUND", 2)
    many = [crossed(np.random.default_rng(seed), (20, 6), 3, (1.0, 0.4, 0.6)) for seed in (1, 2, 3)]
    first = icc(many[0], form="a_1")
    same = Ratings(many[0].unit.copy(), many[0].rater.copy(), many[0].value.copy())
    assert icc(same, form="a_1") == first
    assert len(found) == 1
    others = [icc(ratings, form="a_1").estimate for ratings in many[1:]]
    assert len({first.estimate, *others}) == 3
    assert len(found) == 2


def test_average_icc_follows_spearman_brown() -> None:
    ratings = crossed(np.random.default_rng(5), (80, 12), 3, (0.5, 0.2, 0.5))
    single, mean = (icc(ratings, form=form).estimate for form in ("a_1", "a_k"))
    assert single is not None
    assert mean == pytest.approx(3 * single / (1 + 2 * single))


def test_nested_raters_are_singular_but_have_one_way_icc() -> None:
    rng = np.random.default_rng(1)
    ratings = Ratings(np.repeat(np.arange(20), 3), np.arange(60), rng.normal(size=60))
    assert icc(ratings, form="a_1").reason == "singular"
    assert icc(ratings, form="1_1").reason is None


def test_single_repeating_rater_is_singular() -> None:
    ratings = Ratings(np.array([0, 0, 1, 1]), np.zeros(4, dtype=int), np.array([1.0, 2, 3, 3]))
    assert icc(ratings, form="c_1").reason == "singular"


def test_single_unit_has_no_between_unit_variance() -> None:
    assert icc(Ratings(np.array([0, 0]), np.array([0, 1]), np.array([1.0, 2])), form="1_1").reason == "one_cluster"


def test_constant_ratings_have_no_icc(oracle: Oracle) -> None:
    known = oracle("degenerate_all_one_category")
    assert known["expected"]["icc"] == "undefined"
    assert icc(known["ratings"], form="a_1").reason == "no_variation"


def test_perfect_agreement_has_no_interval() -> None:
    value = np.repeat([1.0, 2.0, 5.0], 2)
    result = icc(Ratings(np.repeat(np.arange(3), 2), np.tile([0, 1], 3), value), form="a_k")
    assert result.estimate == pytest.approx(1)
    assert (result.interval, result.interval_reason, result.p_value) == (None, "no_variation", None)


def test_constant_unit_means_have_no_reliability() -> None:
    crossing_over = Ratings(np.repeat(np.arange(2), 2), np.tile([0, 1], 2), np.array([0.0, 1, 1, 0]))
    assert icc(crossing_over, form="a_k").reason == "no_variation"


def test_negative_rounding_error_in_mean_square_is_tolerated() -> None:
    unit, rater = np.repeat(np.arange(6), 6), np.tile(np.arange(6), 6)
    checkered = Ratings(unit, rater, (2.0 + (unit + rater) % 2 * 1.2).astype(np.float64))
    found = icc(checkered, form="c_1")
    assert found.estimate == pytest.approx(-0.2)
    assert found.p_value == pytest.approx(1)


@pytest.mark.parametrize("form", FORMS)
@given(ratings=st.from_type(Ratings))
def test_icc_reports_estimate_or_reason_for_any_ratings(form: Form, ratings: Ratings) -> None:
    result = icc(ratings, form=form)
    renamed = icc(Ratings(10 - ratings.unit, 5 - ratings.rater, ratings.value), form=form)
    assert (result.reason, result.interval_reason) == (renamed.reason, renamed.interval_reason)
    assert result.estimate == pytest.approx(renamed.estimate, abs=1e-4)
    if result.interval and result.estimate is not None:
        assert result.interval.low <= result.estimate + 1e-9
        assert result.estimate <= result.interval.high + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize(("shape", "per_unit"), [((100, 6), 6), ((40, 20), 20), ((100, 20), 3), ((100, 6), 3)])
def test_agreement_interval_covers_new_units_and_raters(shape: tuple[int, int], per_unit: int) -> None:
    rng = np.random.default_rng(17)
    variances, truth = (0.5, 0.2, 0.5), 0.5 / 1.2
    intervals = [icc(crossed(rng, shape, per_unit, variances), form="a_1").interval for _ in range(400)]
    hits = [interval is not None and interval.low <= truth <= interval.high for interval in intervals]
    assert 0.92 <= np.mean(hits) <= 0.975


def below_zero() -> Ratings:
    """Four units rated by three raters whose ratings of one unit differ more than the means of the units."""
    table = np.array([[1, 4, 4], [4, 1, 4], [2, 4, 4.5], [4, 2, 4]])
    unit, rater = np.indices(table.shape)
    return Ratings(unit.ravel(), rater.ravel(), table.ravel())


@pytest.mark.parametrize("form", ["1_k", "a_k", "c_k"])
def test_negative_reliability_of_means_is_kept_with_a_note(form: Form) -> None:
    """As R's irr gives the number, without a lower bound; a proportion of variance is at least 0."""
    result = icc(below_zero(), form=form)
    assert result.estimate is not None
    assert result.estimate < -1
    assert "counts as 0" in result.note


@pytest.mark.parametrize("form", ["1_1", "a_1", "c_1"])
def test_a_single_rating_has_a_lower_bound_and_needs_no_note(form: Form) -> None:
    result = icc(below_zero(), form=form)
    assert result.estimate is not None
    assert -1 / 2 <= result.estimate < 0
    assert not result.note
