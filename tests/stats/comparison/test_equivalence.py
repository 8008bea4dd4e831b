from __future__ import annotations

import numpy as np
import pytest
from statsmodels.stats.weightstats import ttost_paired

from app.stats.comparison.describe import mean_difference
from app.stats.comparison.equivalence import equivalence, non_inferiority
from app.stats.core.result import Result, undefined


def test_one_rater_per_item_matches_paired_test_of_statsmodels() -> None:
    rng = np.random.default_rng(12)
    means = rng.normal(size=(25, 2)) * 0.5
    item = np.repeat(np.arange(25), 2)
    difference = mean_difference(means.ravel(), np.tile([True, False], 25), item=item, rater=item)
    p_value, lower, upper = ttost_paired(means[:, 0], means[:, 1], -0.4, 0.4)
    assert equivalence(difference, 0.4).p_value == pytest.approx(p_value)
    assert non_inferiority(difference, 0.4).p_value == pytest.approx(lower[1])
    assert max(lower[1], upper[1]) == p_value


@pytest.mark.parametrize(
    ("estimate", "is_equivalent", "is_not_worse"), [(0.0, True, True), (0.4, False, True), (-0.4, False, False)]
)
def test_equivalence_interval_and_p_value_agree(estimate: float, *, is_equivalent: bool, is_not_worse: bool) -> None:
    base = mean_difference(
        np.array([1.0, 2, 3, 5]), np.array([True, False] * 2), item=np.array([0, 0, 1, 1]), rater=np.array([0, 0, 1, 1])
    )
    assert base.interval is not None
    difference = Result(estimate, "", interval=base.interval, standard_error=0.2, df=20.0)
    both, one = equivalence(difference, 0.5), non_inferiority(difference, 0.5)
    assert both.interval is not None
    assert one.interval is not None
    assert (both.p_value or 0) < 0.05 if is_equivalent else (both.p_value or 1) > 0.05
    assert (both.interval.low > -0.5 and both.interval.high < 0.5) == is_equivalent
    assert (one.p_value or 0) < 0.05 if is_not_worse else (one.p_value or 1) > 0.05
    assert (one.interval.low > -0.5) == is_not_worse
    assert (both.interval.level, both.method) == (0.9, "two_way_cluster_t: equivalence within 0.5")


def test_difference_without_standard_error_is_not_tested() -> None:
    bare = Result(0.1, "two_way_cluster_t", interval_reason="one_cluster")
    assert equivalence(bare, 0.5) == bare
    nothing = undefined("no_pairable_units")
    assert non_inferiority(nothing, 0.5) == nothing


def test_zero_margin_is_rejected() -> None:
    with pytest.raises(ValueError, match="above 0"):
        equivalence(Result(0.1), 0)
