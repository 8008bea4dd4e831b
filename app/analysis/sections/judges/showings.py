"""The showings of a trial to a judge, each item with the same weight."""

from __future__ import annotations

import numpy as np

from app.analysis.data.answers import Choices
from app.analysis.data.encoded_study import Floats


def mean_of_showings(choices: Choices, value: Floats) -> tuple[Choices, Floats]:
    """The first choice on each pair, and the mean of the values of all choices on it; nan if none has a value."""
    _, first, code = np.unique(choices.unit, return_index=True, return_inverse=True)
    known = np.isfinite(value)
    n = np.bincount(code, known, len(first))
    total = np.bincount(code, np.where(known, value, 0.0), len(first))
    mean = np.where(n > 0, total / np.maximum(n, 1), np.nan)
    order = np.argsort(first)
    return choices.select(first[order]), np.asarray(mean[order])
