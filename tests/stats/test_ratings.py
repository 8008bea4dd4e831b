"""Validation and counts of Ratings."""

import numpy as np
import pytest

from app.stats.ratings import Ratings

UNIT, RATER, VALUE = np.array([3, 3, 90_000]), np.array([1, 2, 1]), np.array([4.0, 2.0, 2.0])


@pytest.mark.parametrize(
    ("unit", "rater", "value"),
    [
        (UNIT[:2], RATER, VALUE),
        (-UNIT, RATER, VALUE),
        (UNIT + 0.5, RATER, VALUE),
        (UNIT, RATER, np.array([1.0, np.nan, 2.0])),
        (UNIT[:, None], RATER[:, None], VALUE[:, None]),
    ],
)
def test_invalid_rating_arrays_are_rejected(unit: np.ndarray, rater: np.ndarray, value: np.ndarray) -> None:
    with pytest.raises(ValueError, match=r"flat arrays|whole codes|finite"):
        Ratings(unit, rater, value)


def test_sparse_codes_are_counted_like_dense_codes() -> None:
    ratings = Ratings(UNIT, RATER, VALUE)
    assert ratings.counts.tolist() == [[1, 1], [1, 0]]
    assert ratings.rater_row.tolist() == [0, 1, 0]
    assert ratings.sizes() == {"n_units": 2, "n_pairable_units": 1, "n_raters": 2, "n_ratings": 3}


def test_counts_include_declared_and_undeclared_values() -> None:
    counts, values = Ratings(UNIT, RATER, VALUE).counts_over([1, 2, 3])
    assert values.tolist() == [1, 2, 3, 4]
    assert counts.tolist() == [[0, 1, 0, 1], [0, 1, 0, 0]]


def test_undeclared_scale_defaults_to_observed_values() -> None:
    ratings = Ratings(UNIT, RATER, VALUE)
    assert ratings.counts_over(None)[1].tolist() == [2, 4]


@pytest.mark.parametrize("value", [[2.0, 0.5, 2.0], [-3.0, 4.0, -3.0], [1e12, 1.0, 1e12], [7.0, 7.0, 9.0]])
def test_values_are_distinct_at_any_step_and_size(value: list[float]) -> None:
    ratings = Ratings(UNIT, RATER, np.array(value))
    assert ratings.values.tolist() == sorted(set(value))
    assert ratings.values[ratings.value_column].tolist() == value


def test_minus_zero_equals_zero() -> None:
    assert Ratings(np.array([0, 0]), np.array([0, 1]), np.array([0.0, -0.0])).counts.tolist() == [[2]]


def test_ratings_can_be_filtered_by_rater() -> None:
    assert Ratings(UNIT, RATER, VALUE).of_raters([2]).value.tolist() == [2.0]
