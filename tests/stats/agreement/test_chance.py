"""Fleiss, Gwet, Brennan-Prediger and Finn against R's irr and irrCAC, the literature and statsmodels."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.stats.agreement import (
    brennan_prediger,
    fleiss_kappa,
    gwet_ac1,
    gwet_ac2,
    krippendorff_alpha,
    percent_agreement,
    two_way,
    within_one_agreement,
)
from app.stats.agreement.chance import finn_r
from app.stats.agreement.disagreement import Weights
from app.stats.agreement.two_way import For
from app.stats.ratings import Ratings
from app.stats.result import Result
from tests.kit.oracles import Oracle

SCALE = [1.0, 2.0, 3.0, 4.0, 5.0]


@pytest.mark.parametrize(
    ("weights", "name"), [("none", "unweighted"), ("linear", "linear"), ("quadratic", "quadratic")]
)
@pytest.mark.parametrize("coefficient", ["gwet", "bp", "fleiss"])
def test_chance_corrected_coefficients_match_irrcac(
    oracle: Oracle, weights: Weights, name: str, coefficient: str
) -> None:
    known = oracle("gwet_raw4raters")
    expected, tolerance = known["expected"], known["tolerance"]
    result = {
        "gwet": gwet_ac2(known["ratings"], weights=weights, domain=SCALE),
        "bp": brennan_prediger(known["ratings"], weights=weights, domain=SCALE),
        "fleiss": fleiss_kappa(known["ratings"], weights=weights),
    }[coefficient]
    key = f"{coefficient}_{name}"
    assert result.interval is not None
    assert result.estimate == pytest.approx(expected[f"{key}_value"], abs=tolerance["default"])
    assert result.standard_error == pytest.approx(expected[f"{key}_se"], abs=tolerance["default"])
    assert (result.interval.low, result.interval.high) == pytest.approx(expected[f"{key}_ci"], abs=tolerance["ci"])


@pytest.mark.parametrize("name", ["fleiss_1971_diagnoses", "fleiss_wikipedia_10x14"])
def test_fleiss_kappa_matches_paper_and_r_irr(oracle: Oracle, name: str) -> None:
    known = oracle(name)
    result = fleiss_kappa(known["ratings"])
    assert result.estimate == pytest.approx(known["expected"]["fleiss_kappa"], abs=known["tolerance"]["default"])
    if "gwet_se" in known["expected"]:
        assert result.standard_error == pytest.approx(known["expected"]["gwet_se"], abs=known["tolerance"]["gwet_se"])


def test_ac1_stays_high_in_kappa_prevalence_paradox(oracle: Oracle) -> None:
    known = oracle("kappa_paradox_prevalence")
    expected, tolerance = known["expected"], known["tolerance"]["default"]
    ac1 = gwet_ac1(known["ratings"])
    assert ac1.estimate == pytest.approx(expected["ac1"], abs=tolerance)
    assert ac1.standard_error == pytest.approx(expected["ac1_se"], abs=tolerance)
    assert fleiss_kappa(known["ratings"]).estimate == pytest.approx(expected["scott_pi_or_fleiss"], abs=tolerance)


def test_finn_r_of_a_worked_example() -> None:
    """Variances of 1 and 1/3 within the units, on average 2/3; (5² - 1) / 12 = 2 at random: 1 - (2/3) / 2."""
    ratings = Ratings(np.repeat([0, 1], 3), np.tile([0, 1, 2], 2), np.array([1.0, 2, 3, 4, 4, 5]))
    assert finn_r(ratings, domain=SCALE).estimate == pytest.approx(2 / 3, abs=1e-12)


def test_finn_r_matches_the_mean_squares_of_r_irr(oracle: Oracle) -> None:
    """irr::finn(video, 6): the mean square within the 20 units is 0.2875, and 35 / 12 is expected at random."""
    video = oracle("alpha_video")["ratings"]
    found = finn_r(video, domain=[1, 2, 3, 4, 5, 6])
    assert found.estimate == pytest.approx(1 - 0.2875 / (35 / 12), abs=1e-12)
    within = np.var(np.reshape(video.value[np.lexsort((video.rater, video.unit))], (20, 4)), axis=1, ddof=1)
    assert within.mean() == pytest.approx(0.2875)


@pytest.mark.parametrize("seed", range(5))
def test_finn_r_is_one_minus_the_variance_within_units_over_that_at_random(seed: int) -> None:
    """With missing ratings, and on points that are not evenly spaced."""
    rng, points = np.random.default_rng(seed), np.array([0.0, 1.0, 2.0, 5.0, 10.0])
    seen = rng.choice(points, (12, 6))
    unit, rater = np.nonzero(rng.random(seen.shape) < 0.5)
    ratings = Ratings(unit, rater, seen[unit, rater])
    units = [one for row in np.unique(unit) if len(one := ratings.value[unit == row]) > 1]
    within = np.mean([one.var(ddof=1) for one in units])
    assert finn_r(ratings, domain=points.tolist()).estimate == pytest.approx(1 - within / points.var(), abs=1e-12)


def test_ac1_and_brennan_prediger_depend_on_declared_scale(oracle: Oracle) -> None:
    known = oracle("degenerate_unused_categories")
    for q in (3, 5):
        scale = SCALE[:q]
        for key, result in {
            f"ac1_q{q}": gwet_ac1(known["ratings"], domain=scale),
            f"bp_q{q}": brennan_prediger(known["ratings"], domain=scale),
        }.items():
            assert result.estimate == pytest.approx(known["expected"][key], abs=1e-5)  # printed with five digits


def test_constant_ratings_give_full_gwet_but_undefined_fleiss(oracle: Oracle) -> None:
    known = oracle("degenerate_all_one_category")
    ratings, expected = known["ratings"], known["expected"]
    ac1, bp = gwet_ac1(ratings, domain=SCALE), brennan_prediger(ratings, domain=SCALE)
    assert (ac1.estimate, bp.estimate) == (
        expected["ac1_with_declared_scale_1_5"],
        expected["bp_with_declared_scale_1_5"],
    )
    assert (ac1.interval_reason, bp.interval_reason) == ("no_variation", "no_variation")
    assert "does not show that raters tell units apart" in ac1.note
    assert ac1.note == bp.note
    assert (expected["fleiss_kappa"], fleiss_kappa(ratings).reason) == ("undefined", "no_variation")


@pytest.mark.parametrize("coefficient", [fleiss_kappa, gwet_ac1, brennan_prediger])
def test_single_rater_gives_no_coefficient(oracle: Oracle, coefficient: Callable[[Ratings], Result]) -> None:
    assert coefficient(oracle("degenerate_single_rater")["ratings"]).reason == "no_pairable_units"


def test_pandalm_fleiss_kappa_and_nominal_alpha_are_0_8642(shared: Path) -> None:
    with (shared / "data" / "pandalm" / "testset-v1.json").open(encoding="utf-8") as file:
        choices = np.array([[float(row[f"annotator{k}"]) for k in (1, 2, 3)] for row in json.load(file)])
    unit, rater = (index.ravel() for index in np.indices(choices.shape))
    ratings = Ratings(unit, rater, choices.ravel())
    assert fleiss_kappa(ratings).estimate == pytest.approx(0.8642, abs=0.00005)
    assert krippendorff_alpha(ratings, level="nominal").estimate == pytest.approx(0.8642, abs=0.0001)


@given(counts=st.lists(st.permutations([0, 1, 3]) | st.permutations([0, 2, 2]), min_size=1, max_size=8))
def test_complete_data_fleiss_kappa_matches_statsmodels(counts: list[list[int]]) -> None:
    from statsmodels.stats import inter_rater

    table = np.array(counts)
    unit, value = (np.repeat(index.ravel(), table.ravel()) for index in np.indices(table.shape))
    result = fleiss_kappa(Ratings(unit, np.tile(np.arange(4), len(table)), value.astype(float)))
    assert result.estimate == pytest.approx(inter_rater.fleiss_kappa(table), abs=1e-9)


@pytest.mark.parametrize(
    "coefficient",
    [
        fleiss_kappa,
        lambda ratings: gwet_ac1(ratings, domain=SCALE),
        lambda ratings: gwet_ac2(ratings, domain=SCALE),
        lambda ratings: brennan_prediger(ratings, weights="linear", domain=SCALE),
        brennan_prediger,
    ],
)
@given(ratings=st.from_type(Ratings))
def test_coefficient_reports_estimate_or_reason_for_any_ratings(
    coefficient: Callable[[Ratings], Result], ratings: Ratings
) -> None:
    result = coefficient(ratings)
    renamed = coefficient(Ratings(10 - ratings.unit, 5 - ratings.rater, ratings.value))
    assert (result.reason, result.interval_reason) == (renamed.reason, renamed.interval_reason)
    assert result.estimate == pytest.approx(renamed.estimate, abs=1e-9)
    if result.estimate is None:
        assert result.reason == ("no_variation" if result.n_pairable_units else "no_pairable_units")
    elif result.interval:
        assert result.interval.low <= result.estimate <= result.interval.high <= 1
    else:
        assert result.interval_reason == ("one_cluster" if result.n_units == 1 else "no_variation")


def weighted(coefficient: str, value: np.ndarray, weight: np.ndarray) -> float:
    """Return a coefficient from pairs weighted by the product of their ratings' weights; shapes (units, raters)."""
    w = 1 - np.abs(np.subtract.outer(SCALE, SCALE)) ** 2 / 16 if coefficient in {"ac2", "finn"} else np.eye(5)
    unit_weight, agreed, shares = [], [], []
    for values, weights in zip(value.astype(int) - 1, weight, strict=True):
        pairs = np.outer(weights, weights) - np.diag(weights**2)
        unit_weight.append((pairs.sum() / 12, weights.mean()))
        agreed.append((pairs * w[np.ix_(values, values)]).sum() / pairs.sum())
        shares.append(np.bincount(values, weights, 5) / weights.sum())
    of_pairs, of_ratings = np.array(unit_weight).T
    p, pi = np.average(agreed, weights=of_pairs), np.average(shares, axis=0, weights=of_ratings)
    e = {
        "fleiss": pi @ pi,
        "ac1": (1 - pi @ pi) / 4,
        "ac2": w.sum() / 20 * (1 - pi @ pi),
        "bp": 0.2,
        "finn": w.mean(),
        "percent": 0.0,
    }[coefficient]
    return float((p - e) / (1 - e))


