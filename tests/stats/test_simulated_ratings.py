"""Simulated studies reproduce their inputs, and power equals that of a known test."""

from math import lgamma

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower

from app.stats.comparison.describe import mean_difference
from app.stats.mixed.lmm import fit_lmm
from app.stats.mixed.model_design import random_columns
from app.stats.result import Interval, Method, Result, undefined
from app.stats.simulated_ratings import Minds, Sds, Shown, expectation

FINE = np.arange(-20, 20, 0.01)
SDS = Sds(item=0.9, rater=0.7, item_source=0.6, rater_source=0.5, residual=0.8)


def _everybody(n_items: int, n_raters: int) -> Shown:
    """Show both responses of every item to every rater."""
    item, rater, source = (axis.ravel() for axis in np.indices((n_items, n_raters, 2)))
    return Shown(item, item * 2 + source, source, rater)


def test_simulated_ratings_have_requested_variance_components() -> None:
    shown, rng = _everybody(150, 150), np.random.default_rng(4)
    means = np.array([0.0, 0.5])
    minds = Minds(SDS, means, n_items=150, n_responses=300, n_raters=150, rng=rng)
    value, contrast = minds.ratings(shown, FINE), np.asarray(shown.source - 0.5, dtype=np.float64)
    columns = random_columns(shown.item, shown.rater, contrast)
    fit = fit_lmm(
        value,
        np.array([np.ones(len(value)), contrast]),
        item=shown.item,
        rater=shown.rater,
        item_columns=columns.item,
        rater_columns=columns.rater,
    )
    assert fit is not None
    assert fit.sd_item == pytest.approx([SDS.item, SDS.item_source], rel=0.15)
    assert fit.sd_rater == pytest.approx([SDS.rater, SDS.rater_source], rel=0.15)
    assert fit.sd_residual == pytest.approx(SDS.residual, rel=0.02)


def test_whole_sd_is_that_of_ratings_without_common_effects() -> None:
    n, rng = 20_000, np.random.default_rng(5)
    code = np.arange(n)
    minds = Minds(SDS, np.array([0.0]), n_items=n, n_responses=n, n_raters=n, rng=rng)
    value = minds.ratings(Shown(code, code, np.zeros(n, int), code), FINE)
    assert value.std() == pytest.approx(SDS.whole, rel=0.02)


def test_power_and_width_match_paired_t_test() -> None:
    n, gap = 40, 0.6
    spread = np.sqrt(SDS.item_source**2 + SDS.rater_source**2 + 2 * SDS.residual**2)
    item = np.repeat(np.arange(n), 2)
    shown = Shown(item, np.arange(2 * n), np.tile([0, 1], n), item)
    rng = np.random.default_rng(6)
    results = []
    for _ in range(1500):
        minds = Minds(SDS, np.array([0.0, gap]), n_items=n, n_responses=2 * n, n_raters=n, rng=rng)
        results.append(mean_difference(minds.ratings(shown, FINE), shown.source == 1, item=item, rater=item))
    found = expectation(results)
    power = TTestPower().power(gap / spread, n, 0.05)
    assert found.power == pytest.approx(power, abs=3 * (found.power_error or 0))
    # expected standard deviation with n - 1 degrees of freedom
    of_sd = np.sqrt(2 / (n - 1)) * np.exp(lgamma(n / 2) - lgamma((n - 1) / 2))
    width = 2 * stats.t.ppf(0.975, n - 1) * spread * of_sd / np.sqrt(n)
    assert found.width == pytest.approx(width, abs=4 * (found.width_error or 0))
    assert found.estimate == pytest.approx(gap, abs=4 * spread / np.sqrt(n * 1500))


def test_preference_probability_matches_normal_difference() -> None:
    n, gap = 200, 0.5
    pair = np.arange(n)
    one, other = (Shown(pair, 2 * pair + side, np.full(n, side), pair) for side in (1, 0))
    rng = np.random.default_rng(8)
    spread = np.sqrt(SDS.item_source**2 + SDS.rater_source**2 + 2 * SDS.residual**2)
    shares = [
        Minds(SDS, np.array([0.0, gap]), n_items=n, n_responses=2 * n, n_raters=n, rng=rng).choices(one, other).mean()
        for _ in range(300)
    ]
    assert np.mean(shares) == pytest.approx(stats.norm.cdf(gap / spread), abs=0.01)


def test_simulated_ratings_round_to_nearest_scale_point() -> None:
    still = Sds(0, 0, 0, 0, 0)
    shown = Shown(np.zeros(4, int), np.zeros(4, int), np.arange(4), np.zeros(4, int))
    minds = Minds(
        still, np.array([-9, 1.4, 1.6, 9]), n_items=1, n_responses=1, n_raters=1, rng=np.random.default_rng(1)
    )
    assert minds.ratings(shown, np.array([1.0, 2, 5])).tolist() == [1, 1, 2, 5]


def test_studies_without_interval_count_against_power_not_width() -> None:
    sure = Result(0.4, interval=Interval(0.3, 0.5, Method(words="t"), inference="items"), p_value=0.01)
    found = expectation([sure, undefined("no_variation"), Result(0.2)])
    assert (found.power, found.width, found.estimate) == pytest.approx((1 / 3, 0.2, 0.3))
    assert (found.n_without, found.width_error) == (2, None)
    nothing = expectation([undefined("no_variation")] * 2, is_tested=False)
    assert (nothing.estimate, nothing.width, nothing.power, nothing.power_error, nothing.n_without) == (
        None,
        None,
        None,
        None,
        2,
    )
