"""Predicted disagreement of people and judge: the residuals by hand, and what the prediction depends on."""

import numpy as np
import pytest

from app.stats.comparison.prediction_powered import prediction_powered, residual_of_items
from app.stats.comparison.residual_sizes import SMALLEST, predicted_sizes

FOLD = np.arange(60) % 5


def test_residual_of_an_item_is_what_it_adds_to_the_difference_of_people_and_judge() -> None:
    """Four items with two units each; the last has no ratings."""
    value = np.array([5.0, 3.0, 4.0, 4.0, 2.0, 1.0, 3.0, 2.0])
    unit = np.array([0, 1, 2, 2, 3, 4, 5, 5])
    judge = np.array([4.0, 3.0, 5.0, 2.0, 1.0, 2.0, 3.0, 3.0])
    item, sign = np.repeat(np.arange(4), 2), np.tile([1.0, -1.0], 4)
    found = residual_of_items(value, unit=unit, judge=judge, item=item, sign=sign)
    # three items are too few for a slope, so that lambda is 0: the means are 5, 4, 1 and 3, 2, 2.5
    mine, theirs = np.array([5, 4, 1]) - 10 / 3, np.array([3, 2, 2.5]) - 2.5
    assert found[:3] == pytest.approx((mine - theirs) / 4)
    assert np.isnan(found[3])


def test_residuals_are_of_the_weighted_judge() -> None:
    rng = np.random.default_rng(0)
    judge = rng.normal(0, 1, 40)
    value = judge[:20] + rng.normal(0, 0.3, 20)
    unit, item = np.arange(20), np.arange(40)
    weight = prediction_powered(value, unit=unit, rater=unit, judge=judge, item=item).judge_weight
    found = residual_of_items(value, unit=unit, judge=judge, item=item, sign=np.ones(40))
    rest = value - weight * judge[:20]
    assert weight > 0.5
    assert found[:20] == pytest.approx((rest - rest.mean()) / 40)
    assert np.isnan(found[20:]).all()


def test_sizes_follow_what_predicts_the_residuals_of_other_folds() -> None:
    rng = np.random.default_rng(1)
    hard = (np.arange(60) % 4 == 0) * 1.0
    residual = rng.normal(0, 1, 60) * (0.3 + 2 * hard)
    residual[40:] = np.nan
    size = predicted_sizes(residual, np.array([hard, np.full(60, 3.0)]), FOLD)
    assert size[hard > 0] == pytest.approx([1 / SMALLEST] * 15)
    assert size[hard == 0] == pytest.approx([SMALLEST] * 45)
    other = np.where(FOLD == 2, 100 * residual, residual)
    assert predicted_sizes(other, np.array([hard]), FOLD)[FOLD == 2] == pytest.approx(
        predicted_sizes(residual, np.array([hard]), FOLD)[FOLD == 2]
    )


def test_all_sizes_are_one_where_nothing_predicts_or_too_little_is_known() -> None:
    rng = np.random.default_rng(2)
    feature = np.tile([0.0, 1.0], 30)[None]
    residual = np.where(np.arange(60) % 4 < 2, 1.0, 2.0)
    assert (predicted_sizes(residual, feature, np.zeros(60, int) + np.arange(60) // 12) == 1).all()
    assert (predicted_sizes(np.where(np.arange(60) < 4, 1.0, np.nan), feature, FOLD) == 1).all()
    assert (predicted_sizes(np.zeros(60), feature, FOLD) == 1).all()
    assert (predicted_sizes(rng.normal(0, 1, 60), np.ones((1, 60)), FOLD) == 1).all()
    assert predicted_sizes(np.where(feature[0] > 0, 2.0, 1.0), feature, FOLD).min() < 1
