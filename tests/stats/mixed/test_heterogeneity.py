"""How far an effect differs between items and raters, against the analysis of variance of complete data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

from app.stats.mixed.heterogeneity import Heterogeneity, heterogeneity

if TYPE_CHECKING:
    from app.stats.arrays import Floats

ITEMS, RATERS = 12, 7


def differences(seed: int = 3) -> Floats:
    """The difference of each item (row) and rater, with effects of both."""
    draw = np.random.default_rng(seed)
    by_item, by_rater = draw.normal(0, 0.8, (ITEMS, 1)), draw.normal(0, 0.6, (1, RATERS))
    return np.asarray(0.4 + by_item + by_rater + draw.normal(0, 0.7, (ITEMS, RATERS)), dtype=np.float64)


def of_pairs(difference: Floats, level: Floats | float = 0.0) -> Heterogeneity:
    """Complete data: each rater rates both responses of each item, with this difference around this level."""
    item, rater = (part.ravel() for part in np.indices(difference.shape))
    value = np.concatenate([(level + difference / 2).ravel(), (level - difference / 2).ravel()])
    mine = np.repeat([True, False], difference.size)
    return heterogeneity(value, mine, item=np.tile(item, 2), rater=np.tile(rater, 2))


def anova(table: Floats) -> tuple[float, float, float]:
    """The mean squares of rows, columns and residual of a complete table with one value a cell."""
    (k, m), mean = table.shape, table.mean()
    rows, columns = table.mean(axis=1) - mean, table.mean(axis=0) - mean
    rest = table - mean - rows[:, np.newaxis] - columns
    return (
        float((rows**2).sum() * m / (k - 1)),
        float((columns**2).sum() * k / (m - 1)),
        float((rest**2).sum() / ((k - 1) * (m - 1))),
    )


def test_share_is_that_of_the_analysis_of_variance() -> None:
    """Complete data with one value a cell: REML gives the components of the mean squares, if these are positive."""
    table = differences()
    scaled = (table - table.min()) / np.ptp(table)
    item, rater = (part.ravel() for part in np.indices(table.shape))
    found = heterogeneity(scaled.ravel(), None, item=item, rater=rater)
    rows, columns, rest = anova(scaled)
    by_item, by_rater = (rows - rest) / RATERS, (columns - rest) / ITEMS
    error = (rows + columns - rest) / scaled.size
    share = scaled.mean()
    logit = np.log(share / (1 - share))
    for one, variance, k in ((found.new_item, by_item, ITEMS), (found.new_rater, by_rater, RATERS)):
        assert one.df is not None
        assert 2 < one.df <= k - 2
        reach = stats.t.ppf(0.975, one.df) * np.sqrt(variance + error) / (share * (1 - share))
        ends = [1 / (1 + np.exp(-(logit + side * reach))) for side in (-1, 1)]
        assert one.interval is not None
        assert (one.estimate, one.interval.low, one.interval.high) == pytest.approx((share, *ends), abs=1e-4)
    assert found.opposite.estimate == pytest.approx(stats.norm.cdf(-abs(share - 0.5) / np.sqrt(by_item)), abs=1e-4)
    assert found.items is not None
    own = scaled.mean(axis=1)
    assert found.items.plain == pytest.approx(own)
    shrinkage = by_item / (by_item + rest / RATERS)
    assert found.items.shrunken == pytest.approx(share + shrinkage * (own - share), abs=1e-4)


def test_difference_of_pairs_is_that_of_the_differences() -> None:
    """With levels that do not differ, only the differences vary: their standard deviations are those of the table."""
    table = differences()
    draw = np.random.default_rng(8)
    found = of_pairs(table, 3 + draw.normal(0, np.sqrt(anova(table)[2]) / 2, table.shape))
    rows, columns, rest = anova(table)
    assert found.new_item.estimate == pytest.approx(table.mean(), abs=1e-9)
    for one, variance, k in (
        (found.new_item, (rows - rest) / RATERS, ITEMS),
        (found.new_rater, (columns - rest) / ITEMS, RATERS),
    ):
        assert one.interval is not None
        assert one.df is not None
        assert one.df <= k - 2
        reach = stats.t.ppf(0.975, one.df) * np.sqrt(variance + (rows + columns - rest) / table.size)
        assert one.interval.high - one.interval.low == pytest.approx(2 * reach, rel=0.02)
    n = int((table.mean(axis=1) < 0).sum())
    assert found.opposite.note == f"{n} of {ITEMS} items have the opposite sign in the data"
    assert found.items is not None
    assert found.items.plain == pytest.approx(table.mean(axis=1))
    assert np.abs(found.items.shrunken - table.mean()).sum() < np.abs(table.mean(axis=1) - table.mean()).sum()


def test_items_and_raters_are_exchangeable() -> None:
    table = differences()
    level = np.random.default_rng(8).normal(3, 0.4, table.shape)
    found, turned = of_pairs(table, level), of_pairs(table.T, level.T)
    for one, other in ((found.new_item, turned.new_rater), (found.new_rater, turned.new_item)):
        assert one.interval is not None
        assert other.interval is not None
        ends = one.interval.low, one.interval.high, one.df
        assert (other.interval.low, other.interval.high, other.df) == pytest.approx(ends, rel=1e-3)


def test_without_differences_between_items_no_item_has_the_opposite_sign() -> None:
    draw = np.random.default_rng(1)
    noise = draw.normal(0, 0.5, (ITEMS, RATERS))
    table = 1 + noise - noise.mean(axis=1, keepdims=True)
    found = of_pairs(table, 3 + draw.normal(0, 0.25, table.shape))
    assert found.opposite.estimate == 0
    assert found.items is not None
    assert np.ptp(found.items.shrunken) == pytest.approx(0, abs=1e-4)


def test_too_few_raters_leave_the_interval_for_new_items() -> None:
    found = of_pairs(differences()[:, :4], np.random.default_rng(2).normal(3, 0.4, (ITEMS, 4)))
    assert found.new_item.interval is not None
    assert found.new_rater.reason == "too_few"
    assert found.new_rater.note.startswith("Only 4 raters have")
    alone = of_pairs(differences()[:, :1], np.random.default_rng(2).normal(3, 0.4, (ITEMS, 1)))
    assert alone.new_rater.note.startswith("Only 1 rater has")


def test_items_with_one_rating_of_each_source_are_not_told_apart() -> None:
    value = np.random.default_rng(4).normal(3, 1, 2 * ITEMS)
    item = np.tile(np.arange(ITEMS), 2)
    found = heterogeneity(value, np.repeat([True, False], ITEMS), item=item, rater=item)
    assert (found.opposite.reason, found.items) == ("too_few", None)
    assert found.new_item.note.startswith("No item has enough ratings")


def test_what_has_no_variance_or_no_reference_is_undefined() -> None:
    item = np.arange(6)
    same = heterogeneity(np.full(6, 2.0), item < 3, item=item, rater=item)
    assert same.new_item.reason == "no_variation"
    for value in (np.full(6, np.nan), np.arange(6.0)):
        assert heterogeneity(value, item >= 0, item=item, rater=item).opposite.reason == "no_pairable_units"


def test_fit_that_did_not_converge_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.stats.mixed.lmm._LEVEL", -1.0)
    assert of_pairs(differences(), 3.0).new_item.reason == "not_converged"


@pytest.mark.slow
def test_prediction_intervals_cover_the_effect_on_new_items() -> None:
    draw, n, covered = np.random.default_rng(1), 200, 0
    for _ in range(n):
        by_item, by_rater = draw.normal(0, 0.5, (10, 1)), draw.normal(0, 0.4, (1, 8))
        level = 4 + draw.normal(0, 0.6, (10, 1)) + draw.normal(0, 0.5, (1, 8)) + draw.normal(0, 0.5, (10, 8))
        found = of_pairs(0.4 + by_item + by_rater + draw.normal(0, 1, (10, 8)), level).new_item.interval
        assert found is not None
        covered += found.low <= 0.4 + draw.normal(0, 0.5) <= found.high
    assert covered / n >= 0.92


def test_effect_that_does_not_vary_has_an_sd_of_0() -> None:
    """The search for the boundary ends beside it, at 1e-9 or so."""
    residual = np.where((np.indices((ITEMS, RATERS - 1)).sum(axis=0)) % 2, 0.5, -0.5)
    level = np.random.default_rng(8).normal(3, 0.4, residual.shape)
    found = of_pairs(0.4 + residual, level)
    assert found.new_item.note == "The SD of the effect over items is 0"
    assert found.new_rater.note == "The SD of the effect over raters is 0"
