"""Disagreement weights: how much two different values disagree, depending on their distance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from app.stats.agreement.disagreement import unit_free

if TYPE_CHECKING:
    from app.stats.core.arrays import Floats

Weights = Literal["none", "linear", "quadratic"]


def disagreement_weights(values: Floats, weights: Weights) -> Floats:
    """Return weights from 0 (equal values) to 1 (the two extremes), shape (V, V), V at least 2. Cohen (1968)."""
    if weights == "none":
        return 1.0 - np.eye(len(values))
    values = unit_free(values)
    distance = np.abs(values[:, None] - values)
    share: Floats = distance / distance.max()
    return share if weights == "linear" else share**2
