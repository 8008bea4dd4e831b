"""Units with the most disagreement."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.stats.agreement import krippendorff_alpha, worst_units
from app.stats.agreement.disagreement import Level
from app.stats.ratings import Ratings

LEVELS: list[Level] = ["nominal", "ordinal", "interval", "ratio"]
SCALE = [1.0, 2.0, 3.0, 4.0, 5.0]


def units(*values: list[float]) -> Ratings:
    """Return Ratings from one list of ratings per unit, by raters 0, 1, 2 ..."""
    rows = [(unit, rater, value) for unit, given in enumerate(values) for rater, value in enumerate(given)]
    unit, rater, value = (np.array(column) for column in zip(*rows, strict=True))
    return Ratings(unit, rater, value.astype(np.float64))


@given(ratings=st.from_type(Ratings), level=st.sampled_from(LEVELS))
def test_alpha_is_one_minus_mean_unit_disagreement(ratings: Ratings, level: Level) -> None:
    found = worst_units(ratings, level=level)
    alpha = krippendorff_alpha(ratings, level=level).estimate
    assert np.all(np.diff(found.disagreement) <= 0)
    if alpha is None:
        assert np.all(found.disagreement == 0)
    else:
        assert 1 - np.average(found.disagreement, weights=found.n_ratings) == pytest.approx(alpha, abs=1e-9)


def test_unit_with_opposite_ratings_comes_first() -> None:
    found = worst_units(units([3, 3, 4], [1, 5, 1], [2, 2, 2], [4]), level="ordinal")
    assert found.unit.tolist() == [1, 0, 2]
    assert found.n_ratings.tolist() == [3, 3, 3]
    assert found.mean.tolist() == pytest.approx([7 / 3, 10 / 3, 2])


@pytest.mark.parametrize(
    ("values", "is_split"),
    [
        ([1, 1, 5, 5], True),
        ([1, 2, 4, 5], True),
        ([2, 2, 3, 3], False),
        ([1, 5, 5, 5], False),
        ([1, 1, 2, 3, 4, 5, 5], False),
        ([1, 1, 3, 5, 5], True),
    ],
)
def test_split_unit_has_two_groups_with_unused_point_between(
    values: list[float],
    is_split: bool,  # noqa: FBT001 - the expected value
) -> None:
    assert worst_units(units(values), level="ordinal", domain=SCALE).is_split.tolist() == [is_split]


def test_adjacent_ratings_split_only_with_declared_point_between() -> None:
    assert not worst_units(units([1, 1, 3, 3]), level="ordinal").is_split[0]
    assert worst_units(units([1, 1, 3, 3]), level="ordinal", domain=SCALE).is_split[0]


def test_slider_groups_are_split_when_half_the_range_apart() -> None:
    slider = [float(point) for point in range(101)]
    found = worst_units(units([10, 20, 40, 45], [10, 20, 75, 80]), level="interval", domain=slider)
    assert dict(zip(found.unit.tolist(), found.is_split.tolist(), strict=True)) == {0: False, 1: True}


def test_categories_are_split_when_two_have_two_ratings_each() -> None:
    assert worst_units(units([0, 0, 1, 1], [0, 0, 0, 1]), level="nominal").is_split.tolist() == [True, False]


def test_value_out_of_the_domain_is_no_side_of_a_split() -> None:
    """Where 18 choose one response and two the tie, nobody is of the other opinion."""
    found = worst_units(units([0, 0, 1, 1], [0, 0, 2, 2]), level="nominal", domain=[0.0, 1.0])
    assert dict(zip(found.unit.tolist(), found.is_split.tolist(), strict=True)) == {0: True, 1: False}


def test_no_ratings_give_no_worst_unit() -> None:
    nothing = np.zeros(0, dtype=np.int64)
    assert len(worst_units(Ratings(nothing, nothing, nothing.astype(np.float64)), level="ordinal").unit) == 0
