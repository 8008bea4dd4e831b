"""Differences between two proportions, with intervals that stay between -1 and 1."""

from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd
from scipy import special

from app.stats.arms import Arms, missing_side
from app.stats.arrays import Bools, Floats, Ints, Labels, codes, present
from app.stats.clusters import t_p_value, t_quantile
from app.stats.linear.cluster_robust import linear_contrast
from app.stats.result import Method, Result, undefined

# Tests of counts that treat all ratings as independent, as is common in the field.


def chi_square(counts: Ints) -> Result:
    """Run Pearson's chi-square test of sources by scale points, without continuity correction.

    Args:
        counts: shape (n_sources, n_points). Empty rows and columns (unused points) are left out.
    """
    table = np.asarray(counts)
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    n = int(table.sum())
    if min(table.shape) < 2:  # noqa: PLR2004  # at least two sources and two points
        note = "Fewer than two sources, or two points, were used."
        reason: Literal["no_variation", "no_pairable_units"] = "no_variation" if n else "no_pairable_units"
        return undefined(reason, note, method=Method("chi_square"), n_units=n, n_ratings=n)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    found, df = float(((table - expected) ** 2 / expected).sum()), (table.shape[0] - 1) * (table.shape[1] - 1)
    is_thin = bool((expected < 5).any())  # noqa: PLR2004  # Cochran's rule
    note = "Some expected counts are below five." if is_thin else ""
    return Result(
        found,
        Method("chi_square", ": ratings as independent"),
        df=float(df),
        p_value=float(special.chdtrc(df, found)),
        n_units=n,
        n_ratings=n,
        note=note,
    )


def share_difference(value: Floats, is_treated: Bools, *, item: Labels, rater: Labels, level: float = 0.95) -> Result:
    """Return the proportion among ratings of the source minus that among those of the reference. Unit: rating.

    `value` shape (n,) is 1 if the rating has the property, 0 if not (1/2 for a tie), nan if unknown. The difference
    d = p1 - p0 is estimated by least squares; interval and test on atanh(d), whose error is SE(d) / (1 - d^2), with CR2
    errors by item and rater.
    """
    number, (treated, items, raters) = present(value, is_treated, item, rater)
    treated = treated.astype(bool)
    problem = missing_side(treated, "the source", "the reference")
    if problem:
        return problem
    X = np.column_stack([np.ones(len(number)), treated])
    plain = linear_contrast(
        number, X, np.array([0.0, 1.0]), item=items, rater=raters, arms=Arms.of_two(treated), level=level
    )
    return within_one(plain)


def within_one(difference: Result) -> Result:
    """Return the difference of proportions with its interval and test on the atanh scale."""
    d, interval = difference.estimate, difference.interval
    if d is None or interval is None or difference.standard_error is None or difference.df is None:
        return difference
    z, error = float(np.arctanh(d)), difference.standard_error / (1 - d**2)
    reach = t_quantile(difference.df, interval.level) * error
    ends = np.tanh([z - reach, z + reach])
    return replace(
        difference,
        interval=replace(interval, low=float(ends[0]), high=float(ends[1])),
        p_value=t_p_value(z / error, difference.df),
    )


# Answers in named categories (harm, refusal, behaviours, errors), compared between sources on the same units.

_PAIR, _HALF = 2, 0.5


def category_difference(
    has_category: Floats, is_treated: Bools, *, item: Labels, rater: Labels, level: float = 0.95
) -> Result:
    """Return the proportion of answers in the category for the source minus that for the reference. Unit: rating.

    `has_category` shape (n,): 1, 0, or nan if not answered. See `share_difference`.
    """
    return share_difference(has_category, is_treated, item=item, rater=rater, level=level)


def stuart_maxwell(mine: Labels, theirs: Labels) -> Result:
    """Run the Stuart-Maxwell test that paired answers have equal marginal proportions of all categories (Maxwell 1970).

    `mine` and `theirs` shape (n,): the categories that one rater gave to the source and to the reference on one item.
    With d the differences of the marginal counts, chi-square = d' S^- d with df = rank(S), which is K - 1 if answers
    change between all K categories; S_kk = n_k. + n_.k - 2 n_kk, S_kj = -(n_kj + n_jk). For two categories this is
    McNemar's chi-square without correction. Pairs are treated as independent.
    """
    method, n = Method("stuart_maxwell", ": pairs as independent"), len(mine)
    if n == 0:
        return undefined("no_pairable_units", "There are no paired answers.", method=method, n_units=0)
    both, n_categories = codes(np.concatenate([np.asarray(mine), np.asarray(theirs)]))
    table = np.bincount(both[:n] * n_categories + both[n:], minlength=n_categories**2).reshape(n_categories, -1)
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    S = np.diag(rows + columns) - (table + table.T)
    rank = int(np.linalg.matrix_rank(S))
    if rank == 0:
        return undefined("no_variation", "No pair differs.", method=method, n_units=n)
    d = rows - columns
    found = float(d @ np.linalg.pinv(S, hermitian=True) @ d)
    return Result(found, method, df=float(rank), p_value=float(special.chdtrc(rank, found)), n_units=n)


def cochran_q(has_category: Floats, unit: Labels, source: Labels) -> Result:
    """Run Cochran's Q test that the proportion is the same for k sources answered on the same units (Cochran 1950).

    All arguments shape (n,); `unit` is an item x rater. Several answers of a unit to one source are reduced to their
    majority; units without all sources are dropped. Q = (k - 1) (k sum C_j^2 - N^2) / (k N - sum R_i^2), chi-square
    with k - 1 degrees of freedom; units are treated as independent.
    """
    method = Method("cochran_q", ": units as independent")
    number, (units, sources) = present(has_category, unit, source)
    frame = pd.DataFrame({"value": number, "unit": units, "source": sources})
    table = frame.pivot_table(index="unit", columns="source", values="value").dropna() if len(frame) else pd.DataFrame()
    n, k = table.shape
    if n == 0 or k < _PAIR:
        return undefined("no_pairable_units", "No unit has answers about two sources.", method=method, n_units=n)
    x = (table.to_numpy() >= _HALF).astype(np.float64)
    by_source, by_unit, total = x.sum(axis=0), x.sum(axis=1), x.sum()
    spread = k * total - float(by_unit @ by_unit)
    if spread <= 0:
        return undefined("no_variation", "No unit has differing answers.", method=method, n_units=n)
    q = float((k - 1) * (k * (by_source @ by_source) - total**2) / spread)
    return Result(q, method, df=float(k - 1), p_value=float(special.chdtrc(k - 1, q)), n_units=n)
