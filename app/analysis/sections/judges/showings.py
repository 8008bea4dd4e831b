"""What choices between two sources say, and the showings of a trial to a judge, each item with the same weight."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from app.analysis.data.answers import NEITHER, RESPONSE, TIE, Choices
from app.analysis.data.encoded_study import Floats
from app.analysis.data.question_data import ChoiceData
from app.analysis.estimate import Scope


def choices_between(choices: Choices, mine: int, theirs: int) -> tuple[Choices, Floats]:
    """The choices between two sources, without *neither*, and 1 for the first, 0 for the second, .5 for a tie."""
    is_pair = ((choices.one == mine) & (choices.other == theirs)) | ((choices.one == theirs) & (choices.other == mine))
    part = choices.select(is_pair & (choices.outcome != NEITHER))
    worth = np.select([part.outcome == RESPONSE, part.outcome == TIE], [(part.chosen == mine) * 1.0, 0.5], np.nan)
    return part, worth


def against_reference(votes: ChoiceData) -> Iterator[tuple[Scope, Choices]]:
    """Each source against the reference: the choices between the two, with what each says as its value."""
    for source in votes.sources if votes.reference is not None else ():
        if source != votes.reference:
            part, worth = choices_between(votes.answers, votes.code_of(source), votes.code_of(str(votes.reference)))
            yield {"source": source, "reference": str(votes.reference)}, replace(part, value=worth)


def mean_of_showings(choices: Choices, value: Floats) -> tuple[Choices, Floats]:
    """The first choice on each pair, and the mean of the values of all choices on it; nan if none has a value."""
    _, first, code = np.unique(choices.unit, return_index=True, return_inverse=True)
    known = np.isfinite(value)
    n = np.bincount(code, known, len(first))
    total = np.bincount(code, np.where(known, value, 0.0), len(first))
    mean = np.where(n > 0, total / np.maximum(n, 1), np.nan)
    order = np.argsort(first)
    return choices.select(first[order]), np.asarray(mean[order])
