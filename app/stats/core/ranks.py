"""Ranks of values, without the one-second import of scipy.stats."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats, Ints


def midranks(value: Floats | Ints) -> Floats:
    """Return the rank of each value from 1, tied values sharing their mean rank; shape (n,), without nan.

    >>> midranks(np.array([3.0, 1.0, 3.0]))
    array([2.5, 1. , 2.5])
    """
    _, place, n_tied = np.unique(value, return_inverse=True, return_counts=True)
    rank: Floats = (np.cumsum(n_tied) - (n_tied - 1) / 2)[place]
    return rank
