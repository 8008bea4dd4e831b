import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.stats.arrays import Floats
from app.stats.clusters import clusters
from app.stats.comparison.bootstrap import mean_difference_pigeonhole, resampled_sums
from app.stats.comparison.describe import mean_difference
from tests.stats.conftest import RandomRatings, Where


def _study(n_items: int, n_raters: int) -> tuple[Floats, Floats, Where]:
    rng = np.random.default_rng(6)
    item, rater, source = (axis.ravel() for axis in np.indices((n_items, n_raters, 2)))
    value = rng.normal(size=(n_items, 2))[item, source] + rng.normal(size=(n_raters, 2))[rater, source]
    return value + rng.normal(size=len(item)), source, {"item": item, "rater": rater}


def test_resampling_weight_is_product_of_item_and_rater_draws() -> None:
    groups = clusters(np.array([0, 0, 1, 2, 2]), np.array([0, 1, 1, 0, 0]))
    columns = np.array([[1.0, 2, 4, 8, 16], np.ones(5)])
    found = resampled_sums(groups, columns, 130, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    expected = []
    for size in (100, 30):
        by_item, by_rater = (rng.multinomial(n, np.full(n, 1 / n), size) for n in (3, 2))
        weights = by_item[:, groups.item] * by_rater[:, groups.rater]
        expected.append(columns @ weights.T)
    assert found == pytest.approx(np.concatenate(expected, axis=1))


def test_bootstrap_standard_error_is_near_two_way_formula() -> None:
    value, source, where = _study(60, 25)
    boot = mean_difference_pigeonhole(value, source == 1, **where, n_resamples=2000)
    formula = mean_difference(value, source == 1, **where)
    assert boot.estimate == formula.estimate
    assert boot.standard_error == pytest.approx(formula.standard_error, rel=0.1)
    assert boot.interval is not None
    assert str(boot.interval.method) == "pigeonhole"


@pytest.mark.parametrize(
    ("value", "treated", "item", "rater", "reason", "interval_reason"),
    [
        ([], [], [], [], "no_pairable_units", None),
        ([1], [True], [0], [0], "no_pairable_units", None),
        ([1, 2], [True, False], [0, 0], [0, 1], None, "one_cluster"),
        ([1, 2], [True, False], [0, 1], [0, 1], None, "one_cluster"),
        ([2, 2] * 30, [True, False] * 30, list(range(10)) * 6, [0] * 20 + [1] * 20 + [2] * 20, None, "no_variation"),
    ],
)
def test_unresampleable_data_report_a_reason(  # the columns of the parameter table
    value: list[float],
    treated: list[bool],
    item: list[int],
    rater: list[int],
    reason: str | None,
    interval_reason: str | None,
) -> None:
    where: Where = {"item": np.array(item), "rater": np.array(rater)}
    result = mean_difference_pigeonhole(np.array(value, float), np.array(treated, bool), **where)
    assert (result.reason, result.interval_reason) == (reason, interval_reason)


@settings(max_examples=50)
@given(data=st.data())
def test_bootstrap_reports_result_or_reason_for_any_ratings(random_ratings: RandomRatings, data: st.DataObject) -> None:
    r = data.draw(random_ratings)
    result = mean_difference_pigeonhole(r.value, r.is_treated, n_resamples=40, **r.clusters)
    assert result.reason or result.interval or result.interval_reason
