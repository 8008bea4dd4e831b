import numpy as np
import pytest
import statsmodels.api as sm
from hypothesis import given
from hypothesis import strategies as st

from app.stats.linear.regression import difference_at_equal, slope
from tests.stats.conftest import RandomRatings


def test_slope_and_standard_error_match_clustered_least_squares() -> None:
    rng = np.random.default_rng(1)
    item = np.repeat(np.arange(30), 4)
    x = rng.normal(size=30)[item]
    value = 0.5 * x + rng.normal(size=30)[item] + rng.normal(size=120)
    known = sm.OLS(value, sm.add_constant(x)).fit(
        cov_type="cluster", cov_kwds={"groups": item, "use_correction": False}
    )
    found = slope(value, x, item=item, rater=item)
    assert found.estimate == pytest.approx(known.params[1])
    assert found.standard_error == pytest.approx(known.bse[1] * (30 / 29) ** 0.5)


@pytest.mark.parametrize(
    ("value", "covariate", "reason", "interval_reason"),
    [
        ([], [], "no_pairable_units", None),
        ([1, 2], [np.nan, np.nan], "no_pairable_units", None),
        ([1, 2, 3], [5, 5, 5], "singular", None),
        ([1, 2, 3], [0, 0, 0], "singular", None),
        ([1, 2, 3], [2, 4, 6], None, "no_variation"),
        ([0, 0, 0], [2, 4, 6], None, "no_variation"),
    ],
)
def test_undefined_slope_reports_a_reason(
    value: list[float], covariate: list[float], reason: str | None, interval_reason: str | None
) -> None:
    place = np.arange(len(value))
    found = slope(np.array(value, float), np.array(covariate, float), item=place, rater=place)
    assert (found.reason, found.interval_reason) == (reason, interval_reason)


@given(data=st.data(), seed=st.integers(0, 99))
def test_slope_reports_result_or_reason_for_any_ratings(
    random_ratings: RandomRatings, data: st.DataObject, seed: int
) -> None:
    r = data.draw(random_ratings)
    covariate = np.random.default_rng(seed).choice([-1.0, 0, 2, np.nan], len(r.value))
    found = slope(r.value, covariate, **r.clusters)
    assert found.reason or found.interval or found.interval_reason


def test_covariate_confounded_with_source_is_singular() -> None:
    treated = np.tile([True, False], 6)
    found = difference_at_equal(np.arange(12.0), treated, treated * 2.0, item=np.arange(12) // 2, rater=np.arange(12))
    assert (found.difference.reason, found.slope.reason) == ("singular", "singular")


@pytest.mark.parametrize(
    ("of_source", "of_reference", "values"),
    [
        # Each reply of the source is longer than each of the reference.
        ((5.0, 6.0, 7.0), (1.0, 2.0, 3.0), (4, 5, 5, 2, 2, 3)),
        # The lengths meet at 8; the common line leads to a difference of -4.4, but ratings are from 1 to 5.
        ((8.0, 9.0, 10.0), (1.0, 1.0, 8.0), (1, 1, 1, 1, 1, 5)),
    ],
)
def test_difference_beyond_the_data_is_undefined(
    of_source: tuple[float, ...], of_reference: tuple[float, ...], values: tuple[int, ...]
) -> None:
    place, treated = np.arange(6), np.arange(6) < 3
    found = difference_at_equal(
        np.array(values, float), treated, np.array(of_source + of_reference), item=place, rater=place
    )
    assert found.difference.reason == "disconnected"
    assert found.difference.n_ratings == 6
    assert found.slope.estimate is not None


def test_difference_at_equal_covariate_matches_least_squares() -> None:
    rng = np.random.default_rng(5)
    item, rater, treated = rng.integers(0, 9, 120), rng.integers(0, 7, 120), rng.random(120) < 0.5
    x = rng.normal(size=120) + treated
    y = rng.normal(size=9)[item] + rng.normal(size=7)[rater] + 0.5 * x + rng.normal(size=120)
    found = difference_at_equal(y, treated, x, item=item, rater=rater)
    fit = sm.OLS(y, np.column_stack([np.ones(120), treated, x])).fit()
    assert (found.difference.estimate, found.slope.estimate) == pytest.approx(tuple(fit.params[1:]))
    assert found.difference.interval is not None
    unknown = difference_at_equal(y, treated, np.where(np.arange(120) < 2, np.nan, x), item=item, rater=rater)
    assert unknown.slope.n_ratings == 118
