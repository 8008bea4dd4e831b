"""Multiple testing: Holm for the family of tests declared in advance, Benjamini-Hochberg for all others."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from app.stats.arrays import Floats, Ints

Adjustment = Literal["holm", "benjamini_hochberg"]


def adjusted(p_values: Sequence[float | None], method: Adjustment) -> list[float | None]:
    """Return adjusted p-values in the same order; missing p-values stay missing and do not count.

    `holm` (1979, Scand. J. Stat. 6:65) controls the family-wise error rate; `benjamini_hochberg` (1995, J. R. Stat.
    Soc. B 57:289) controls the false discovery rate.

    >>> adjusted([0.01, None, 0.04], "holm")
    [0.02, None, 0.04]
    """
    tested = np.array([p for p in p_values if p is not None], dtype=np.float64)
    found = iter((holm if method == "holm" else benjamini_hochberg)(tested).tolist())
    return [None if p is None else next(found) for p in p_values]


def holm(p_values: Floats) -> Floats:
    """Multiply the smallest of n p-values by n, the next by n - 1, and so on, never decreasing; shape (n,)."""
    order = np.argsort(p_values, kind="stable")
    n_left = np.arange(len(p_values), 0, -1)
    return _in_place(np.maximum.accumulate(p_values[order] * n_left), order)


def benjamini_hochberg(p_values: Floats) -> Floats:
    """Multiply the k-th smallest of n p-values by n / k, made non-decreasing from the largest down; shape (n,)."""
    return _stepped_up(p_values, 1.0)


def benjamini_yekutieli(p_values: Floats) -> Floats:
    """Return `benjamini_hochberg` times 1 + 1/2 + ... + 1/n, for any dependence (2001, Ann. Stat. 29:1165)."""
    return _stepped_up(p_values, float((1 / np.arange(1, len(p_values) + 1)).sum()))


def _stepped_up(p_values: Floats, factor: float) -> Floats:
    order = np.argsort(p_values, kind="stable")
    share = np.arange(1, len(p_values) + 1) / max(len(p_values), 1)
    raised = p_values[order] / (share / factor)
    return _in_place(np.minimum.accumulate(raised[::-1])[::-1], order)


def _in_place(ascending: Floats, order: Ints) -> Floats:
    """Return adjusted p-values, at most 1, in the caller's order."""
    found = np.empty_like(ascending)
    found[order] = np.minimum(ascending, 1.0)
    return found
