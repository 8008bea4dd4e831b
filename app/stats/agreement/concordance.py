"""Kendall's W: agreement of raters on the order of the units."""

import numpy as np
from scipy.special import chdtrc

from app.stats.arrays import Floats, midranks
from app.stats.jackknife import PAIR, no_variation
from app.stats.ratings import Ratings
from app.stats.result import Method, Result, undefined, with_method

METHOD = Method(words="ranks within rater, corrected for ties")


def kendall_w(ratings: Ratings) -> Result:
    """Return Kendall's W: 0 means unrelated orders, 1 means that all raters order the units identically.

    Each rater's values are converted to ranks, so severity does not matter. Only units that every rater rated count.
    The p-value is from the chi-square of Friedman's test (units - 1 degrees of freedom), which needs more than a few
    units.
    Not for: nominal values, two or three units, designs in which raters rate different units (see `icc`).
    Source: Kendall and Babington Smith (1939), Annals of Mathematical Statistics 10:275-287.
    """
    table = complete_table(ratings)
    sizes = ratings.sizes()
    sizes["n_pairable_units"] = table.shape[1] if len(table) >= PAIR else 0
    if min(table.shape) < PAIR:
        note = "needs two or more raters who all rated the same two or more units"
        return undefined("no_pairable_units", note, method=METHOD, **sizes)
    found = concordance_of(table)
    if found is None:
        return with_method(no_variation(ratings), METHOD).with_counts(**sizes)
    n_raters, n_units = table.shape
    p_value = float(chdtrc(n_units - 1, n_raters * (n_units - 1) * found))
    return Result(found, method=METHOD, p_value=p_value, df=float(n_units - 1), **sizes)


def complete_table(ratings: Ratings) -> Floats:
    """Return values of the units that every rater rated, shape (n_raters, n_units); of repeated ratings the first."""
    n_raters, n_units = len(ratings.rater_codes), ratings.n_units
    cell, first_at = np.unique(ratings.unit_row * n_raters + ratings.rater_row, return_index=True)
    unit = cell // max(n_raters, 1)
    is_full = np.bincount(unit, minlength=n_units) == n_raters
    table = ratings.value[first_at][is_full[unit]].reshape(int(is_full.sum()), n_raters)
    return np.asarray(table.T)


def concordance_of(table: Floats) -> float | None:
    """Return W for values of shape (n_raters, n_units), or None if each rater ties all units."""
    k, n = table.shape
    ranks = np.apply_along_axis(midranks, 1, table)
    spread = float(((ranks.sum(axis=0) - k * (n + 1) / 2) ** 2).sum())
    # the centred ranks of a rater have the sum of squares (n**3 - n - ties) / 12
    most = k * float(((ranks - (n + 1) / 2) ** 2).sum())
    return spread / most if most > 0 else None