TWO_WAY: dict[str, Callable[[Ratings, For], Result]] = {
    "fleiss": lambda ratings, who: fleiss_kappa(ratings, inference=who),
    "ac1": lambda ratings, who: gwet_ac1(ratings, domain=SCALE, inference=who),
    "ac2": lambda ratings, who: gwet_ac2(ratings, domain=SCALE, inference=who),
    "bp": lambda ratings, who: brennan_prediger(ratings, domain=SCALE, inference=who),
    "finn": lambda ratings, who: finn_r(ratings, domain=SCALE, inference=who),
    "percent": lambda ratings, who: percent_agreement(ratings, inference=who),
}


@pytest.mark.parametrize("coefficient", TWO_WAY)
def test_two_way_variance_matches_finite_differences(coefficient: str, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(11)
    value = np.clip(np.round(3 + rng.normal(size=(7, 1)) + rng.normal(size=(7, 4))), 1, 5)
    unit, rater = (index.ravel() for index in np.indices(value.shape))
    seen: list[np.ndarray] = []

    def listen(_: Ratings, influence: np.ndarray) -> float:
        seen.append(influence)
        return 1.0

    monkeypatch.setattr(two_way, "rater_variance", listen)
    TWO_WAY[coefficient](Ratings(unit, rater, value.ravel()), "new_units_and_raters")
    step = 1e-5
    for place, moved in enumerate(seen[0]):
        side = np.zeros(value.size)
        side[place] = step
        up, down = (weighted(coefficient, value, 1 + sign * side.reshape(value.shape)) for sign in (1, -1))
        assert moved == pytest.approx((up - down) / (2 * step), abs=1e-7)


@pytest.mark.parametrize("coefficient", TWO_WAY)
def test_two_way_interval_reflects_rater_differences(coefficient: str) -> None:
    rng = np.random.default_rng(6)
    value = np.clip(
        np.round(3 + rng.normal(size=(80, 1)) + rng.normal(size=(80, 6)) + np.array([0, 0, 0, 0, 0, 2])), 1, 5
    )
    unit, rater = (index.ravel() for index in np.indices(value.shape))
    ratings = Ratings(unit, rater, value.ravel())
    alone, both = (TWO_WAY[coefficient](ratings, who) for who in ("new_units", "new_units_and_raters"))
    assert alone.interval is not None
    assert both.interval is not None
    assert alone.estimate == both.estimate
    assert both.interval.high - both.interval.low > 1.3 * (alone.interval.high - alone.interval.low)
    assert str(both.interval.method) == "jackknife_two_way"
    assert TWO_WAY[coefficient](ratings.of_raters([0, 1]), "new_units_and_raters").interval_reason == "one_cluster"


@pytest.mark.parametrize("coefficient", TWO_WAY)
@given(ratings=st.from_type(Ratings))
def test_two_way_interval_contains_estimate_for_any_ratings(coefficient: str, ratings: Ratings) -> None:
    both, plain = (TWO_WAY[coefficient](ratings, who) for who in ("new_units_and_raters", "new_units"))
    assert (both.estimate, both.reason) == (plain.estimate, plain.reason)
    if both.interval is not None:
        assert both.estimate is not None
        assert both.interval.low <= both.estimate <= both.interval.high <= 1
    elif both.estimate is not None:
        assert both.interval_reason in {"one_cluster", "no_variation"}


def test_perfect_agreement_has_no_two_way_interval() -> None:
    unit = np.repeat(np.arange(5), 3)
    ratings = Ratings(unit, np.tile(np.arange(3), 5), (unit % 2).astype(float))
    assert {TWO_WAY[one](ratings, "new_units_and_raters").interval_reason for one in TWO_WAY} == {"no_variation"}


@pytest.mark.slow
@pytest.mark.parametrize(("n_units", "n_raters"), [(100, 6), (60, 20)])
@pytest.mark.parametrize("coefficient", [*TWO_WAY, "within one"])
def test_two_way_interval_reaches_nominal_coverage(coefficient: str, n_units: int, n_raters: int) -> None:
    """Severity has three fifths of the units' variance, or less for coefficients that this makes too skewed."""
    severity = {"ac2": 0.1, "finn": 0.1, "within one": 0.2}.get(coefficient, 0.3)
    of = TWO_WAY | {"within one": lambda ratings, who: within_one_agreement(ratings, inference=who)}

    def crossed(rng: np.random.Generator, n_units: int, n_raters: int) -> Ratings:
        unit, rater = rng.normal(0, 0.5**0.5, (n_units, 1)), rng.normal(0, severity**0.5, n_raters)
        seen = unit + rater + rng.normal(0, 0.5**0.5, (n_units, n_raters))
        codes = [index.ravel() for index in np.indices(seen.shape)]
        return Ratings(codes[0], codes[1], np.clip(np.round(1.2 * seen) + 3, 1, 5).ravel())

    rng = np.random.default_rng(20_251_122)
    truth = float(np.mean([of[coefficient](crossed(rng, 600, 400), "new_units").estimate for _ in range(12)]))
    studies = [crossed(rng, n_units, n_raters) for _ in range(1000)]
    found = [[of[coefficient](study, who) for who in ("new_units_and_raters", "new_units")] for study in studies]
    both, alone = (
        float(np.mean([r.interval is not None and r.interval.low <= truth <= r.interval.high for r in column]))
        for column in zip(*found, strict=True)
    )
    assert 0.92 <= both <= 0.985
    assert alone < 0.92
    estimates, errors = zip(*((pair[0].estimate, pair[0].standard_error) for pair in found), strict=True)
    assert 0.9 < np.mean(errors) / np.std(estimates) < 1.35
