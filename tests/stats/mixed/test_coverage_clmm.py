"""Coverage of the true odds ratio by the ordinal model's 95% interval: seeded simulations, `make slow`."""

import numpy as np
import pytest
from statsmodels.miscmodels.ordinal_model import OrderedModel

from app.stats.mixed.clmm import compare_ordinal

N_STUDIES, N_NAIVE = 300, 150
LOG_ODDS = 0.4


@pytest.mark.slow
@pytest.mark.parametrize(("n_items", "n_raters"), [(40, 6), (60, 20)])
def test_odds_ratio_interval_covers_new_items_and_raters(n_items: int, n_raters: int) -> None:
    """Both sources of each item rated by six raters; statsmodels' ordinal model of independent rows for comparison."""
    rng = np.random.default_rng(5)
    holds, naive = [], []
    for study in range(N_STUDIES):
        rater = np.tile(np.argsort(rng.random((n_items, n_raters)), axis=1)[:, :6].ravel(), 2)
        item = np.tile(np.repeat(np.arange(n_items), 6), 2)
        source = np.repeat([0, 1], n_items * 6)
        by_item, by_rater = rng.normal(0, [0.9, 0.5], (n_items, 2)), rng.normal(0, [0.8, 0.6], (n_raters, 2))
        slope = LOG_ODDS + by_item[item, 1] + by_rater[rater, 1]
        latent = by_item[item, 0] + by_rater[rater, 0] + source * slope + rng.logistic(size=len(item))
        value = np.searchsorted([-1.8, -0.6, 0.5, 1.6], latent).astype(float)
        interval = compare_ordinal(value, source == 1, item=item, rater=rater).effect.interval
        holds.append(interval is not None and interval.low <= np.exp(LOG_ODDS) <= interval.high)
        if study < N_NAIVE:
            fit = OrderedModel(value, source[:, np.newaxis] * 1.0, distr="logit").fit(method="bfgs", disp=0)
            low, high = fit.conf_int()[0]
            naive.append(low <= LOG_ODDS <= high)
    assert 0.92 <= np.mean(np.array(holds, dtype=float)) <= 0.975
    assert np.mean(np.array(naive, dtype=float)) < 0.9
