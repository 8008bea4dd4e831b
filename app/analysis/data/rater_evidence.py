"""What each rater did, in the numbers that the rules for flags are about: once for frames and for stored answers."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from app.protocol.rater_flags import Evidence
from app.stats.raters.agreement_with_others import OthersAgreement, agreement_with_others, choices_with_others

if TYPE_CHECKING:
    # Loads pandas and scipy, for half a second of the first view of *Raters*.
    from app.stats.arrays import Bools, Floats, Ints

K = TypeVar("K", bound="Hashable")


@dataclass(frozen=True, slots=True, eq=False)
class RaterAnswers:
    """What one rater answered.

    Attributes:
        n_ratings: number of answers.
        number: ratings about an item that are numbers, in the order in which they were given.
        unit: codes of what each of them is about, 0 for ratings that agreement is not about.
        is_left: choices of a side, in the order in which they were given; about the first choice question only.
        pair: the two responses of each choice that agreement is about, as codes in ascending order, shape (n, 2). There
            are some only if no rating is compared.
        is_lower: whether the first of these two was chosen, shape (n,).
        active_ms: the known times of the trials.
        n_words: words of the texts that these trials showed, each text counted once.
        has_order: whether the order of the answers is known.
    """

    n_ratings: int
    number: Floats
    unit: Ints
    is_left: Bools
    pair: Ints
    is_lower: Bools
    active_ms: Floats
    n_words: int
    has_order: bool


def evidence_of(answers: Mapping[K, RaterAnswers], alone: Collection[K] = ()) -> dict[K, Evidence]:
    """The evidence of raters who are compared with each other; `alone` are not compared with anyone.

    Checks and typing are added by the caller, who knows them.
    """
    compared = [key for key in answers if key not in alone]
    agreement = _agreement([answers[key] for key in compared])
    agreed = dict(zip(compared, agreement, strict=True))
    return {key: _evidence(one, *agreed.get(key, (0, None))) for key, one in answers.items()}


def _agreement(answers: list[RaterAnswers]) -> list[tuple[int, float | None]]:
    if not answers:
        return []
    if any(len(one.pair) for one in answers):
        return _listed(_choices(answers))
    unit = np.concatenate([one.unit for one in answers])
    rater = np.repeat(np.arange(len(answers)), [len(one.unit) for one in answers])
    number = np.concatenate([one.number for one in answers])
    is_about = unit != 0
    return _listed(agreement_with_others(number[is_about], unit[is_about], rater[is_about], len(answers)))


def _choices(answers: list[RaterAnswers]) -> OthersAgreement:
    pair = np.unique(np.concatenate([one.pair for one in answers]), axis=0, return_inverse=True)[1].ravel()
    rater = np.repeat(np.arange(len(answers)), [len(one.pair) for one in answers])
    chosen = np.where(np.concatenate([one.is_lower for one in answers]), 1.0, -1.0)
    return choices_with_others(chosen, pair, rater, len(answers))


def _listed(found: OthersAgreement) -> list[tuple[int, float | None]]:
    values = (None if np.isnan(r) else float(r) for r in found.correlation)
    return list(zip(found.n_compared.tolist(), values, strict=True))


def _evidence(one: RaterAnswers, n_compared: int, agreement: float | None) -> Evidence:
    return Evidence(
        n_ratings=one.n_ratings,
        n_trials=len(one.active_ms),
        median_ms=float(np.median(one.active_ms)) if len(one.active_ms) else None,
        total_ms=float(one.active_ms.sum()),
        n_words=one.n_words,
        n_points=len(one.number),
        n_most=_longest_run(np.sort(one.number)),
        longest_run=_longest_run(one.number) if one.has_order else 0,
        n_sides=len(one.is_left),
        n_left=int(one.is_left.sum()),
        longest_side_run=_longest_run(one.is_left) if one.has_order else 0,
        n_compared=n_compared,
        agreement=agreement,
    )


def _longest_run(values: Floats | Bools) -> int:
    """The length of the longest run of equal values.

    >>> _longest_run(np.array([1.0, 2, 2, 2, 1])), _longest_run(np.array([]))
    (3, 0)
    """
    # Twice as fast as `np.diff` with `prepend` and `append` for the few dozen answers that most raters give.
    ends = np.concatenate([[-1], np.flatnonzero(values[1:] != values[:-1]), [len(values) - 1]])
    return int((ends[1:] - ends[:-1]).max())
