"""Counts that determine means, proportions and agreement, so that a running study needs no row of its ratings.

Patterns are counts by unit and value: two units with the same values given equally often are exchangeable. Points are
counts by source, rater and value. Choices are counted by rater, pair of sources and outcome.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """The number of responses of one source that have these values, each given so many times by different raters.

    For a choice, the number of pairs of responses, of no source, and values are categories.
    """

    question: str
    source: str | None
    values: tuple[float, ...]
    counts: tuple[int, ...]
    n_units: int


@dataclass(frozen=True, slots=True)
class Point:
    """How often one rater gave one value to responses of one source."""

    question: str
    source: str
    rater: int
    value: float
    n: int


@dataclass(frozen=True, slots=True)
class Chosen:
    """How often one rater made one choice between responses of two sources, which are None if the pair is unknown.

    `outcome` is `response`, `tie` or `neither`; `chosen` is the source of the chosen response. `is_left` is None if
    nothing was chosen or the sides are unknown.
    """

    question: str
    rater: int
    one: str | None
    other: str | None
    outcome: str
    chosen: str | None
    is_left: bool | None
    n: int


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """All counts of a study's ratings of responses and of its choices.

    Persons only, without excluded and repeated answers. `n_places` is the largest number of responses of an item.
    """

    patterns: tuple[Pattern, ...]
    points: tuple[Point, ...]
    chosen: tuple[Chosen, ...] = ()
    n_places: int = 0
