"""The interval of alpha for new units and new raters: its components, its limits, and its coverage by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.stats.agreement import krippendorff_alpha
from app.stats.agreement.disagreement import Disagreement, Level, distances
from app.stats.ratings import Ratings
from app.stats.result import Interval, Result

SEVERITY = np.array([0, 0, 0, 0, 0, 2])
LEVELS: list[Level] = ["nominal", "ordinal", "interval", "ratio"]


def two_way(ratings: Ratings, level: Level = "ordinal") -> Result:
    return krippendorff_alpha(ratings, level=level, inference="new_units_and_raters")


def ends(result: Result) -> tuple[float, float]:
    assert result.interval is not None
    return result.interval.low, result.interval.high


def alpha_of_weighted_ratings(value: np.ndarray, weight: np.ndarray, level: Level) -> float:
    """Return alpha from pairs weighted by the product of their ratings' weights; value, weight (units, raters)."""
    values, column = np.unique(value, return_inverse=True)
    column = column.reshape(value.shape)
    n_units, m = value.shape
    met = np.zeros((len(values), len(values)))
    for u in range(n_units):
        for i in range(m):
            for j in range(m):
                if i != j:
                    met[column[u, i], column[u, j]] += weight[u, i] * weight[u, j] / (m - 1)
    n = met.sum(axis=1)
    d = distances(values, level, n)
    return float(1 - (met * d).sum() * (n.sum() - 1) / (n @ d @ n))


@pytest.mark.parametrize("level", LEVELS)
def test_rating_influence_is_derivative_of_alpha_by_pair_weight(level: Level) -> None:
    value = np.random.default_rng(2).integers(1, 5, (6, 3)).astype(float)
    values, column = np.unique(value, return_inverse=True)
    counts = np.stack([(value == each).sum(axis=1) for each in values], axis=1).astype(float)
    row = np.repeat(np.arange(6), 3)
    influence = Disagreement(counts, np.ones(6), values, level).rating_influence(row, column.ravel())
    for place in range(18):
        step = 1e-5 * (np.arange(18) == place).reshape(6, 3)
        up, down = (alpha_of_weighted_ratings(value, 1 + side * step, level) for side in (1, -1))
        assert influence[place] == pytest.approx((up - down) / 2e-5, abs=1e-6)


def test_raters_with_one_unit_each_give_unit_interval() -> None:
    rng = np.random.default_rng(4)
    ratings = Ratings(np.repeat(np.arange(30), 3), np.arange(90), rng.integers(1, 6, 90).astype(np.float64))
    assert ends(two_way(ratings)) == pytest.approx(ends(krippendorff_alpha(ratings, level="ordinal")), abs=0.003)


def test_rater_severity_widens_two_way_interval() -> None:
    rng = np.random.default_rng(6)
    value = np.clip(np.round(3 + rng.normal(size=(80, 1)) + rng.normal(size=(80, 6)) + SEVERITY), 1, 5)
    unit, rater = (index.ravel() for index in np.indices(value.shape))
    ratings = Ratings(unit, rater, value.ravel())
    for_units, for_both = ends(krippendorff_alpha(ratings, level="ordinal")), ends(two_way(ratings))
    assert for_both[1] - for_both[0] > 1.3 * (for_units[1] - for_units[0])


def test_two_raters_have_no_interval_for_new_raters() -> None:
    ratings = Ratings(np.repeat(np.arange(4), 2), np.tile([0, 1], 4), np.array([1.0, 2, 2, 3, 1, 1, 3, 3]))
    result = two_way(ratings)
    assert (result.interval, result.interval_reason) == (None, "one_cluster")


def test_perfect_agreement_has_no_interval() -> None:
    unit = np.repeat(np.arange(5), 3)
    assert two_way(Ratings(unit, np.tile(np.arange(3), 5), (unit % 2).astype(float))).interval_reason == "no_variation"


def test_raters_without_shared_units_are_not_counted() -> None:
    ratings = Ratings(np.array([0, 0, 1, 1, 2, 3]), np.array([0, 1, 0, 1, 2, 3]), np.array([1.0, 2, 3, 3, 1, 2]))
    assert two_way(ratings).interval_reason == "one_cluster"


@given(ratings=st.from_type(Ratings), level=st.sampled_from(LEVELS))
def test_interval_contains_estimate_or_reports_reason(ratings: Ratings, level: Level) -> None:
    result = two_way(ratings, level)
    plain = krippendorff_alpha(ratings, level=level)
    assert (result.estimate, result.reason) == (plain.estimate, plain.reason)
    if result.interval is not None:
        assert result.estimate is not None
        assert result.interval.low <= result.estimate <= result.interval.high <= 1
    elif result.estimate is not None:
        assert result.interval_reason in {"one_cluster", "no_variation"}


def crossed(rng: np.random.Generator, n_units: int, n_raters: int) -> Ratings:
    """Simulate five points from units (variance .5), severity (.3) and noise (.5): a small and unequal panel."""
    unit, rater = rng.normal(0, 0.5**0.5, (n_units, 1)), rng.normal(0, 0.3**0.5, n_raters)
    seen = unit + rater + rng.normal(0, 0.5**0.5, (n_units, n_raters))
    unit_code, rater_code = (index.ravel() for index in np.indices(seen.shape))
    return Ratings(unit_code, rater_code, np.clip(np.round(1.2 * seen) + 3, 1, 5).ravel())


def covers(interval: Interval | None, truth: float) -> bool:
    return interval is not None and interval.low <= truth <= interval.high


@pytest.mark.slow
@pytest.mark.parametrize(("n_units", "n_raters"), [(100, 6), (60, 20)])
def test_two_way_interval_covers_population_alpha(n_units: int, n_raters: int) -> None:
    rng = np.random.default_rng(20_251_121)
    truth = krippendorff_alpha(crossed(rng, 4000, 400), level="ordinal").estimate
    assert truth is not None
    studies = [crossed(rng, n_units, n_raters) for _ in range(1500)]
    both = np.mean([covers(two_way(study).interval, truth) for study in studies])
    units = np.mean([covers(krippendorff_alpha(study, level="ordinal").interval, truth) for study in studies])
    assert 0.92 <= both <= 0.975
    assert units < 0.92


@pytest.mark.slow
@pytest.mark.parametrize("n_raters", [6, 20])
def test_unit_interval_covers_when_raters_are_equal(n_raters: int) -> None:
    rng = np.random.default_rng(9)

    def equal(n_units: int, n: int) -> Ratings:
        seen = rng.normal(0, 0.5**0.5, (n_units, 1)) + rng.normal(0, 0.5**0.5, (n_units, n))
        unit, rater = (index.ravel() for index in np.indices(seen.shape))
        return Ratings(unit, rater, np.clip(np.round(1.2 * seen) + 3, 1, 5).ravel())

    truth = krippendorff_alpha(equal(4000, 400), level="ordinal").estimate
    assert truth is not None
    hits = [covers(krippendorff_alpha(equal(80, n_raters), level="ordinal").interval, truth) for _ in range(1500)]
    assert 0.92 <= np.mean(hits) <= 0.975
