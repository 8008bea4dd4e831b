"""A large fit starts from a fit to a subset, and converges to the same estimates."""

from typing import Any

import numpy as np
import pytest

from app.stats.mixed import clmm_fit as clmm_start
from app.stats.mixed.clmm_fit import ClmmFit, fit_clmm, off_the_edge, part_of
from app.stats.mixed.clmm_laplace import Laplace
from app.stats.mixed.crossed import Factor, crossed


def _study(n_items: int, n_raters: int) -> dict[str, Any]:
    """Simulate items rated by four raters each, in both sources, on four points."""
    rng = np.random.default_rng(11)
    item = np.repeat(np.arange(n_items), 8)
    rater = (np.repeat(rng.integers(0, n_raters, n_items), 8) + np.tile(np.repeat([0, 1, 3, 4], 2), n_items)) % n_raters
    source = np.tile([-0.5, 0.5], n_items * 4)
    by_item, by_rater = rng.normal(0, [0.9, 0.4], (n_items, 2)), rng.normal(0, [0.8, 0.5], (n_raters, 2))
    eta = by_item[item, 0] + by_rater[rater, 0] + source * (0.5 + by_item[item, 1] + by_rater[rater, 1])
    y = np.searchsorted([-1.0, 0.5, 1.5], eta + rng.logistic(size=len(item)))
    columns = np.array([np.ones(len(item)), source])
    return {
        "y": y,
        "X": columns[1:],
        "item": item,
        "rater": rater,
        "item_columns": columns,
        "rater_columns": columns,
    }


def _fit(study: dict[str, Any]) -> ClmmFit:
    fit = fit_clmm(**study)
    assert fit is not None
    return fit


@pytest.mark.parametrize("shape", [(120, 30), (30, 120)], ids=["more items", "more raters"])
@pytest.mark.parametrize("many", ["_MANY_RATINGS", "_MANY_EFFECTS"])
def test_warm_start_from_subset_gives_same_fit(
    shape: tuple[int, int], many: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = _study(*shape)
    whole = _fit(study)
    monkeypatch.setattr(clmm_start, many, 10)
    monkeypatch.setattr(clmm_start, "_RATINGS_OF_PART", 300)
    monkeypatch.setattr(clmm_start, "_EFFECTS_OF_PART", 20)
    found = _fit(study)
    assert found.log_likelihood == pytest.approx(whole.log_likelihood, abs=1e-6)
    assert found.parameters == pytest.approx(whole.parameters, abs=1e-4)
    assert found.covariance == pytest.approx(whole.covariance, abs=1e-4)


def _laplace(y: np.ndarray, n_levels: int) -> Laplace:
    code = np.arange(len(y)) % n_levels
    columns = np.ones((1, len(y)))
    large, small = Factor(np.arange(len(y)) // 2, len(y) // 2, (0,)), Factor(code, n_levels, (0,))
    design = crossed(large, small, columns)
    return Laplace(y[design.order], columns[:0, design.order], design, "logit", int(y.max()) + 1)


def test_subset_contains_every_category_or_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clmm_start, "_MANY_EFFECTS", 4)
    monkeypatch.setattr(clmm_start, "_EFFECTS_OF_PART", 4)
    y = np.tile([0, 1], 40)
    part = part_of(_laplace(y, 10))
    assert part is None  # every second level has only category 0
    mixed = part_of(_laplace(np.repeat([0, 1, 2, 0], 20), 10))
    assert mixed is not None
    assert (mixed.design.small.n_levels, len(mixed.y)) == (5, 40)


def test_small_study_is_fitted_without_subset() -> None:
    assert part_of(_laplace(np.tile([0, 1], 40), 10)) is None


def test_standard_deviations_start_off_the_boundary() -> None:
    assert off_the_edge(np.array([0.1, 0.0, -0.5]), 2).tolist() == [0.1, 0.15, 0.5]


def test_information_is_recomputed_far_from_minimum(monkeypatch: pytest.MonkeyPatch) -> None:
    study = _study(30, 10)
    usual = _fit(study)
    monkeypatch.setattr("app.stats.mixed.clmm_fit._LOOSE", 1e-3)
    monkeypatch.setattr("app.stats.mixed.clmm_fit._NEAR", 1e-7)
    assert _fit(study).parameters == pytest.approx(usual.parameters, abs=1e-4)
