import numpy as np
import pytest

from app.stats.accuracy.category_f1 import accuracy_share
from app.stats.comparison.describe import share

ITEM, RATER = (axis.ravel() for axis in np.indices((6, 8)))


def test_accuracy_is_proportion_correct_tested_against_chance() -> None:
    right = (np.random.default_rng(1).random(48) < 0.7).astype(float)
    found = accuracy_share(right, item=ITEM, rater=RATER, chance=0.25)
    assert found == share(right, item=ITEM, rater=RATER, null=0.25)
    assert found.estimate == pytest.approx(right.mean())
