"""Contrasts between raters of different arms: CR2 and its degrees of freedom against matrices and classical tests."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from app.stats.arms import Arms, Side, model_df
from app.stats.arrays import Bools, Floats, Ints
from app.stats.comparison.describe import mean_difference
from app.stats.factors import interaction
from app.stats.mixed.clmm import compare_ordinal


def _by_matrices(side: Side, influence: Floats) -> tuple[float, float]:
    """Return CR2 and Satterthwaite df in the notation of Pustejovsky and Tipton (2018)."""
    cell, n = side.arms.cell, len(side.code)
    design = np.eye(int(cell.max()) + 1)[cell]
    bread = np.linalg.inv(design.T @ design)
    hat, one = design @ bread @ design.T, np.eye(n)
    signs = np.where(np.isin(np.arange(design.shape[1]), [1, 2]), -1.0, 1.0)
    taken = design @ bread @ signs
    working = (side.code[:, np.newaxis] == side.code) / 2 + one / 2
    corrected = np.zeros((n, side.n_clusters))
    totals = np.zeros(side.n_clusters)
    for cluster in range(side.n_clusters):
        own = side.code == cluster
        values, vectors = np.linalg.eigh(one[np.ix_(own, own)] - hat[np.ix_(own, own)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        corrected[own, cluster] = root @ taken[own]
        # the influence of a rating is its residual times its contribution to the contrast
        totals[cluster] = corrected[own, cluster] @ (influence[own] / taken[own])
    covariance = corrected.T @ (one - hat) @ working @ (one - hat) @ corrected
    return float((totals**2).sum()), float(np.trace(covariance) ** 2 / (covariance**2).sum())


def _influence(value: Floats, arms: Arms) -> Floats:
    sign = np.where(np.isin(arms.cell, [1, 2]), -1.0, 1.0)
    size = np.bincount(arms.cell)
    mean = np.bincount(arms.cell, value) / np.maximum(size, 1)
    return sign * (value - mean[arms.cell]) / size[arms.cell]


@settings(max_examples=40)
@given(seed=st.integers(0, 10_000), n_in_arm=st.integers(2, 6), has_sources=st.booleans())
def test_closed_form_matches_matrix_computation(seed: int, n_in_arm: int, has_sources: bool) -> None:  # noqa: FBT001
    rng = np.random.default_rng(seed)
    code = np.concatenate([np.arange(12).repeat(2), rng.integers(0, 12, 50)])
    arm = code < n_in_arm
    source = np.concatenate([np.tile([True, False], 12), rng.random(50) < 0.5])
    arms = Arms.of_four(source, arm) if has_sources else Arms.of_two(arm)
    side = Side(code, 12, arms)
    influence = _influence(rng.normal(size=len(code)), arms)
    assert side.is_between
    assert (side.variance(influence), side.df) == pytest.approx(_by_matrices(side, influence))


def test_equal_arms_with_one_rating_per_rater_match_student_t() -> None:
    rng = np.random.default_rng(1)
    value, treated, place = rng.normal(size=20), np.arange(20) < 10, np.arange(20)
    found = mean_difference(value, treated, item=place, rater=place)
    known = stats.ttest_ind(value[:10], value[10:])
    assert (found.p_value, found.df) == pytest.approx((known.pvalue, 18))
    assert found.note == ""


def test_raters_in_pairs_of_one_item_match_welchs_test_of_the_means_of_pairs() -> None:
    """Two who wrote with each other are one cluster; as two raters they gave 21 degrees of freedom, not 8."""
    pairs = np.array([[7, 7.5], [9, 8], [4, 4.5], [8, 8.5], [6, 5], [3, 4], [5, 4.5], [6, 7], [2, 2.5], [4, 3]])
    source = np.repeat([1, 0], 5)
    result = mean_difference(
        pairs.ravel(), np.repeat(source, 2) == 1, item=np.repeat(np.arange(10), 2), rater=np.arange(20)
    )
    means = pairs.mean(axis=1)
    welch = stats.ttest_ind(means[source == 1], means[source == 0], equal_var=False)
    assert result.standard_error == pytest.approx((means[:5].mean() - means[5:].mean()) / welch.statistic)
    assert result.df == pytest.approx(8)


def test_unequal_arms_match_welch_standard_error() -> None:
    """The error is Welch's; the degrees of freedom are Welch's if both arms have equal variances."""
    rng = np.random.default_rng(2)
    value, treated, place = rng.normal(size=20), np.arange(20) < 6, np.arange(20)
    found = mean_difference(value, treated, item=place, rater=place)
    known = stats.ttest_ind(value[:6], value[6:], equal_var=False)
    assert (found.estimate or 0) / (found.standard_error or 1) == pytest.approx(known.statistic)
    assert found.df == pytest.approx((1 / 6 + 1 / 14) ** 2 / (1 / 6**2 / 5 + 1 / 14**2 / 13))


def _study(n_raters: int, n_in_arm: int) -> tuple[Floats, Ints, Ints, Bools]:
    rng = np.random.default_rng(n_raters + n_in_arm)
    item, rater = (axis.ravel() for axis in np.indices((30, n_raters)))
    value = rng.normal(size=30)[item] + rng.normal(size=n_raters)[rater] + rng.normal(size=len(item))
    return value, item, rater, np.asarray(rater < n_in_arm)


def test_degrees_of_freedom_count_raters_per_arm() -> None:
    """Twenty raters, two of them in one arm: fewer than nineteen degrees of freedom, and a warning."""
    value, item, rater, treated = _study(20, 2)
    few = mean_difference(value, treated, item=item, rater=rater)
    assert few.interval_warnings == ("One arm has only 2 raters, so the interval is wide.",)
    assert few.df is not None
    assert few.df < 2
    value, item, rater, treated = _study(20, 5)
    enough = mean_difference(value, treated, item=item, rater=rater)
    assert enough.note == ""
    assert enough.df is not None
    assert enough.df < 10


def test_small_arm_that_varies_more_keeps_its_own_variance() -> None:
    """Three raters against seventeen who vary half as much; the pooled variance covered .88."""
    rng = np.random.default_rng(7)
    item, rater = (axis.ravel() for axis in np.indices((12, 20)))
    treated, held = rater < 3, 0
    for _ in range(400):
        level = rng.normal(size=20) * np.where(np.arange(20) < 3, 2, 1)
        value = rng.normal(size=12)[item] + level[rater] + rng.normal(size=240)
        interval = mean_difference(value, treated, item=item, rater=rater).interval
        assert interval
        held += interval.low <= 0 <= interval.high
    assert 0.92 <= held / 400 <= 0.98


def test_single_rater_arm_has_no_interval() -> None:
    value, item, rater, treated = _study(8, 1)
    assert mean_difference(value, treated, item=item, rater=rater).interval_reason == "one_cluster"
    source = item % 2 == 0
    assert interaction(value, source, treated, item=item, rater=rater).interval_reason == "one_cluster"
    ordinal = compare_ordinal(np.clip(np.rint(value), -2, 2), treated, item=item, rater=rater)
    assert ordinal.effect.interval_reason == "one_cluster"


def test_between_rater_contrast_loses_one_degree_of_freedom() -> None:
    rater = np.repeat(np.arange(6), 4)
    assert model_df(rater, 6, Arms.of_two(rater < 3)) == 4
    assert model_df(rater, 6, Arms.of_two(np.tile([True, False], 12))) == 5
    assert model_df(rater, 6, Arms.of_two(rater < 1)) == 0


def test_arm_of_three_raters_gets_few_degrees_of_freedom() -> None:
    rng = np.random.default_rng(4)
    item = np.concatenate([np.tile(np.arange(20), 3), rng.integers(0, 20, 60)])
    rater = np.concatenate([np.repeat(np.arange(3), 20), np.repeat(np.arange(3, 33), 2)])
    value, is_expert = rng.normal(size=120) + rng.normal(size=33)[rater], rater < 3
    found = mean_difference(value, is_expert, item=item, rater=rater)
    assert found.interval_warnings == ("One arm has only 3 raters, so the interval is wide.",)
    assert found.df is not None
    assert found.df < 4
