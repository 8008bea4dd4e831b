"""The mean over prompts for new items and new prompts, and the standard deviation between prompts."""

import numpy as np
import pytest

from app.stats.comparison.prompts import over_prompts

# Items in rows, prompts in columns: mean squares 32.5 (items), 13 (prompts) and 1 (rest), computed by hand.
TABLE = np.array([[1.0, 2.0, 5.0], [4.0, 5.0, 6.0], [7.0, 8.0, 11.0], [6.0, 9.0, 8.0]])


def test_mean_and_spread_of_a_table_computed_with_loops() -> None:
    n, k = TABLE.shape
    centre = sum(TABLE[i, j] for i in range(n) for j in range(k)) / (n * k)
    items = [sum(TABLE[i]) / k - centre for i in range(n)]
    prompts = [sum(TABLE[:, j]) / n - centre for j in range(k)]
    ms_items = k * sum(one**2 for one in items) / (n - 1)
    ms_prompts = n * sum(one**2 for one in prompts) / (k - 1)
    rest = sum((TABLE[i, j] - centre - items[i] - prompts[j]) ** 2 for i in range(n) for j in range(k))
    ms_rest = rest / ((n - 1) * (k - 1))
    found = over_prompts(TABLE)
    assert found.mean.estimate == pytest.approx(centre)
    assert found.mean.standard_error == pytest.approx(((ms_items + ms_prompts - ms_rest) / (n * k)) ** 0.5)
    assert found.sd.estimate == pytest.approx(((ms_prompts - ms_rest) / n) ** 0.5)
    assert found.mean.interval
    assert found.mean.interval.inference == "items_and_prompts"
    assert (found.mean.n_items, found.mean.n_raters, found.mean.n_ratings) == (n, k, n * k)
    assert k - 1 <= (found.mean.df or 0.0) <= n + k - 2


def test_items_without_all_prompts_are_left_out() -> None:
    more = np.vstack([TABLE, [[np.nan, 100.0, 100.0]]])
    assert over_prompts(more) == over_prompts(TABLE)


def test_prompts_that_do_not_differ_have_no_spread_and_leave_the_interval_of_items() -> None:
    column = np.array([[1.0], [4.0], [2.0], [6.0], [3.0]])
    found = over_prompts(np.hstack([column, column]))
    assert (found.sd.estimate, found.sd.p_value) == (0.0, 1.0)
    assert found.mean.standard_error == pytest.approx(float(np.std(column, ddof=1)) / 5**0.5)
    assert found.sd.interval
    assert (found.sd.interval.low, found.sd.interval.high) == (0.0, 0.0)


def test_shares_have_an_interval_between_nothing_and_all() -> None:
    rng = np.random.default_rng(1)
    share = np.asarray(rng.random((20, 3)) < np.array([0.9, 0.95, 0.98]), dtype=np.float64)
    found = over_prompts(share, null=0.5, is_share=True)
    assert found.mean.interval
    assert 0 < found.mean.interval.low < (found.mean.estimate or 0.0) < found.mean.interval.high < 1
    assert (found.mean.p_value or 1.0) < 0.01
    # The mean is 0 or 1 only if nothing varies; rounding may leave a mean of exactly 1 with a little variation.
    every = over_prompts(np.array([[1.0, 1.0], [1.0, 1.0 + 1e-3]]), is_share=True)
    assert every.mean.interval_reason == "no_variation"


def test_without_two_of_each_or_without_variation_there_is_no_interval() -> None:
    for table in (TABLE[:1], TABLE[:, :1], np.full((4, 3), np.nan)):
        found = over_prompts(table)
        assert (found.mean.reason, found.sd.reason) == ("no_pairable_units", "no_pairable_units")
    same = over_prompts(np.full((4, 3), 2.0))
    assert (same.mean.estimate, same.mean.interval_reason, same.sd.interval_reason) == (
        2.0,
        "no_variation",
        "no_variation",
    )


@pytest.mark.parametrize(("between", "n_prompts"), [(0.0, 3), (0.5, 3), (0.3, 5)])
def test_intervals_cover_the_truth(between: float, n_prompts: int) -> None:
    rng, covers, spreads, n = np.random.default_rng(7), 0, 0, 400
    for _ in range(n):
        table = rng.normal(0, 1, (40, 1)) + rng.normal(0, between, (1, n_prompts)) + rng.normal(0, 1, (40, n_prompts))
        found = over_prompts(table)
        assert found.mean.interval
        assert found.sd.interval
        covers += found.mean.interval.low <= 0 <= found.mean.interval.high
        spreads += found.sd.interval.low <= between <= found.sd.interval.high
    assert covers / n > 0.92
    assert spreads / n > 0.92
