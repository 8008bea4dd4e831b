import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from app.stats.arrays import Floats
from app.stats.linear.correlation import correlation, correlation_difference, halo
from tests.stats.conftest import RandomRatings


def test_correlation_and_interval_are_near_scipy_pearson() -> None:
    rng = np.random.default_rng(2)
    a = rng.normal(size=2000)
    b = 0.5 * a + rng.normal(size=2000)
    place = np.arange(2000)
    found, known = correlation(a, b, item=place, rater=place), stats.pearsonr(a, b)
    assert found.estimate == pytest.approx(known.statistic)
    assert found.interval is not None
    interval = known.confidence_interval()
    assert (found.interval.low, found.interval.high) == pytest.approx((interval.low, interval.high), abs=0.003)


def test_rank_correlation_matches_scipy_spearman() -> None:
    rng = np.random.default_rng(2)
    a, place = rng.integers(1, 6, 50).astype(float), np.arange(50)
    b = a + rng.integers(0, 4, 50).astype(float)
    assert correlation(a, b, item=place, rater=place, kind="spearman").estimate == pytest.approx(
        stats.spearmanr(a, b)[0]
    )


@pytest.mark.parametrize(
    ("a", "b", "reason", "interval_reason"),
    [
        ([1, 2], [2, 1], "no_pairable_units", None),
        ([1, 2, np.nan, 4], [2, 1, 3, np.nan], "no_pairable_units", None),
        ([1, 1, 1], [1, 2, 3], "no_variation", None),
        ([1, 2, 3], [4, 6, 8], None, "no_variation"),
        ([1, 2, 3], [8, 6, 4], None, "no_variation"),
    ],
)
def test_undefined_correlation_reports_a_reason(
    a: list[float], b: list[float], reason: str | None, interval_reason: str | None
) -> None:
    place = np.arange(len(a))
    result = correlation(np.array(a, float), np.array(b, float), item=place, rater=place)
    assert (result.reason, result.interval_reason) == (reason, interval_reason)


def test_halo_excludes_variance_explained_by_responses() -> None:
    """Two questions that both depend on the response; then the rater's mood is added to both."""
    rng = np.random.default_rng(3)
    unit, rater = (axis.ravel() for axis in np.indices((60, 8)))
    good = 2 * rng.normal(size=60)[unit]
    a, b = good + rng.normal(size=480), good + rng.normal(size=480)
    assert (correlation(a, b, item=unit, rater=rater).estimate or 0) > 0.7
    assert abs(halo(a, b, unit=unit, item=unit, rater=rater).estimate or 1) < 0.12
    mood = rng.normal(size=480)
    assert (halo(a + 2 * mood, b + 2 * mood, unit=unit, item=unit, rater=rater).estimate or 0) > 0.7


def test_responses_rated_once_have_no_halo() -> None:
    place = np.arange(5)
    value: Floats = np.arange(5.0)
    assert halo(value, -value, unit=place, item=place, rater=place).reason == "no_pairable_units"


@given(data=st.data(), seed=st.integers(0, 99))
def test_correlation_and_halo_report_result_or_reason(
    random_ratings: RandomRatings, data: st.DataObject, seed: int
) -> None:
    r = data.draw(random_ratings)
    other = np.random.default_rng(seed).permutation(r.value)
    for result in (correlation(r.value, other, **r.clusters), halo(r.value, other, unit=r.item, **r.clusters)):
        assert result.reason or result.interval or result.interval_reason


def test_a_difference_of_correlations_matches_the_formula_for_normal_values() -> None:
    """Olkin and Siotani: the variance of the difference of two correlations with a variable in common."""
    rng, n = np.random.default_rng(3), 20_000
    c = rng.normal(size=n)
    a, b = c + rng.normal(size=n), c + 2 * rng.normal(size=n)
    place = np.arange(n)
    found = correlation_difference(a, b, c, item=place, rater=place)
    r, s, t = (np.corrcoef(x, y)[0, 1] for x, y in ((a, c), (b, c), (a, b)))
    assert found.estimate == pytest.approx(r - s)
    shared = t * (1 - r**2 - s**2) - r * s * (1 - r**2 - s**2 - t**2) / 2
    variance = ((1 - r**2) ** 2 + (1 - s**2) ** 2 - 2 * shared) / n
    assert found.standard_error == pytest.approx(variance**0.5, rel=0.03)


@pytest.mark.parametrize(
    ("a", "reason"), [([1.0, 2.0, np.nan], "no_pairable_units"), ([1.0, 1.0, 1.0], "no_variation")]
)
def test_an_undefined_difference_of_correlations_has_a_reason(a: list[float], reason: str) -> None:
    place = np.arange(3)
    found = correlation_difference(np.array(a), np.array([1.0, 3, 2]), np.array([2.0, 1, 3]), item=place, rater=place)
    assert found.reason == reason
