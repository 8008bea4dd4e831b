"""Empathic accuracy: how closely a perceiver follows what a target felt, moment by moment (Ickes 1993)."""

from dataclasses import replace

import numpy as np

from app.stats.arrays import Bools, Floats, Ints, Labels, codes
from app.stats.clusters import clusters, t_p_value
from app.stats.comparison.change import CLUSTERED
from app.stats.comparison.describe import mean
from app.stats.comparison.pools import pool_difference
from app.stats.result import Method, Result, undefined

METHOD = Method("two_way_cluster_t", ": Fisher z, one correlation per target and perceiver")
NOBODY_VARIES = "No perceiver rated three or more moments of a target with any variation."
_MIN_N = 3
_LARGEST = 0.99999
_ROUNDING = 1e-9


def empathic_accuracy(
    felt: Floats,
    perceived: Floats,
    *,
    target: Labels,
    perceiver: Labels,
    cluster: Labels | None = None,
    level: float = 0.95,
) -> Result:
    """Return the mean correlation between targets' own ratings and perceivers' ratings of them.

    Pearson's r over the moments of each target x perceiver pair, Fisher's z, mean over pairs, back-transformed by tanh
    (Zaki, Bolger and Ochsner 2008, Psychol. Sci. 19:399). Interval for new targets and new perceivers: two-way cluster
    t on z.

    Args:
        felt: the target's rating at a moment, shape (n,).
        perceived: the perceiver's rating at the same moment, shape (n,); rows with nan in either are dropped.
        target: labels, shape (n,).
        perceiver: labels, shape (n,).
        cluster: labels of raters who wrote with each other, each the target and the perceiver of the other, shape (n,):
            they are the independent units, and the interval is the t interval of their sums, for new pairs of raters.
        level: confidence level.

    Pairs with fewer than three moments, or without variation on one side, have no correlation and are dropped. A
    perfect correlation has no finite z and counts as .99999.
    """
    here = np.isfinite(felt) & np.isfinite(perceived)
    z, first = _fisher_z(felt, perceived, target, perceiver)
    if not len(z):
        return undefined("no_pairable_units", NOBODY_VARIES, method=METHOD, n_units=0, n_ratings=int(here.sum()))
    whose, who = np.asarray(target)[first], np.asarray(perceiver)[first]
    if cluster is None:
        return _turned_back(mean(z, level=level, item=whose, rater=who), int(here.sum()))
    unit = np.asarray(cluster)[first]
    found = _turned_back(mean(z, level=level, item=unit, rater=unit), int(here.sum())).with_inference("raters")
    return replace(found, method=METHOD.with_words(f", {CLUSTERED}")).with_counts(n_raters=codes(who)[1])


def empathic_accuracy_difference(
    felt: Floats,
    perceived: Floats,
    is_first: Bools,
    *,
    target: Labels,
    perceiver: Labels,
    level: float = 0.95,
) -> Result:
    """Return the mean Fisher z of the first group of perceivers minus that of the other, over the same targets.

    As `empathic_accuracy`, then `pool_difference` with targets as responses. The difference is in units of z: that of
    r = .50 and r = .30 is .24. `is_first` is the group of the perceiver, shape (n,).
    """
    z, first = _fisher_z(felt, perceived, target, perceiver)
    whose, who = np.asarray(target)[first], np.asarray(perceiver)[first]
    found = pool_difference(z, np.asarray(is_first)[first], unit=whose, item=whose, rater=who, level=level)
    used = np.isfinite(felt) & np.isfinite(perceived)
    return found.with_counts(n_ratings=int(used.sum()))


def _fisher_z(felt: Floats, perceived: Floats, target: Labels, perceiver: Labels) -> tuple[Floats, Ints]:
    """Return Fisher's z of each target and perceiver that have one, and the position of a row of theirs."""
    here = np.flatnonzero(np.isfinite(felt) & np.isfinite(perceived))
    groups = clusters(np.asarray(target)[here], np.asarray(perceiver)[here])
    r = _correlations(felt[here], perceived[here], groups.cell, groups.n_cells)
    first = np.full(groups.n_cells, -1, dtype=np.int64)
    first[groups.cell[::-1]] = here[::-1]
    has_r = np.isfinite(r)
    return np.arctanh(np.clip(r[has_r], -_LARGEST, _LARGEST)), first[has_r]


def _turned_back(on_z: Result, n_ratings: int) -> Result:
    """Back-transform the mean z and its interval to correlations; the test remains that of z = 0."""
    z = on_z.estimate or 0.0
    r = float(np.tanh(z))
    ends = on_z.interval and replace(
        on_z.interval, low=float(np.tanh(on_z.interval.low)), high=float(np.tanh(on_z.interval.high))
    )
    error = on_z.standard_error
    found = replace(on_z, estimate=r, method=METHOD, interval=ends).with_counts(n_ratings=n_ratings)
    if error is None or on_z.df is None:
        return found
    return replace(found, standard_error=error * (1 - r**2), p_value=t_p_value(z / error, on_z.df))


def _correlations(a: Floats, b: Floats, code: Ints, n: int) -> Floats:
    """Return Pearson's r per group, shape (n,); nan for fewer than three rows or a side without variation."""
    size = np.bincount(code, minlength=n)
    u, v = (_deviations(value, code, n) for value in (a, b))
    squares = np.bincount(code, u * u, n) * np.bincount(code, v * v, n)
    usable = (size >= _MIN_N) & (squares > 0)
    r: Floats = np.divide(np.bincount(code, u * v, n), np.sqrt(squares), out=np.full(n, np.nan), where=usable)
    return r


def _deviations(value: Floats, code: Ints, n: int) -> Floats:
    """Return deviations from the group mean in units of the largest value; rounding errors of 0 become 0."""
    unit = value / (float(np.abs(value).max(initial=0)) or 1.0)
    mean_of_group = np.bincount(code, unit, n) / np.maximum(np.bincount(code, minlength=n), 1)
    deviation = unit - mean_of_group[code]
    return np.where(np.abs(deviation) > _ROUNDING, deviation, 0.0)
