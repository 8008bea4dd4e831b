"""Estimation of true categories from raters with individual error rates, by EM (Dawid and Skene 1979).

Appl. Stat. 28:20. A sensitivity analysis for nominal questions. Not for questions of opinion: the model assumes that
each unit has one true category.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from app.stats.arrays import Floats, Ints, Labels, codes

_MAX_STEPS = 1_000
_SETTLED = 1e-10


@dataclass(frozen=True, eq=False)
class DawidSkene:
    """Estimates for units and raters in order of first appearance.

    Attributes:
        prior: proportion of each category among the units, shape (K,).
        posterior: probability of each category for each unit, shape (n_units, K).
        error_rates: [rater, true, given], shape (n_raters, K, K); rows sum to 1.
        log_likelihood: log-likelihood at the last step.
        is_converged: whether the last step no longer increased the log-likelihood.
    """

    prior: Floats
    posterior: Floats
    error_rates: Floats
    log_likelihood: float
    is_converged: bool

    @property
    def category(self) -> Ints:
        """Most probable category of each unit, shape (n_units,)."""
        return np.asarray(np.argmax(self.posterior, axis=1), dtype=np.int64)

    @property
    def accuracy(self) -> Floats:
        """Expected proportion correct of each rater, shape (n_raters,)."""
        return np.asarray(np.einsum("k,rkk->r", self.prior, self.error_rates))


def dawid_skene(unit: Labels, rater: Labels, category: Ints, *, n_categories: int) -> DawidSkene | None:
    """Fit the model from the majority vote, without smoothing; repeated answers by a rater count separately.

    Args:
        unit: labels, shape (n,).
        rater: labels, shape (n,).
        category: 0..n_categories-1, shape (n,).
        n_categories: number of categories.

    Returns:
        The estimates, or None without any answers. Of several local maxima, this is the one near the majority vote.
    """
    units, n_units = codes(unit)
    raters, n_raters = codes(rater)
    if n_units == 0:
        return None
    posterior = np.zeros((n_units, n_categories))
    np.add.at(posterior, (units, category), 1.0)
    posterior /= posterior.sum(axis=1, keepdims=True)
    reached, gain = -np.inf, np.inf
    prior, rates = _estimated(posterior, units, raters, category, n_raters)
    for _ in range(_MAX_STEPS):
        with np.errstate(divide="ignore"):
            log_rates = np.log(rates)
            log_joint = np.tile(np.log(prior), (n_units, 1))
        np.add.at(log_joint, units, log_rates[raters, :, category])
        log_total = special.logsumexp(log_joint, axis=1)
        posterior = np.exp(log_joint - log_total[:, np.newaxis])
        log_likelihood = float(log_total.sum())
        gain, reached = log_likelihood - reached, log_likelihood
        prior, rates = _estimated(posterior, units, raters, category, n_raters)
        if gain <= _SETTLED:
            break
    return DawidSkene(prior, posterior, rates, reached, gain <= _SETTLED)


def _estimated(posterior: Floats, units: Ints, raters: Ints, category: Ints, n_raters: int) -> tuple[Floats, Floats]:
    """Return the maximum likelihood prior and error rates; error rates for categories a rater never saw are uniform."""
    n_categories = posterior.shape[1]
    by_given = np.zeros((n_raters * n_categories, n_categories))
    np.add.at(by_given, raters * n_categories + category, posterior[units])
    given = by_given.reshape(n_raters, n_categories, n_categories).transpose(0, 2, 1)
    total = given.sum(axis=2, keepdims=True)
    rates = np.divide(given, total, out=np.full(given.shape, 1 / n_categories), where=total > 0)
    return posterior.mean(axis=0), rates
