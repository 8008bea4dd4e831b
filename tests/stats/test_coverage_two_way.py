"""Coverage of 95% intervals with newly drawn items and raters: seeded simulations, `make slow`."""

import numpy as np
import pytest
from scipy import special, stats

from app.stats.arrays import Bools, Floats, Ints
from app.stats.comparison.describe import mean_difference, share
from app.stats.result import Interval

N_STUDIES = 2_000
DIFFERENCE, LOGIT = 0.4, 0.8
LOWEST, HIGHEST = 0.92, 0.975


def _who_rates_what(rng: np.random.Generator, n_items: int, n_raters: int, per_item: int) -> tuple[Ints, Ints]:
    rater = np.argsort(rng.random((n_items, n_raters)), axis=1)[:, :per_item].ravel()
    return np.repeat(np.arange(n_items), per_item), rater


def _likert(rng: np.random.Generator, n_items: int, n_raters: int) -> tuple[Floats, Bools, Ints, Ints]:
    """Simulate six raters per item and both sources; items and raters vary in level and in their source effect."""
    item, rater = _who_rates_what(rng, n_items, n_raters, 6)
    item, rater, source = np.tile(item, 2), np.tile(rater, 2), np.repeat([0, 1], len(item))
    by_item, by_rater = rng.normal(0, [0.9, 0.5], (n_items, 2)), rng.normal(0, [0.8, 0.5], (n_raters, 2))
    level = by_item[item, 0] + by_rater[rater, 0]
    slope = DIFFERENCE + by_item[item, 1] + by_rater[rater, 1]
    return level + source * slope + rng.normal(size=len(item)), source == 1, item, rater


def _choices(rng: np.random.Generator, n_items: int, n_raters: int) -> tuple[Floats, Ints, Ints]:
    item, rater = _who_rates_what(rng, n_items, n_raters, 6)
    latent = LOGIT + rng.normal(0, 0.7, n_items)[item] + rng.normal(0, 0.7, n_raters)[rater]
    return (rng.random(len(item)) < special.expit(latent)).astype(float), item, rater


def _true_share() -> float:
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    return float(special.expit(LOGIT + np.hypot(0.7, 0.7) * nodes) @ weights / weights.sum())


def _holds(interval: Interval | None, truth: float) -> bool:
    return interval is not None and interval.low <= truth <= interval.high


@pytest.mark.slow
@pytest.mark.parametrize("n_raters", [6, 20])
def test_mean_difference_interval_covers_new_items_and_raters(n_raters: int) -> None:
    rng = np.random.default_rng(100 + n_raters)
    clustered, naive = [], []
    for _ in range(N_STUDIES):
        value, treated, item, rater = _likert(rng, 100, n_raters)
        clustered.append(_holds(mean_difference(value, treated, item=item, rater=rater).interval, DIFFERENCE))
        rows = stats.ttest_ind(value[treated], value[~treated]).confidence_interval()
        naive.append(bool(rows.low <= DIFFERENCE <= rows.high))
    assert LOWEST <= np.mean(clustered) <= HIGHEST
    assert not LOWEST <= np.mean(naive) <= HIGHEST


@pytest.mark.slow
@pytest.mark.parametrize("n_raters", [6, 20])
def test_share_interval_covers_new_items_and_raters(n_raters: int) -> None:
    rng = np.random.default_rng(200 + n_raters)
    truth = _true_share()
    clustered, naive = [], []
    for _ in range(N_STUDIES):
        won, item, rater = _choices(rng, 100, n_raters)
        clustered.append(_holds(share(won, item=item, rater=rater).interval, truth))
        rows = stats.binomtest(int(won.sum()), len(won)).proportion_ci(method="wilson")
        naive.append(bool(rows.low <= truth <= rows.high))
    assert LOWEST <= np.mean(clustered) <= HIGHEST
    assert not LOWEST <= np.mean(naive) <= HIGHEST
