"""What each rater did, in the numbers that the rules for flags are about: once for frames and for stored answers."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from app.protocol.rater_flags import Evidence
from app.stats.raters.agreement_with_others import OthersAgreement, agreement_with_others, choices_with_others

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # Loads pandas and scipy, for half a second of the first view of *Raters*.
    from app.stats.arrays import Bools, Floats, Ints

K = TypeVar("K", bound="Hashable")


@dataclass(frozen=True, slots=True, eq=False)
class RaterAnswers:
    """What all raters answered. Raters are codes from 0; answers are ordered by rater, then as they were given.

    Attributes:
        n_ratings: number of answers, by rater.
        number: ratings about an item that are numbers.
        number_of: who gave each of them.
        unit: codes of what each of them is about, 0 for ratings that agreement is not about.
        is_left: choices of a side; about the first choice question only.
        side_of: who made each of them.
        pair: the two responses of each choice that agreement is about, as codes in ascending order, shape (n, 2). There
            are some only if no rating is compared.
        is_lower: whether the first of these two was chosen.
        pair_of: who chose.
        active_ms: the known times of the trials.
        time_of: whose time it is.
        n_words: words of the texts that these trials showed, each text counted once, by rater.
        has_order: whether the order of the answers is known, by rater.
    """

    n_ratings: Ints
    number: Floats
    number_of: Ints
    unit: Ints
    is_left: Bools
    side_of: Ints
    pair: Ints
    is_lower: Bools
    pair_of: Ints
    active_ms: Floats
    time_of: Ints
    n_words: Ints
    has_order: Bools


def evidence_of(names: Sequence[K], answers: RaterAnswers, group: Ints) -> dict[K, Evidence]:
    """The evidence of each rater, by name.

    Checks and typing are added by the caller, who knows them.

    Args:
        names: shape (n_raters,).
        answers: what they answered.
        group: raters of the same group are compared with each other, those of group 0 with nobody; shape (n_raters,).
    """
    n = len(names)
    n_compared, agreement = _agreement(answers, group)
    n_trials, median_ms, total_ms = _times(answers.active_ms, answers.time_of, n)
    columns = {
        "n_ratings": answers.n_ratings,
        "n_trials": n_trials,
        "median_ms": _known(median_ms),
        "total_ms": total_ms,
        "n_words": answers.n_words,
        "n_points": np.bincount(answers.number_of, minlength=n),
        "n_most": _most_equal(answers.number, answers.number_of, n),
        "longest_run": answers.has_order * _longest_runs(answers.number, answers.number_of, n),
        "n_sides": np.bincount(answers.side_of, minlength=n),
        "n_left": np.bincount(answers.side_of[answers.is_left], minlength=n),
        "longest_side_run": answers.has_order * _longest_runs(answers.is_left, answers.side_of, n),
        "n_compared": n_compared,
        "agreement": _known(agreement),
    }
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    return {name: Evidence(**dict(zip(columns, row, strict=True))) for name, row in zip(names, rows, strict=True)}


def _known(values: Floats) -> NDArray[np.object_]:
    """The values, None for nan."""
    found = values.astype(np.object_)
    found[np.isnan(values)] = None
    return found


def _agreement(answers: RaterAnswers, group: Ints) -> tuple[Ints, Floats]:
    """The number of answers that can be compared with those of others, and their correlation with the others' mean."""
    n_compared, correlation = np.zeros(len(group), dtype=np.int64), np.full(len(group), np.nan)
    for one in np.unique(group[group != 0]):
        is_one = group == one
        found = _agreement_within(answers, is_one)
        n_compared, correlation = n_compared + found.n_compared, np.where(is_one, found.correlation, correlation)
    return n_compared, correlation


def _agreement_within(answers: RaterAnswers, is_compared: Bools) -> OthersAgreement:
    if len(answers.pair):
        is_about = is_compared[answers.pair_of]
        pair = np.unique(answers.pair[is_about], axis=0, return_inverse=True)[1].ravel()
        chosen = np.where(answers.is_lower[is_about], 1.0, -1.0)
        return choices_with_others(chosen, pair, answers.pair_of[is_about], len(is_compared))
    is_about = (answers.unit != 0) & is_compared[answers.number_of]
    rated = answers.number[is_about], answers.unit[is_about], answers.number_of[is_about]
    return agreement_with_others(*rated, len(is_compared))


def _times(ms: Floats, of: Ints, n_raters: int) -> tuple[Ints, Floats, Floats]:
    """Number, median and sum of each rater's times; the median is nan without any."""
    size, total = np.bincount(of, minlength=n_raters), np.bincount(of, ms, n_raters).astype(np.float64)
    ordered = np.append(ms[np.lexsort((ms, of))], np.nan)
    first = np.cumsum(size) - size
    middle = (ordered[first + np.maximum(size - 1, 0) // 2] + ordered[first + size // 2]) / 2
    median: Floats = np.where(size > 0, middle, np.nan)
    return size, median, total


def _most_equal(values: Floats, of: Ints, n_raters: int) -> Ints:
    """How many of each rater's values are equal, at most.

    >>> _most_equal(np.array([1.0, 2, 1, 3]), np.array([0, 0, 0, 2]), 3).tolist()
    [2, 0, 1]
    """
    points = np.unique(values)
    code, n = np.unique(of * len(points) + np.searchsorted(points, values), return_counts=True)
    return _largest(n, code // max(1, len(points)), n_raters)


def _longest_runs(values: Floats | Bools, of: Ints, n_raters: int) -> Ints:
    """The length of each rater's longest run of equal values.

    >>> _longest_runs(np.array([1.0, 2, 2, 2, 2, 1]), np.array([0, 0, 0, 2, 2, 2]), 3).tolist()
    [2, 0, 2]
    """
    begins = np.ones(len(values), dtype=bool)
    begins[1:] = (values[1:] != values[:-1]) | (of[1:] != of[:-1])
    first = np.flatnonzero(begins)
    return _largest(np.diff(first, append=len(values)), of[first], n_raters)


def _largest(n: Ints, of: Ints, n_raters: int) -> Ints:
    """The largest number of each rater, 0 without any."""
    found = np.zeros(n_raters, dtype=np.int64)
    np.maximum.at(found, of, n)
    return found
