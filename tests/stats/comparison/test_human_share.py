"""Planned widths with a judge: the formula, and what `prediction_powered` finds in simulated studies."""

import numpy as np
import pytest

from app.stats.clusters import t_quantile
from app.stats.comparison.human_share import Components, components, correlation_ends, fewest
from app.stats.comparison.prediction_powered import prediction_powered

N, M, R, PER_ITEM = 200, 60, 20, 4
ITEM_SD, RATER_SD, NOISE_SD = 1.0, 0.3, 0.8


def test_judge_takes_its_part_of_the_variance_between_items() -> None:
    parts = Components(items=4.0, raters=0.5, cells=5.0, per_item=3)
    item, rater, cell = 4 / 60 * (1 - 0.36 * 0.7), 0.5 / 20, (5 - 0.36 * 4) / 180
    df = (item + rater) ** 2 / (item**2 / 59 + (rater + cell) ** 2 / 19 + cell**2 / 179)
    expected = 2 * t_quantile(df, 0.95) * (item + rater) ** 0.5
    assert parts.width(60, 20, of=200, correlation=0.6) == pytest.approx(expected)
    assert parts.width(200, 20, of=200, correlation=0.6) == parts.width(200, 20, of=200, correlation=0)
    assert parts.width(60, 20, of=200, correlation=-0.6) == parts.width(60, 20, of=200, correlation=0.6)
    assert parts.width(1, 20, of=200, correlation=0.6) is None
    assert Components(0.0, 0.0, 0.0, 3).width(60, 20, of=200, correlation=0) == 0


def test_components_are_those_that_the_studies_were_simulated_with() -> None:
    """A complete table: the items' part is that of the items and the noise, the raters' that of the raters."""
    rng = np.random.default_rng(0)
    studies = []
    for _ in range(150):
        table = rng.normal(0, 1, (30, 1)) + rng.normal(0, 0.5, 12) + rng.normal(0, 1, (30, 12))
        item, rater = (code.ravel() for code in np.indices(table.shape))
        studies.append(((table - table.mean()).ravel() / table.size, item, rater))
    parts = components(studies)
    assert parts is not None
    # raters: .25 + 1 / 30, minus 12 times the variance of a cell (1 + .25 + 1) over 360 cells
    assert parts.items == pytest.approx(1 + 1 / 12, rel=0.05)
    assert parts.raters == pytest.approx(0.25 + 1 / 30 - 12 * 2.25 / 360, rel=0.08)
    assert parts.cells == pytest.approx(2.25, rel=0.05)
    assert parts.per_item == 12


def test_one_item_has_no_components() -> None:
    assert components([(np.zeros(3), np.zeros(3, dtype=int), np.arange(3))]) is None


@pytest.mark.parametrize("noise", [0.5, 1.5])
def test_planned_width_is_that_of_simulated_studies(noise: float) -> None:
    """Of 200 items, 20 raters rate 60, four each; the judge says the item's quality with noise."""
    rng = np.random.default_rng([1, int(10 * noise)])
    widths, correlations = [], []
    for _ in range(60):
        quality = rng.normal(0, ITEM_SD, N)
        judge = quality + rng.normal(0, noise, N)
        unit = np.repeat(np.arange(M), PER_ITEM)
        rater = np.concatenate([rng.permutation(R)[:PER_ITEM] for _ in range(M)])
        value = quality[unit] + rng.normal(0, RATER_SD, R)[rater] + rng.normal(0, NOISE_SD, len(unit))
        found = prediction_powered(value, unit=unit, rater=rater, judge=judge, item=np.arange(N))
        assert found.combined.interval is not None
        widths.append(found.combined.interval.high - found.combined.interval.low)
        mean = np.bincount(unit, value) / PER_ITEM
        correlations.append(np.corrcoef(mean, judge[:M])[0, 1])
    # a rater's effect on an item is in the variance between items
    of_cells = ITEM_SD**2 + RATER_SD**2 + NOISE_SD**2
    of_items = ITEM_SD**2 + (NOISE_SD**2 + RATER_SD**2) / PER_ITEM
    parts = Components(of_items, RATER_SD**2 * (1 - R / (M * PER_ITEM)), of_cells, PER_ITEM)
    planned = parts.width(M, R, of=N, correlation=float(np.mean(correlations)))
    assert planned == pytest.approx(np.mean(widths), rel=0.03)


def test_correlation_has_the_interval_of_fishers_z() -> None:
    """R = .6 over 28 items: z = .693 with standard error .2."""
    assert correlation_ends(0.6, 28) == pytest.approx((0.292, 0.795), abs=0.001)
    assert correlation_ends(0.6, 3) is None
    assert correlation_ends(1.0, 30) is None


def test_fewest_items_that_reach_a_width() -> None:
    assert fewest(lambda m: 10 / m, 0.5, 100) == 20
    assert fewest(lambda m: 10 / m if m > 30 else None, 0.5, 100) == 31
    assert fewest(lambda m: 10 / m, 0.05, 100) is None
    assert fewest(lambda _: None, 0.05, 100) is None
