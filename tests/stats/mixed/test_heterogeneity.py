"""How far an effect differs between items and raters, against the analysis of variance of complete data."""

import numpy as np
import pytest
from scipy import integrate, stats

from app.stats.arrays import Floats
from app.stats.mixed.heterogeneity import Heterogeneity, heterogeneity

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


def beyond(distance: float, tau2: float, within: float, of_mean: float, k: int) -> float:
    """The probability that a new effect is this far below the estimate, by integration over tau's distribution."""

    def at(chi2: float) -> float:
        total = (tau2 + within) * (k - 1) / chi2
        variance = max(total - within, 0) + max(of_mean + (total - tau2 - within) / k, 0)
        return float(stats.norm.cdf(-distance / np.sqrt(variance)) * stats.chi2.pdf(chi2, k - 1))

    corner = (tau2 + within) * (k - 1) / within
    parts = ((1e-9, corner), (corner, 12.0 * k))
    return sum(float(integrate.quad(at, *ends, limit=200)[0]) for ends in parts)


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
    slope = share * (1 - share)
    for one, variance, k, n in ((found.new_item, by_item, ITEMS, RATERS), (found.new_rater, by_rater, RATERS, ITEMS)):
        assert one.interval is not None
        for end in (one.interval.low, one.interval.high):
            distance = abs(np.log(end / (1 - end)) - logit) * slope
            assert beyond(distance, variance, rest / n, error, k) == pytest.approx(0.025, abs=1e-4)
        assert one.estimate == pytest.approx(share, abs=1e-9)
    opposite = beyond(abs(logit) * slope, by_item, rest / RATERS, error, ITEMS)
    assert found.opposite.estimate == pytest.approx(opposite, abs=1e-4)
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
    error = (rows + columns - rest) / table.size
    assert found.new_item.estimate == pytest.approx(table.mean(), abs=1e-9)
    for one, mean_square, k, n in ((found.new_item, rows, ITEMS, RATERS), (found.new_rater, columns, RATERS, ITEMS)):
        assert one.interval is not None
        reach = (one.interval.high - one.interval.low) / 2
        assert beyond(reach, (mean_square - rest) / n, rest / n, error, k) == pytest.approx(0.025, abs=2e-3)
    n = int((table.mean(axis=1) < 0).sum())
    assert found.opposite.note == f"{n} of {ITEMS} items have the opposite sign in the data"
    assert found.items is not None
    assert found.items.plain == pytest.approx(table.mean(axis=1))
    assert np.abs(found.items.shrunken - table.mean()).sum() < np.abs(table.mean(axis=1) - table.mean()).sum()


@pytest.mark.parametrize("seed", range(6))
def test_interval_for_a_new_item_and_share_of_opposite_items_agree(seed: int) -> None:
    """The effect hardly differs between items: a tau near 0 once had 1 degree of freedom, and a share of 0."""
    draw = np.random.default_rng(seed)
    table = 0.6 + draw.normal(0, 0.02, (ITEMS, 1)) + draw.normal(0, 0.5, (ITEMS, RATERS))
    found = of_pairs(table, 4 + draw.normal(0, 0.25, table.shape))
    interval, share = found.new_item.interval, found.opposite.estimate
    assert interval is not None
    assert share is not None
    assert (interval.low > 0) == (share < 0.025)
    # no wider than two standard deviations of the means of the items on each side
    assert interval.high - interval.low < 4.2 * table.mean(axis=1).std(ddof=1) + 4.2 * 0.5 / np.sqrt(RATERS)


def test_items_and_raters_are_exchangeable() -> None:
    table = differences()
    level = np.random.default_rng(8).normal(3, 0.4, table.shape)
    found, turned = of_pairs(table, level), of_pairs(table.T, level.T)
    for one, other in ((found.new_item, turned.new_rater), (found.new_rater, turned.new_item)):
        assert one.interval is not None
        assert other.interval is not None
        ends = one.interval.low, one.interval.high
        assert (other.interval.low, other.interval.high) == pytest.approx(ends, rel=1e-3)


def test_without_differences_between_items_few_items_have_the_opposite_sign() -> None:
    draw = np.random.default_rng(1)
    noise = draw.normal(0, 0.5, (ITEMS, RATERS))
    table = 1 + noise - noise.mean(axis=1, keepdims=True)
    found = of_pairs(table, 3 + draw.normal(0, 0.25, table.shape))
    assert found.opposite.estimate == pytest.approx(0, abs=1e-3)
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
