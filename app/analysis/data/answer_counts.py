"""Counts that determine means, proportions and agreement, so that a running study needs no row of its ratings.

Patterns are counts by unit and value: two units with the same values given equally often are exchangeable. Points are
counts by source, rater and value.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Pattern:
    """The number of responses of one source that have these values, each given so many times by different raters."""

    question: str
    source: str
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
class AnswerCounts:
    """All counts of a study's rating questions about responses; persons only, without excluded and repeated ratings."""

    patterns: tuple[Pattern, ...]
    points: tuple[Point, ...]
