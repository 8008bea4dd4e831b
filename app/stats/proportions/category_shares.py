"""Answers in named categories (harm, refusal, behaviours, errors), compared between sources on the same units."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy import special

from app.stats.core.arrays import codes, present
from app.stats.core.result import Result, undefined
from app.stats.proportions.share_difference import share_difference

if TYPE_CHECKING:
    from app.stats.core.arrays import Bools, Floats, Labels

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
    method, n = "stuart_maxwell: pairs as independent", len(mine)
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
    method = "cochran_q: units as independent"
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
