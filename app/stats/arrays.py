"""Array types, integer codes, and removal of rows with missing values."""

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import scipy.linalg  # noqa: F401 - loads its own BLAS library, which can only be found once loaded
from numpy.typing import NDArray
from threadpoolctl import ThreadpoolController

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Labels = NDArray[Any]


def codes(labels: Labels) -> tuple[Ints, int]:
    """Return codes 0..n-1 in order of first appearance, and n. Hashing is ten times faster than sorting.

    >>> codes(np.array([7, 3, 7]))
    (array([0, 1, 0]), 2)
    """
    labels = np.asarray(labels)
    if _is_dense(labels):
        return _dense_codes(labels)
    if labels.dtype.kind == "i":
        starts = np.concatenate([[True], labels[1:] != labels[:-1]])[: labels.size]
        n_runs = int(starts.sum())
        if len(sorted_unique(labels[starts])) == n_runs:  # equal labels are adjacent, as in sorted ratings
            return np.cumsum(starts) - 1, n_runs
    numbers, names = pd.factorize(labels)
    return numbers.astype(np.int64), len(names)


def _is_dense(labels: Labels) -> bool:
    """Whether the labels are integers from 0, small enough to index a table."""
    if not (labels.size and labels.dtype.kind == "i" and labels.min() >= 0):
        return False
    return bool(labels.max() < labels.size)


def _dense_codes(labels: Ints) -> tuple[Ints, int]:
    first = np.full(int(labels.max()) + 1, labels.size)
    first[labels[::-1]] = np.arange(labels.size - 1, -1, -1)  # of equal labels, the last assignment wins
    present = np.flatnonzero(first < labels.size)
    code = np.empty_like(first)
    code[present[np.argsort(first[present])]] = np.arange(len(present))
    return code[labels], len(present)


def sorted_unique(numbers: Ints) -> Ints:
    """Return the distinct numbers, ascending. `np.unique` hashes large arrays, which is slower than sorting."""
    ordered = np.sort(numbers)
    return ordered[np.concatenate([[True], ordered[1:] != ordered[:-1]])] if len(ordered) else ordered


def spread(value: Floats) -> float:
    """Return the standard deviation (divisor n - 1) of at least two values, without overflow for large values."""
    largest = float(np.abs(value).max())
    return float((value / largest).std(ddof=1)) * largest if largest else 0.0


def present(value: Labels, *beside: Labels) -> tuple[Floats, list[Labels]]:
    """Keep the rows in which `value` is finite; return `value` and the `beside` arrays with those rows."""
    number = np.asarray(value, dtype=np.float64)
    here = np.isfinite(number)
    if here.all():
        return number, [np.asarray(other) for other in beside]
    return number[here], [np.asarray(other)[here] for other in beside]


# Single-threaded linear algebra: the matrices of a report are small or narrow.
#
# Multiple threads busy-wait for each other: on two processors, a report on a million ratings takes twice the processor
# time, and more if other programs use the processors too.


def one_thread() -> AbstractContextManager[object]:
    """Return a context manager in which numpy and scipy compute on one thread; contexts can be nested."""
    context: AbstractContextManager[object] = _libraries().limit(limits=1)
    return context


@cache
def _libraries() -> ThreadpoolController:
    """Return the thread pools of numpy and of scipy, which bring one each; finding them takes a millisecond."""
    return ThreadpoolController()


# Ranks of values, without the one-second import of scipy.stats.


def midranks(value: Floats | Ints) -> Floats:
    """Return the rank of each value from 1, tied values sharing their mean rank; shape (n,), without nan.

    >>> midranks(np.array([3.0, 1.0, 3.0]))
    array([2.5, 1. , 2.5])
    """
    _, place, n_tied = np.unique(value, return_inverse=True, return_counts=True)
    rank: Floats = (np.cumsum(n_tied) - (n_tied - 1) / 2)[place]
    return rank
