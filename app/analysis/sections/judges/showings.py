"""The showings of a trial to a judge, each item with the same weight."""

from __future__ import annotations

import numpy as np

from app.analysis.data.answers import Choices
from app.analysis.data.encoded_study import Floats, Ints


def mean_of_showings(choices: Choices, value: Floats) -> tuple[Choices, Floats]:
    """The first choice on each pair, and the mean of the values of all choices on it; nan if none has a value.

    Of several raters each counts once, with the mean of the values of its own choices.
    """
    _, first, code = np.unique(choices.unit, return_index=True, return_inverse=True)
    n_raters = int(choices.rater.max(initial=0)) + 1
    cells, cell = np.unique(code * n_raters + choices.rater, return_inverse=True)
    mean = _mean(_mean(value, cell, len(cells)), cells // n_raters, len(first))
    order = np.argsort(first)
    return choices.select(first[order]), mean[order]


def _mean(value: Floats, code: Ints, n: int) -> Floats:
    """The mean of the known values of each code; nan if it has none."""
    known = np.isfinite(value)
    count = np.bincount(code, known, n)
    total = np.bincount(code, np.where(known, value, 0.0), n)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)
