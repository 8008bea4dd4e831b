from dataclasses import replace

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from app.stats.arrays import codes
from app.stats.clusters import clusters, for_new_raters, has_few_raters, larger_df, two_way, with_two_way_interval
from app.stats.comparison.describe import mean_difference
from app.stats.result import Interval, Method, Result


def test_standard_error_matches_statsmodels_two_way_clusters() -> None:
    """Regression of value on source in statsmodels; covariance clustered by item, rater and cell, times G / (G - 1)."""
    rng = np.random.default_rng(7)
    item, rater, source = (axis.ravel() for axis in np.indices((12, 5, 2)))
    value = rng.normal(size=(12, 2))[item, source] + rng.normal(size=(5, 2))[rater, source] + rng.random(item.size)
    here = rng.random(item.size) < 0.8
    value, source, item, rater = value[here], source[here], item[here], rater[here]
    fit = sm.OLS(value, sm.add_constant(source.astype(float))).fit()
    parts = {}
    for name, groups in {"item": item, "rater": rater, "cell": item * 100 + rater}.items():
        code, n = codes(groups)
        robust = fit.get_robustcov_results("cluster", groups=code, use_correction=False)
        parts[name] = robust.cov_params()[1, 1] * n / (n - 1)
    total = parts["item"] + parts["rater"] - parts["cell"]
    assert total > max(parts["item"], parts["rater"])
    result = mean_difference(value, source == 1, item=item, rater=rater)
    assert result.standard_error == pytest.approx(total**0.5, rel=1e-10)
    assert result.df == 4


def test_variance_is_at_least_the_larger_one_way_variance() -> None:
    """Opposite ratings in each cell: the cells vary more than items and raters together."""
    item, rater = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    influence = np.array([3.0, -1.0, -1.0, -1.0])
    one_way = 2 * (2.0**2 + 2.0**2)
    assert two_way(influence, clusters(item, rater)).standard_error == pytest.approx(one_way**0.5)


def test_raters_with_one_item_each_match_scipy_paired_t_test() -> None:
    rng = np.random.default_rng(3)
    means = rng.normal(size=(9, 2))
    value, treated, item = means.ravel(), np.tile([False, True], 9), np.repeat(np.arange(9), 2)
    result = mean_difference(value, treated, item=item, rater=item)
    expected = stats.ttest_rel(means[:, 1], means[:, 0])
    interval = expected.confidence_interval()
    assert result.interval is not None
    assert (result.interval.low, result.interval.high) == pytest.approx((interval.low, interval.high))
    assert result.p_value == pytest.approx(expected.pvalue)


def test_equal_cluster_totals_have_no_interval() -> None:
    groups = clusters(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    result = with_two_way_interval(3.0, np.array([1.0, -1.0, -1.0, 1.0]), groups)
    assert (result.interval, result.interval_reason, result.estimate) == (None, "no_variation", 3.0)


@pytest.mark.parametrize(("n_raters", "is_few"), [(1, False), (2, True), (3, True), (4, False), (None, False)])
def test_two_or_three_raters_are_flagged_as_few(n_raters: int | None, *, is_few: bool) -> None:
    interval = Interval(0.1, 0.9, Method("two_way_cluster_t"), inference="items_and_raters")
    assert has_few_raters(Result(0.5, interval=interval, n_raters=n_raters)) is is_few
    assert not has_few_raters(Result(0.5, n_raters=n_raters))


@pytest.mark.parametrize(("first", "second"), [((1.0, 3), (1.0, 29)), ((3.0, 3), (2.0, 29)), ((1.0, 5), (1.0, 5))])
def test_degrees_of_freedom_of_the_larger_variance_are_those_of_its_mean_and_variance(
    first: tuple[float, float], second: tuple[float, float]
) -> None:
    rng = np.random.default_rng(1)
    drawn = np.maximum(*(variance * rng.chisquare(df, 400_000) / df for variance, df in (first, second)))
    assert larger_df(first, second) == pytest.approx(2 * drawn.mean() ** 2 / drawn.var(), rel=0.02)
    assert larger_df(second, first) == pytest.approx(larger_df(first, second))


def test_intervals_of_what_raters_say_about_themselves_are_for_new_raters() -> None:
    groups = clusters(np.arange(3), np.arange(3))
    found = for_new_raters(with_two_way_interval(2.0, np.array([1.0, -1.0, 0.0]) / 3, groups))
    assert found.interval is not None
    assert (str(found.method), str(found.interval.method)) == ("cluster_t_units", "cluster_t_units")
    assert found.interval.inference == "raters"
    alone = for_new_raters(with_two_way_interval(2.0, np.zeros(1), clusters(np.zeros(1), np.zeros(1))))
    assert (alone.interval, alone.note) == (None, "An interval for new raters needs two of them.")
    other = replace(found, method=Method("feldt"), interval=replace(found.interval, method=Method("feldt")))
    assert for_new_raters(other) == other
