"""Cohen's kappa against R's vcd, Kumar et al. (2025), PandaLM and the definition."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.stats.agreement import cohen_kappa
from app.stats.agreement.cohen import Categories
from app.stats.agreement.disagreement import Weights
from app.stats.ratings import Ratings
from tests.kit.oracles import Oracle

WEIGHTS: list[Weights] = ["none", "linear", "quadratic"]
DISTANCE: dict[Weights, Callable[[float, float], float]] = {
    "none": lambda x, y: float(x != y),
    "linear": lambda x, y: abs(x - y),
    "quadratic": lambda x, y: (x - y) ** 2,
}
FOLDERS = {
    "Lend an Ear": "lend_an_ear",
    "Empathetic Dialogues": "empatheticdialogues",
    "EPITOME": "epitome",
    "Perceived Empathy": "perceived_empathy",
}


def two_raters(first: np.ndarray, second: np.ndarray) -> Ratings:
    n = len(first)
    return Ratings(np.tile(np.arange(n), 2), np.repeat([0, 1], n), np.concatenate([first, second]).astype(float))


@pytest.mark.parametrize(("weights", "suffix"), [("none", ""), ("linear", "_linear"), ("quadratic", "_quadratic")])
def test_kappa_and_standard_error_match_r_vcd(oracle: Oracle, weights: Weights, suffix: str) -> None:
    known = oracle("cohen_table_vision")
    table = np.array(known["input"]["table"])
    first, second = (np.repeat(index.ravel(), table.ravel()) for index in np.indices(table.shape))
    result = cohen_kappa(two_raters(first, second), weights=weights)
    tolerance = known["tolerance"]["default"]
    assert result.estimate == pytest.approx(known["expected"][f"kappa{suffix}"], abs=tolerance)
    assert result.standard_error == pytest.approx(known["expected"][f"se_kappa{suffix}"], abs=tolerance)


def test_kappa_is_negative_when_one_category_dominates(oracle: Oracle) -> None:
    known = oracle("kappa_paradox_prevalence")
    kappa = cohen_kappa(known["ratings"]).estimate
    assert kappa == pytest.approx(known["expected"]["kappa"], abs=known["tolerance"]["default"])


def expert_values(shared: Path, folder: str, expert: str, dimension: str) -> dict[str, float]:
    path = shared / "data" / "kumar2025" / "annotations" / folder / f"{expert}_ratings.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    names, place = rows[0], rows[0].index(dimension)
    width = 2 if names[1] == "rp_id" else 1
    return {" ".join(row[:width]): float(row[place]) for row in rows[1:]}


def kumar_kappa(shared: Path, row: dict[str, str], categories: Categories) -> float | None:
    folder = FOLDERS[row["Dataset"]]
    experts = [name.strip(" ()'") for name in row["Annotator Pair"].split(",")]
    first, second = (expert_values(shared, folder, expert, row["Dimension"]) for expert in experts)
    units = sorted(first.keys() & second.keys())
    ratings = two_raters(np.array([first[u] for u in units]), np.array([second[u] for u in units]))
    return cohen_kappa(ratings, weights="quadratic", categories=categories).estimate


def test_kumar_2025_expert_kappas_are_reproduced(shared: Path) -> None:
    path = shared / "data" / "kumar2025" / "annotations" / "table_kappa.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if "crowd" not in row["Annotator Pair"]]
    pairs = [row for row in rows if row["Annotator Pair"].count("expert") == 2]
    assert len(pairs) == 63
    published = [float(row["Weighted Cohen's Kappa"]) for row in pairs]
    observed = [kumar_kappa(shared, row, "observed") for row in pairs]
    assert observed == pytest.approx(published, abs=0.00501)
    declared = [kumar_kappa(shared, row, "declared") for row in pairs]
    different = [i for i in range(63) if abs((declared[i] or 0) - (observed[i] or 0)) > 1e-9]
    assert [(pairs[i]["Dimension"], round(declared[i] or 0, 3)) for i in different] == [("self_oriented", 0.786)]


def pandalm_choices(shared: Path) -> np.ndarray:
    with (shared / "data" / "pandalm" / "testset-v1.json").open(encoding="utf-8") as file:
        return np.array([[float(row[f"annotator{k}"]) for k in (1, 2, 3)] for row in json.load(file)])


@pytest.mark.parametrize(("pair", "expected"), [((0, 1), 0.852), ((0, 2), 0.879), ((1, 2), 0.862)])
def test_pandalm_kappas_with_response_as_category_are_reproduced(
    shared: Path, pair: tuple[int, int], expected: float
) -> None:
    choices = pandalm_choices(shared)
    kappa = cohen_kappa(two_raters(choices[:, pair[0]], choices[:, pair[1]])).estimate
    assert kappa == pytest.approx(expected, abs=0.0005)


@given(
    ratings=st.from_type(Ratings),
    weights=st.sampled_from(WEIGHTS),
    categories=st.sampled_from(["declared", "observed"]),
)
def test_kappa_matches_definition_or_reports_reason(ratings: Ratings, weights: Weights, categories: Categories) -> None:
    pair = ratings.of_raters([0, 1])
    result = cohen_kappa(pair, weights=weights, categories=categories)
    by_unit = {(u, r): v for u, r, v in zip(pair.unit, pair.rater, pair.value, strict=True)}
    both = np.array(
        [(by_unit[u, 0], by_unit[u, 1]) for u in np.unique(pair.unit) if {(u, 0), (u, 1)} <= by_unit.keys()]
    )
    if len(both) == 0:
        assert result.reason == "no_pairable_units"
        return
    if len(np.unique(both)) == 1:
        assert result.reason == "no_variation"
        return
    a, b = np.unique(both, return_inverse=True)[1].reshape(both.shape).T if categories == "observed" else both.T / 1e150
    distance = DISTANCE[weights]
    by_chance = np.mean([distance(x, y) for x in a for y in b])
    assert result.estimate == pytest.approx(
        1 - np.mean([distance(x, y) for x, y in zip(a, b, strict=True)]) / by_chance, abs=1e-9
    )


def test_single_common_unit_has_no_interval() -> None:
    result = cohen_kappa(two_raters(np.array([1]), np.array([2])))
    assert (result.estimate, result.interval_reason) == (0.0, "one_cluster")


def test_perfect_agreement_has_no_interval() -> None:
    result = cohen_kappa(two_raters(np.array([1, 2, 2]), np.array([1, 2, 2])), weights="quadratic")
    assert (result.estimate, result.interval_reason) == (1.0, "no_variation")


def test_constant_rater_gives_kappa_zero_without_interval() -> None:
    ratings = two_raters(np.array([3, 3, 3, 3, 3]), np.array([1, 1, 2, 2, 3]))
    result = cohen_kappa(ratings, weights="linear")
    assert result.estimate == pytest.approx(0, abs=1e-12)
    assert result.interval_reason == "no_variation"


def test_first_of_repeated_ratings_counts() -> None:
    ratings = Ratings(np.array([0, 0, 0, 1, 1]), np.array([0, 1, 1, 0, 1]), np.array([1.0, 1.0, 2.0, 2.0, 2.0]))
    assert cohen_kappa(ratings).estimate == 1.0


def test_third_rater_is_rejected() -> None:
    ratings = Ratings(np.array([0, 0, 0]), np.array([0, 1, 2]), np.array([1.0, 1.0, 2.0]))
    with pytest.raises(ValueError, match="of two raters"):
        cohen_kappa(ratings)
