import numpy as np
import pytest

from app.stats.arrays import Bools
from app.stats.clusters import larger_df
from app.stats.comparison.describe import mean_difference
from app.stats.factors import factor_effect

ITEM, RATER, SOURCE = (axis.ravel() for axis in np.indices((8, 6, 2)))
ARMS = {"between raters": RATER % 2 == 0, "within raters": SOURCE == 1, "between items": ITEM < 3}


@pytest.mark.parametrize("has_level", ARMS.values(), ids=ARMS)
def test_factor_effect_has_the_interval_and_test_of_the_mean_difference(has_level: Bools) -> None:
    value = np.random.default_rng(1).normal(size=96)
    found = factor_effect(value, has_level, item=ITEM, rater=RATER)
    known = mean_difference(value, has_level, item=ITEM, rater=RATER)
    assert (found.estimate, found.interval, found.p_value, found.df) == (
        known.estimate,
        known.interval,
        known.p_value,
        known.df,
    )
    assert found.interval


def test_rater_arms_lower_the_degrees_of_freedom() -> None:
    """Three raters in each arm, who differ: four degrees of freedom; the plain interval has five."""
    rng = np.random.default_rng(2)
    value = rng.normal(size=96) + 3 * rng.normal(size=6)[RATER]
    found = factor_effect(value, RATER < 3, item=ITEM, rater=RATER)
    assert found.df == pytest.approx(4, abs=0.1)
    assert found.interval_warnings == ("One arm has only 3 raters, so the interval is wide.",)


def test_single_rater_arm_has_no_interval() -> None:
    value = np.random.default_rng(3).normal(size=96)
    found = factor_effect(value, RATER == 0, item=ITEM, rater=RATER)
    assert found.estimate is not None
    assert found.interval_reason == "one_cluster"


@pytest.mark.parametrize(("level", "note"), [(0, "the reference level"), (9, "the level")])
def test_factor_with_one_level_has_no_effect(level: int, note: str) -> None:
    found = factor_effect(np.arange(96.0), level <= RATER, item=ITEM, rater=RATER)
    assert (found.reason, found.note) == ("no_pairable_units", f"There are no ratings of {note}.")


def test_few_raters_seeing_both_levels_are_noted() -> None:
    rng = np.random.default_rng(3)
    item, rater, arm = (axis.ravel() for axis in np.indices((8, 3, 2)))
    found = factor_effect(rng.normal(size=48), arm == 1, item=item, rater=rater)
    assert found.interval_warnings == ("With only 3 raters, an interval for new raters is very wide.",)


@pytest.mark.parametrize(("sd_of_raters", "is_larger"), [(0.2, True), (0.7, False)])
def test_versions_of_items_have_the_degrees_of_freedom_of_items_and_raters(
    sd_of_raters: float,
    is_larger: bool,  # noqa: FBT001
) -> None:
    """By hand: 1 / (p^2 / (raters - 1) + (1 - p)^2 / (items - 1)) for the share p of the raters in the variance.

    Where it is the larger of the variances of items and raters: the degrees of freedom of that.
    """
    rng = np.random.default_rng(4)
    item, rater, version = (code.ravel() for code in np.indices((12, 4, 2)))
    value = rng.normal(size=12)[item] + rng.normal(size=len(item)) + rng.normal(0, sd_of_raters, (4, 2))[rater, version]
    value = value + rng.normal(0, sd_of_raters, (12, 2))[item, version]
    found = factor_effect(value, version == 1, item=item, rater=rater, is_of_items=True)
    few = factor_effect(value, version == 1, item=item, rater=rater)
    gap = value.reshape(12, 4, 2) @ np.array([-1.0, 1.0])
    by_item, by_rater = gap.mean(axis=1).var(ddof=1) / 12, gap.mean(axis=0).var(ddof=1) / 4
    centred = gap - gap.mean()
    by_cell = (centred**2).sum() / 48**2 * 48 / 47
    whole = max(by_item + by_rater - by_cell, by_item, by_rater)
    share = by_rater / whole
    combined = 1 / (share**2 / 3 + (1 - share) ** 2 / 11)
    assert (whole > by_item + by_rater - by_cell) == is_larger
    assert found.df == pytest.approx(larger_df((by_item, 11), (by_rater, 3)) if is_larger else combined)
    assert (found.estimate, found.standard_error) == (few.estimate, few.standard_error)
    assert few.df == 3
    assert found.standard_error == pytest.approx(whole**0.5)
