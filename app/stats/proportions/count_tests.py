"""Tests of counts that treat all ratings as independent, as is common in the field."""

from __future__ import annotations

from typing import Literal

import numpy as np
from scipy import special

from app.stats.arrays import Ints
from app.stats.result import Method, Result, undefined


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
