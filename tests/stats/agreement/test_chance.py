"""Fleiss, Gwet and Brennan-Prediger against R's irr and irrCAC, the literature and statsmodels."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.stats.agreement import brennan_prediger, fleiss_kappa, gwet_ac1, gwet_ac2, krippendorff_alpha
from app.stats.ratings import Ratings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from app.stats.agreement.weights import Weights
    from app.stats.result import Result

    Oracle = Callable[[str], dict[str, Any]]

SCALE = [1.0, 2.0, 3.0, 4.0, 5.0]


@pytest.mark.parametrize(
    ("weights", "name"), [("none", "unweighted"), ("linear", "linear"), ("quadratic", "quadratic")]
)
@pytest.mark.parametrize("coefficient", ["gwet", "bp", "fleiss"])
def test_estimate_standard_error_and_interval_are_those_of_irrcac(
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
def test_fleiss_kappa_is_that_of_the_paper_and_r_s_irr(oracle: Oracle, name: str) -> None:
    known = oracle(name)
    result = fleiss_kappa(known["ratings"])
    assert result.estimate == pytest.approx(known["expected"]["fleiss_kappa"], abs=known["tolerance"]["default"])
    if "gwet_se" in known["expected"]:
        assert result.standard_error == pytest.approx(known["expected"]["gwet_se"], abs=known["tolerance"]["gwet_se"])


def test_ac1_stays_high_where_kappa_collapses(oracle: Oracle) -> None:
    known = oracle("kappa_paradox_prevalence")
    expected, tolerance = known["expected"], known["tolerance"]["default"]
    ac1 = gwet_ac1(known["ratings"])
    assert ac1.estimate == pytest.approx(expected["ac1"], abs=tolerance)
    assert ac1.standard_error == pytest.approx(expected["ac1_se"], abs=tolerance)
    assert fleiss_kappa(known["ratings"]).estimate == pytest.approx(expected["scott_pi_or_fleiss"], abs=tolerance)


def test_ac1_and_brennan_prediger_depend_on_the_declared_scale(oracle: Oracle) -> None:
    known = oracle("degenerate_unused_categories")
    for q in (3, 5):
        scale = SCALE[:q]
        for key, result in {
            f"ac1_q{q}": gwet_ac1(known["ratings"], domain=scale),
            f"bp_q{q}": brennan_prediger(known["ratings"], domain=scale),
        }.items():
            assert result.estimate == pytest.approx(known["expected"][key], abs=1e-5)  # printed with five digits


def test_all_in_one_category_is_full_agreement_for_gwet_and_undefined_for_fleiss(oracle: Oracle) -> None:
    known = oracle("degenerate_all_one_category")
    ratings, expected = known["ratings"], known["expected"]
    ac1, bp = gwet_ac1(ratings, domain=SCALE), brennan_prediger(ratings, domain=SCALE)
    assert (ac1.estimate, bp.estimate) == (
        expected["ac1_with_declared_scale_1_5"],
        expected["bp_with_declared_scale_1_5"],
    )
    assert (ac1.interval_reason, bp.interval_reason) == ("no_variation", "no_variation")
    assert (expected["fleiss_kappa"], fleiss_kappa(ratings).reason) == ("undefined", "no_variation")


@pytest.mark.parametrize("coefficient", [fleiss_kappa, gwet_ac1, brennan_prediger])
def test_a_single_rater_gives_no_coefficient(oracle: Oracle, coefficient: Callable[[Ratings], Result]) -> None:
    assert coefficient(oracle("degenerate_single_rater")["ratings"]).reason == "no_pairable_units"


def test_pandalm_s_fleiss_kappa_and_nominal_alpha_are_8642(shared: Path) -> None:
    with (shared / "data" / "pandalm" / "testset-v1.json").open(encoding="utf-8") as file:
        choices = np.array([[float(row[f"annotator{k}"]) for k in (1, 2, 3)] for row in json.load(file)])
    unit, rater = (index.ravel() for index in np.indices(choices.shape))
    ratings = Ratings(unit, rater, choices.ravel())
    assert fleiss_kappa(ratings).estimate == pytest.approx(0.8642, abs=0.00005)
    assert krippendorff_alpha(ratings, level="nominal").estimate == pytest.approx(0.8642, abs=0.0001)


@given(counts=st.lists(st.permutations([0, 1, 3]) | st.permutations([0, 2, 2]), min_size=1, max_size=8))
def test_without_gaps_fleiss_kappa_is_that_of_statsmodels(counts: list[list[int]]) -> None:
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
def test_any_ratings_give_a_coefficient_or_a_reason(coefficient: Callable[[Ratings], Result], ratings: Ratings) -> None:
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
