from __future__ import annotations

import numpy as np
import pytest

from app.stats.comparison.describe import mean_difference
from app.stats.factors.design_factor import factor_effect, factor_interaction
from app.stats.factors.interaction import interaction

ITEM, RATER, SOURCE = (axis.ravel() for axis in np.indices((8, 6, 2)))


def test_factor_effect_is_difference_of_means() -> None:
    value = np.random.default_rng(1).normal(size=96)
    found = factor_effect(value, RATER % 2 == 0, item=ITEM, rater=RATER)
    known = mean_difference(value, RATER % 2 == 0, item=ITEM, rater=RATER)
    assert found.estimate == pytest.approx(known.estimate)


def test_rater_arms_lower_the_degrees_of_freedom() -> None:
    """Three raters in each arm, who differ: four degrees of freedom; the plain interval has five."""
    rng = np.random.default_rng(2)
    value = rng.normal(size=96) + 3 * rng.normal(size=6)[RATER]
    found = factor_effect(value, RATER < 3, item=ITEM, rater=RATER)
    assert found.df == pytest.approx(4, abs=0.1)
    assert found.note == "One arm has only 3 raters: their variance is assumed to equal that of the other arm."


def test_single_rater_arm_has_no_interval() -> None:
    value = np.random.default_rng(3).normal(size=96)
    found = factor_effect(value, RATER == 0, item=ITEM, rater=RATER)
    assert found.estimate is not None
    assert found.interval_reason == "one_cluster"


@pytest.mark.parametrize(("level", "note"), [(0, "the reference level"), (9, "the level")])
def test_factor_with_one_level_has_no_effect(level: int, note: str) -> None:
    found = factor_effect(np.arange(96.0), level <= RATER, item=ITEM, rater=RATER)
    assert (found.reason, found.note) == ("no_pairable_units", f"There are no ratings of {note}.")


def test_factor_interaction_matches_four_cell_means() -> None:
    value = np.random.default_rng(4).normal(size=96)
    found = factor_interaction(value, RATER % 2 == 0, SOURCE == 1, item=ITEM, rater=RATER)
    known = interaction(value, SOURCE == 1, RATER % 2 == 0, item=ITEM, rater=RATER)
    assert found.estimate == pytest.approx(known.estimate)
    assert found.interval


def test_interaction_requires_both_levels_of_both_sources() -> None:
    found = factor_interaction(np.arange(96.0), SOURCE == 1, SOURCE == 1, item=ITEM, rater=RATER)
    assert found.reason == "no_pairable_units"


def test_few_raters_seeing_both_levels_are_noted() -> None:
    rng = np.random.default_rng(3)
    item, rater, arm = (axis.ravel() for axis in np.indices((8, 3, 2)))
    found = factor_effect(rng.normal(size=48), arm == 1, item=item, rater=rater)
    assert found.note == "One side has only 3 raters, so the interval is wide."
