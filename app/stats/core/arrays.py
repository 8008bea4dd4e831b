"""What the arrays of ratings are made of, and how rows without a value leave them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
Labels = NDArray[Any]


def codes(labels: Labels) -> tuple[Ints, int]:
    """Codes 0..n-1 in the order of first appearance, and n. By hashing: sorting takes ten times as long.

    >>> codes(np.array([7, 3, 7]))
    (array([0, 1, 0]), 2)
    """
    numbers, names = pd.factorize(np.asarray(labels))
    return numbers.astype(np.int64), len(names)


def spread(value: Floats) -> float:
    """Standard deviation, divisor n - 1, of two values or more of any size: squares of the largest do not overflow."""
    largest = float(np.abs(value).max())
    return float((value / largest).std(ddof=1)) * largest if largest else 0.0


def present(value: Labels, *beside: Labels) -> tuple[Floats, list[Labels]]:
    """The rows whose value is a finite number, of `value` and of each array beside it."""
    number = np.asarray(value, dtype=np.float64)
    here = np.isfinite(number)
    if here.all():
        return number, [np.asarray(other) for other in beside]
    return number[here], [np.asarray(other)[here] for other in beside]
