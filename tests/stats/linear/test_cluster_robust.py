from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg

from app.stats.arrays import Floats, Ints
from app.stats.clusters import clusters
from app.stats.comparison.describe import mean_difference
from app.stats.linear.cluster_robust import cluster_variance, linear_contrast
from app.stats.linear.regression import least_squares
from tests.stats.conftest import RandomRatings
from tests.stats.sleepstudy import day, reaction, subject

LAST = np.array([0.0, 1.0])


def _line(x: Floats) -> Floats:
    return np.column_stack([np.ones(len(x)), x])


def _by_definition(
    y: Floats, x: Floats, code: Ints, contrast: Floats, counted: Sequence[int] | None = None
) -> tuple[float, float]:
    """Return CR2 variance and Satterthwaite df from the full hat matrix (Pustejovsky and Tipton 2018, eq. 4 to 10).

    In the working model, ratings of one cluster share half their variance. `counted`: the clusters to count, or all.
    """
    working = ((code[:, np.newaxis] == code) + np.eye(len(y))) / 2
    n, inverse = len(y), np.linalg.inv(x.T @ x)
    residuals = np.eye(n) - x @ inverse @ x.T
    e, variance, pulls = residuals @ y, 0.0, []
    for g in range(code.max() + 1) if counted is None else counted:
        here = code == g
        adjusted = np.real(linalg.inv(linalg.sqrtm(residuals[np.ix_(here, here)])))
        a = adjusted @ x[here] @ inverse @ contrast
        variance += float(a @ e[here]) ** 2
        pulls.append(residuals[:, here] @ a)
    p = np.array(pulls) @ working @ np.array(pulls).T
    return variance, float(np.trace(p) ** 2 / (p**2).sum())


def test_cr2_variance_and_degrees_of_freedom_match_definition() -> None:
    rng = np.random.default_rng(3)
    code = np.concatenate([np.arange(6), rng.integers(0, 6, 34)])
    x = np.column_stack([np.ones(40), rng.normal(size=40), code < 2])
    y, contrast = rng.normal(size=40), np.array([0.0, 0.5, 1.0])
    fit = least_squares(y, x)
    assert fit is not None
    found = cluster_variance(fit, code, contrast)
    assert (found.variance * fit.scale**2, found.df) == pytest.approx(_by_definition(y, x, code, contrast))
    assert not found.has_lone_cluster
    some = found.of(np.isin(np.arange(6), [0, 2, 3]))
    assert (some.variance * fit.scale**2, some.df) == pytest.approx(_by_definition(y, x, code, contrast, [0, 2, 3]))


def test_sleepstudy_slope_matches_lmertest() -> None:
    """Reaction ~ Days + (Days | Subject): 10.46729, SE 1.54579, df 17.0 (lme4 1.1.31, lmerTest 3.1.3)."""
    result = linear_contrast(reaction, _line(day), LAST, item=subject, rater=subject)
    assert (result.estimate, result.standard_error, result.df) == pytest.approx((10.46729, 1.54579, 17), abs=1e-5)


def test_balanced_arms_give_plain_two_way_interval() -> None:
    rng = np.random.default_rng(2)
    item, rater, arm = (axis.ravel() for axis in np.indices((8, 5, 2)))
    value = rng.normal(size=80) + rng.normal(size=(5, 2))[rater, arm]
    found = linear_contrast(value, _line(arm), LAST, item=item, rater=rater)
    known = mean_difference(value, arm == 1, item=item, rater=rater)
    groups = clusters(item, rater)
    fit = least_squares(value, _line(arm))
    assert fit is not None
    assert cluster_variance(fit, groups.rater, LAST).df == pytest.approx(4)
    assert found.estimate == pytest.approx(known.estimate)
    assert found.standard_error == pytest.approx(known.standard_error, rel=0.02)


def test_rater_arms_have_welch_degrees_of_freedom() -> None:
    """Two raters against five, each with the mean of one item: Bell and McCaffrey's df with equal precision."""
    value = np.array([1.0, 2, 4, 5, 3, 6, 8])
    arm = np.array([1.0, 1, 0, 0, 0, 0, 0])
    result = linear_contrast(value, _line(arm), LAST, item=np.arange(7), rater=np.arange(7))
    known = (value[:2].var(ddof=1) / 2 + value[2:].var(ddof=1) / 5) ** 0.5
    assert result.standard_error == pytest.approx(known)
    assert result.df == pytest.approx((1 / 2 + 1 / 5) ** 2 / (1 / 4 + 1 / 25 / 4))


def test_weights_equal_repeated_rows() -> None:
    rng = np.random.default_rng(1)
    x, y, w = rng.normal(size=12), rng.normal(size=12), np.tile([1.0, 2.0], 6)
    code = np.repeat(np.arange(4), 3)
    again = np.repeat(np.arange(12), w.astype(int))
    one = linear_contrast(y, _line(x), LAST, item=code, rater=code, weight=w)
    two = linear_contrast(y[again], _line(x[again]), LAST, item=code[again], rater=code[again])
    assert (one.estimate, one.standard_error) == pytest.approx((two.estimate, two.standard_error))


@pytest.mark.parametrize(
    ("value", "x", "item", "rater", "reason", "interval_reason"),
    [
        ([], [], [], [], "no_pairable_units", None),
        ([1, 2], [1, 1], [0, 1], [0, 1], "singular", None),
        ([1], [1], [0], [0], "singular", None),
        ([1, 2, 4], [0, 1, 1], [0, 1, 2], [0, 0, 0], None, "one_cluster"),
        ([1, 2, 2], [0, 1, 1], [0, 1, 2], [0, 1, 2], None, "no_variation"),
        ([1, 2, 4, 3], [0, 1, 1, 0], [0, 1, 2, 3], [0, 1, 1, 0], None, "one_cluster"),
        ([1, 3, 1, 3], [0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1], None, "one_cluster"),
    ],
)
def test_inestimable_contrast_reports_a_reason(  # the columns of the parameter table
    value: list[float],
    x: list[float],
    item: list[int],
    rater: list[int],
    reason: str | None,
    interval_reason: str | None,
) -> None:
    columns = _line(np.array(x, float))
    result = linear_contrast(np.array(value, float), columns, LAST, item=np.array(item), rater=np.array(rater))
    assert (result.reason, result.interval_reason) == (reason, interval_reason)


def test_cancelling_clusters_have_no_variation() -> None:
    value, x = np.array([1.0, 3, 1, 3, 1, 3, 1, 3]), np.array([0.0, 0, 1, 1, 0, 0, 1, 1])
    place = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    result = linear_contrast(value, _line(x), LAST, item=place, rater=place)
    assert result.estimate == pytest.approx(0)
    assert result.interval_reason == "no_variation"


@given(data=st.data())
def test_contrast_reports_result_or_reason_for_any_ratings(random_ratings: RandomRatings, data: st.DataObject) -> None:
    r = data.draw(random_ratings)
    kept = np.isfinite(r.value)
    x = _line(r.is_treated[kept].astype(float))
    result = linear_contrast(r.value[kept], x, LAST, item=r.item[kept], rater=r.rater[kept])
    assert result.reason or result.interval or result.interval_reason
    if result.interval:
        assert result.interval.low <= (result.estimate or 0) <= result.interval.high
