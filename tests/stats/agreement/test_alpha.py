"""Krippendorff's alpha against R, the literature, published studies and the `krippendorff` package."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.stats.agreement import krippendorff_alpha
from app.stats.agreement.disagreement import Disagreement, Level, patterns
from app.stats.ratings import Ratings
from tests.kit.oracles import Oracle

Make = Callable[[list[tuple[Any, Any, Any]]], Ratings]

LEVELS: list[Level] = ["nominal", "ordinal", "interval", "ratio"]
RESPONDERS = {"human": ["Physician"], "chatbot": ["ChatGPT"], "pooled": ["Physician", "ChatGPT"]}


@pytest.mark.parametrize(
    "name",
    [
        "alpha_2obs_binary",
        "alpha_2obs_nominal",
        "alpha_4obs_12units",
        "alpha_video",
        "alpha_wikipedia_3coders",
        "kappa_paradox_prevalence",
        "degenerate_unused_categories",
        "degenerate_units_with_one_rating",
    ],
)
def test_alpha_matches_r_and_krippendorff_2011(oracle: Oracle, name: str) -> None:
    known = oracle(name)
    for level in LEVELS:
        expected = known["expected"].get(f"alpha_{level}")
        if expected is not None:
            estimate = krippendorff_alpha(known["ratings"], level=level).estimate
            assert estimate == pytest.approx(expected, abs=known["tolerance"]["default"])


def test_units_with_one_rating_count_but_are_not_pairable(oracle: Oracle) -> None:
    known = oracle("alpha_4obs_12units")
    result = krippendorff_alpha(known["ratings"], level="ordinal")
    assert (result.n_units, result.n_pairable_units) == (12, known["expected"]["n_units_used"])
    assert (result.n_raters, result.n_ratings) == (4, 41)


def ayers_alpha(make_ratings: Make, rows: list[dict[str, str]], responders: list[str]) -> float | None:
    ratings = make_ratings(
        [
            (f"{row['postID']} {responder}", f"slot {slot}", float(row[f"Eval {slot} Empathy ({responder})"]))
            for row in rows
            for responder in responders
            for slot in (1, 2, 3)
        ]
    )
    return krippendorff_alpha(ratings, level="ordinal").estimate


@pytest.mark.parametrize(("scope", "expected"), [("pooled", 0.500), ("human", 0.249), ("chatbot", 0.264)])
def test_ayers_2023_empathy_alpha_is_higher_when_pooled(
    ayers: list[dict[str, str]], make_ratings: Make, scope: str, expected: float
) -> None:
    assert ayers_alpha(make_ratings, ayers, RESPONDERS[scope]) == pytest.approx(expected, abs=0.0005)


def test_ayers_2023_choice_has_nominal_alpha_0_228(ayers: list[dict[str, str]], make_ratings: Make) -> None:
    choices = make_ratings(
        [(row["postID"], slot, row[f"Eval {slot} Preference"].strip()) for row in ayers for slot in (1, 2, 3)]
    )
    assert krippendorff_alpha(choices, level="nominal").estimate == pytest.approx(0.228, abs=0.0005)


@given(ratings=st.from_type(Ratings), level=st.sampled_from(LEVELS))
def test_own_alpha_formula_matches_krippendorff_package(ratings: Ratings, level: Level) -> None:
    result = krippendorff_alpha(ratings, level=level)
    counts, weight = patterns(ratings.paired.counts)
    ours = Disagreement(counts, weight, ratings.paired.values, level)
    assert (not len(counts) or ours.spread == 0) == (result.estimate is None)
    if result.estimate is not None:
        assert ours.alpha == pytest.approx(result.estimate, abs=1e-9)


@given(ratings=st.from_type(Ratings), level=st.sampled_from(LEVELS))
def test_alpha_reports_interval_or_reason_for_any_ratings(ratings: Ratings, level: Level) -> None:
    result = krippendorff_alpha(ratings, level=level)
    if result.estimate is None:
        assert result.reason == ("no_variation" if result.n_pairable_units else "no_pairable_units")
        assert result.note
    elif result.interval is None:
        assert result.interval_reason == ("one_cluster" if result.n_pairable_units == 1 else "no_variation")
    else:
        assert result.interval.low <= result.estimate <= result.interval.high <= 1


@given(ratings=st.from_type(Ratings), level=st.sampled_from(LEVELS), seed=st.integers(0, 99))
def test_alpha_ignores_rater_and_unit_labels(ratings: Ratings, level: Level, seed: int) -> None:
    rng = np.random.default_rng(seed)
    renamed = Ratings(rng.permutation(11)[ratings.unit], 900 + rng.permutation(6)[ratings.rater], ratings.value)
    before, after = (krippendorff_alpha(each, level=level) for each in (ratings, renamed))
    assert (before.reason, before.interval_reason) == (after.reason, after.interval_reason)
    assert before.estimate == pytest.approx(after.estimate, abs=1e-9)
    assert before.standard_error == pytest.approx(after.standard_error, abs=1e-7)


@pytest.mark.parametrize("level", LEVELS)
def test_unit_influence_is_derivative_of_alpha_by_unit_weight(level: Level) -> None:
    rng = np.random.default_rng(5)
    counts, weight = patterns(rng.multinomial(4, [0.4, 0.3, 0.2, 0.1], size=30))
    values = np.array([1.0, 2.0, 3.0, 7.0])
    influence = Disagreement(counts, weight, values, level).unit_influence()
    for kind in range(len(weight)):
        step = 1e-5 * np.eye(len(weight))[kind]
        up, down = (Disagreement(counts, weight + side * step, values, level).alpha for side in (1, -1))
        assert influence[kind] == pytest.approx((up - down) / 2e-5, abs=1e-6)


def test_alpha_standard_error_matches_unit_bootstrap() -> None:
    rng = np.random.default_rng(7)
    truth = rng.normal(size=300)
    value = np.clip(np.round(truth[:, None] + rng.normal(size=(300, 4))), -2, 2)
    counts = np.stack([(value == point).sum(axis=1) for point in range(-2, 3)], axis=1)
    unit, rater = np.indices(value.shape)
    result = krippendorff_alpha(Ratings(unit.ravel(), rater.ravel(), value.ravel()), level="ordinal")
    resampled = [counts[rng.integers(0, 300, 300)].astype(float) for _ in range(400)]
    draws = [Disagreement(each, np.ones(300), np.arange(5.0), "ordinal").alpha for each in resampled]
    assert result.standard_error == pytest.approx(np.std(draws, ddof=1), rel=0.1)


def test_fine_slider_alpha_matches_krippendorff_package(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(3)
    unit, rater = (index.ravel() for index in np.indices((40, 3)))
    ratings = Ratings(unit, rater, rng.integers(0, 101, 120).astype(float))
    package = krippendorff_alpha(ratings, level="ordinal").estimate
    monkeypatch.setattr("app.stats.agreement.alpha.PACKAGE_CELLS", 0)
    assert krippendorff_alpha(ratings, level="ordinal").estimate == pytest.approx(package, abs=1e-9)


@pytest.mark.parametrize("n_units", [40, 4000])
def test_patterns_are_distinct_rows_with_frequencies(n_units: int) -> None:
    counts = np.random.default_rng(1).multinomial(3, [0.5, 0.3, 0.2], size=n_units)
    rows, frequency = patterns(counts)
    expected, times = np.unique(counts, axis=0, return_counts=True)
    order = np.lexsort(rows.T[::-1])
    assert rows[order].tolist() == expected.tolist()
    assert frequency[order].tolist() == times.tolist()


def test_constant_ratings_have_no_variation(oracle: Oracle) -> None:
    known = oracle("degenerate_all_one_category")
    assert known["expected"]["alpha"] == "undefined"
    result = krippendorff_alpha(known["ratings"], level="ordinal")
    assert (result.estimate, result.reason) == (None, "no_variation")


def test_single_rater_has_no_pairable_units(oracle: Oracle) -> None:
    known = oracle("degenerate_single_rater")
    result = krippendorff_alpha(known["ratings"], level="ordinal")
    assert (result.reason, result.n_pairable_units) == ("no_pairable_units", 0)


def test_single_pairable_unit_has_estimate_without_interval(oracle: Oracle) -> None:
    result = krippendorff_alpha(oracle("degenerate_units_with_one_rating")["ratings"], level="interval")
    assert (result.estimate, result.n_pairable_units, result.interval_reason) == (0, 1, "one_cluster")


def test_alpha_of_empty_study_notes_that_there_are_no_ratings() -> None:
    nothing = np.array([], dtype=int)
    result = krippendorff_alpha(Ratings(nothing, nothing, nothing.astype(float)), level="nominal")
    assert (result.reason, result.note) == ("no_pairable_units", "there are no ratings")


@settings(max_examples=20)
@given(agreeing=st.integers(2, 20))
def test_perfect_agreement_has_no_interval(agreeing: int) -> None:
    unit = np.repeat(np.arange(agreeing), 3)
    result = krippendorff_alpha(
        Ratings(unit, np.tile(np.arange(3), agreeing), (unit % 2).astype(float)), level="nominal"
    )
    assert (result.estimate, result.interval, result.interval_reason) == (1.0, None, "no_variation")


def test_ratio_alpha_below_minus_one_gets_plain_t_interval() -> None:
    value = np.array([2.5, 2.0, 2.0, -1.0, 2.5, -3.0])
    result = krippendorff_alpha(Ratings(np.repeat(np.arange(3), 2), np.tile([0, 1], 3), value), level="ratio")
    assert result.estimate is not None
    assert result.standard_error is not None
    assert result.interval is not None
    assert result.estimate < -1
    assert result.estimate - result.interval.low == pytest.approx(4.302653 * result.standard_error)  # t, 2 df
