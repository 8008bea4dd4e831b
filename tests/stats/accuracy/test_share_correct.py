from __future__ import annotations

import numpy as np
import pytest

from app.stats.accuracy.share_correct import accuracy_by_group, accuracy_share, is_correct
from app.stats.comparison.describe import share

ITEM, RATER = (axis.ravel() for axis in np.indices((6, 8)))


def test_accuracy_is_proportion_correct_tested_against_chance() -> None:
    right = (np.random.default_rng(1).random(48) < 0.7).astype(float)
    found = accuracy_share(right, item=ITEM, rater=RATER, chance=0.25)
    assert found == share(right, item=ITEM, rater=RATER, null=0.25)
    assert found.estimate == pytest.approx(right.mean())


def test_accuracy_is_reported_by_item_group() -> None:
    right = np.where(ITEM < 2, 1.0, RATER % 2)
    right[0] = np.nan
    kind = np.where(ITEM < 2, "false belief", "true belief")
    found = accuracy_by_group(right, kind, item=ITEM, rater=RATER)
    assert [(group.group, group.accuracy.estimate, group.accuracy.n_ratings) for group in found] == [
        ("false belief", 1, 15),
        ("true belief", 0.5, 32),
    ]


def test_accuracy_by_group_of_empty_data_is_empty() -> None:
    none = np.zeros(0)
    assert accuracy_by_group(none, none, item=none, rater=none) == []


def test_item_without_answer_key_is_not_scored() -> None:
    found = is_correct(np.array(["joy", "fear", "joy"], object), np.array(["joy", "joy", None], object))
    assert np.array_equal(found, [1, 0, np.nan], equal_nan=True)
