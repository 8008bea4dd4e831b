"""Tests of counts that treat all ratings as independent, as is common in the field."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import special

from app.stats.arrays import Ints
from app.stats.result import Result, undefined


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
        return undefined(reason, note, method="chi_square", n_units=n, n_ratings=n)
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    found, df = float(((table - expected) ** 2 / expected).sum()), (table.shape[0] - 1) * (table.shape[1] - 1)
    is_thin = bool((expected < 5).any())  # noqa: PLR2004  # Cochran's rule
    note = "Some expected counts are below five." if is_thin else ""
    return Result(
        found,
        "chi_square: ratings as independent",
        df=float(df),
        p_value=float(special.chdtrc(df, found)),
        n_units=n,
        n_ratings=n,
        note=note,
    )


def mcnemar(n_only_source: int, n_only_reference: int, *, is_exact: bool = True, is_corrected: bool = True) -> Result:
    """Run McNemar's test of paired yes-or-no answers on the discordant pairs.

    Exact: the estimate is the smaller count. Otherwise chi-square, with or without continuity correction.
    """
    n = n_only_source + n_only_reference
    if n == 0:
        return undefined("no_variation", "No pair differs.", method="mcnemar", n_units=0)
    if is_exact:
        smaller = min(n_only_source, n_only_reference)
        p_value = min(1.0, 2 * float(special.bdtr(smaller, n, 0.5)))
        return Result(float(smaller), "mcnemar: exact", p_value=p_value, n_units=n)
    found = (abs(n_only_source - n_only_reference) - is_corrected) ** 2 / n
    kind = "corrected" if is_corrected else "uncorrected"
    return Result(found, f"mcnemar: {kind}", p_value=float(special.chdtrc(1, found)), n_units=n)
