"""What choices between two sources say, and the showings of a trial to a judge, each item with the same weight."""

from __future__ import annotations

import numpy as np

from app.analysis.data.answers import NEITHER, RESPONSE, TIE, Choices
from app.analysis.data.encoded_study import Floats


def choices_between(choices: Choices, mine: int, theirs: int) -> tuple[Choices, Floats]:
    """The choices between two sources, without *neither*, and 1 for the first, 0 for the second, .5 for a tie."""
    is_pair = ((choices.one == mine) & (choices.other == theirs)) | ((choices.one == theirs) & (choices.other == mine))
    part = choices.select(is_pair & (choices.outcome != NEITHER))
    worth = np.select([part.outcome == RESPONSE, part.outcome == TIE], [(part.chosen == mine) * 1.0, 0.5], np.nan)
    return part, worth


def mean_of_showings(choices: Choices, value: Floats) -> tuple[Choices, Floats]:
    """The first choice on each pair, and the mean of the values of all choices on it; nan if none has a value."""
    _, first, code = np.unique(choices.unit, return_index=True, return_inverse=True)
    known = np.isfinite(value)
    n = np.bincount(code, known, len(first))
    total = np.bincount(code, np.where(known, value, 0.0), len(first))
    mean = np.where(n > 0, total / np.maximum(n, 1), np.nan)
    order = np.argsort(first)
    return choices.select(first[order]), np.asarray(mean[order])
