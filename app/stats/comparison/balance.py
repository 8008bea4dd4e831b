"""Whether units that were measured look like the others: means of both, and the standardized difference.

The difference of the means is divided by the root of the mean of both variances (Austin 2009, Stat. Med. 28:3083,
doi:10.1002/sim.3697). Its interval is that of Hedges and Olkin (1985, Statistical Methods for Meta-Analysis), with the
variance 1 / n1 + 1 / n0 + d^2 / 2 (n1 + n0).
"""

from dataclasses import dataclass

import numpy as np

from app.stats.arrays import Bools, Floats
from app.stats.clusters import t_quantile
from app.stats.result import Interval, Method, Result, undefined

MEANS = Method(words="mean over items")
METHOD = Method(words="standardized difference of means, large-sample interval")


@dataclass(frozen=True, slots=True)
class Balance:
    """The mean of those that were measured, that of the rest, and the standardized difference between the two."""

    measured: Result
    rest: Result
    difference: Result


def balance(value: Floats, is_measured: Bools, level: float = 0.95) -> Balance:
    """Compare units that were measured with the rest.

    Args:
        value: shape (n,); nan is left out.
        is_measured: shape (n,).
        level: confidence level.

    Returns:
        Results with a reason where one of both has fewer than two units; the difference also if neither varies.
    """
    known = np.isfinite(value)
    groups = value[known & is_measured], value[known & ~is_measured]
    sizes = [len(one) for one in groups]
    counts = {"n_items": sum(sizes), "n_raters": 0, "n_units": sum(sizes), "n_ratings": 0}
    if min(sizes) < 2:  # noqa: PLR2004 - a variance needs two
        nothing = undefined("no_pairable_units", "One of both has fewer than two items.", method=METHOD, **counts)
        return Balance(nothing, nothing, nothing)
    measured, rest = (Result(float(one.mean()), MEANS).with_counts(**counts) for one in groups)
    spread = float(np.mean([one.var(ddof=1) for one in groups])) ** 0.5
    if spread <= 1e-12 * float(np.abs(value[known]).max(initial=0.0)):
        constant = undefined("no_variation", "There is no variation between items.", method=METHOD, **counts)
        return Balance(measured, rest, constant)
    d = float(groups[0].mean() - groups[1].mean()) / spread
    error = (1 / sizes[0] + 1 / sizes[1] + d**2 / (2 * sum(sizes))) ** 0.5
    reach = t_quantile(np.inf, level) * error
    interval = Interval(d - reach, d + reach, METHOD, level, inference="items")
    found = Result(d, METHOD, interval=interval, standard_error=error).with_counts(**counts)
    return Balance(measured, rest, found)
