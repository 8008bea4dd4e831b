import numpy as np
import pytest

from app.stats.linear.cluster_robust import linear_contrast
from app.stats.linear.slopes import covariate_slope, covariate_slope_difference

ITEM, RATER = (axis.ravel() for axis in np.indices((6, 8)))


def test_rater_covariate_has_only_a_between_slope() -> None:
    rng = np.random.default_rng(4)
    score = rng.normal(50, 10, 8)
    value = 0.05 * score[RATER] + rng.normal(size=48)
    found = covariate_slope(value, score[RATER], item=ITEM, rater=RATER)
    known = np.polyfit(score, [value[r == RATER].mean() for r in range(8)], 1)[0]
    assert found.between.estimate == pytest.approx(known)
    assert (found.within.reason, found.within.note) == ("no_variation", "The covariate does not vary within raters.")


def test_within_and_between_slopes_may_differ_in_sign() -> None:
    """Simpson's paradox: each rater prefers longer texts, but raters with longer texts are more severe."""
    rng = np.random.default_rng(5)
    mean = np.arange(8.0)
    length = mean[RATER] + rng.normal(0, 0.5, 48)
    of_rater = np.array([length[r == RATER].mean() for r in range(8)])
    value = 2 * (length - of_rater[RATER]) - 1 * of_rater[RATER] + 0.1 * rng.normal(size=48)
    found = covariate_slope(value, length, item=ITEM, rater=RATER)
    assert (found.within.estimate, found.between.estimate) == pytest.approx((2, -1), abs=0.1)
    assert found.within.interval
    assert found.between.interval


def test_slope_difference_matches_slopes_per_source() -> None:
    rng = np.random.default_rng(6)
    score, treated = rng.normal(size=8), ITEM % 2 == 0
    value = rng.normal(size=48)
    found = covariate_slope_difference(value, score[RATER], treated, item=ITEM, rater=RATER)
    sides = [covariate_slope(value[s], score[RATER][s], item=ITEM[s], rater=RATER[s]) for s in (treated, ~treated)]
    known = (sides[0].between.estimate or 0) - (sides[1].between.estimate or 0)
    assert found.between.estimate == pytest.approx(known)
    assert found.within.reason == "no_variation"


def test_constant_or_missing_covariate_has_no_slope() -> None:
    value = np.arange(48.0)
    found = covariate_slope(value, np.full(48, 3.0), item=ITEM, rater=RATER)
    assert {found.within.reason, found.between.reason} == {"no_variation"}
    found = covariate_slope(value, np.full(48, np.nan), item=ITEM, rater=RATER)
    assert {found.within.reason, found.between.reason} == {"no_pairable_units"}


def test_single_source_has_no_slope_difference() -> None:
    value = np.arange(48.0)
    found = covariate_slope_difference(value, RATER.astype(float), ITEM < 99, item=ITEM, rater=RATER)
    assert found.between.reason == "singular"


def test_between_slope_matches_linear_contrast() -> None:
    rng = np.random.default_rng(7)
    score = rng.normal(size=8)
    value = rng.normal(size=48)
    known = linear_contrast(
        value, np.column_stack([np.ones(48), score[RATER]]), np.array([0.0, 1.0]), item=ITEM, rater=RATER
    )
    found = covariate_slope(value, score[RATER], item=ITEM, rater=RATER).between
    assert (found.estimate, found.standard_error, found.df) == pytest.approx(
        (known.estimate, known.standard_error, known.df)
    )
