"""The progress of a study over time: ratings and finished raters per hour, day or week, without gaps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from typing import Literal

Unit = Literal["hour", "day", "week"]
LENGTHS: dict[Unit, timedelta] = {"hour": timedelta(hours=1), "day": timedelta(days=1), "week": timedelta(days=7)}
# A longer study is shown in longer steps.
MAX_IN_HOURS, MAX_IN_DAYS = timedelta(days=3), timedelta(days=120)


@dataclass(frozen=True, slots=True)
class ProgressStep:
    """What happened in one hour, day or week (UTC); `n_so_far` includes all earlier steps."""

    start: datetime
    end: datetime
    n_ratings: int
    n_finished: int
    n_so_far: int


@dataclass(frozen=True, slots=True)
class Progress:
    """The steps of a study in order, empty before the first rating.

    `goal` is the number of trials to rate, each once per rater, or None if the study has no trials. `noun` names what
    is counted: trials rated, or answers that were loaded with the study. Answers without a time are in no step.
    """

    unit: Unit
    steps: tuple[ProgressStep, ...]
    goal: int | None
    noun: Literal["trials rated", "answers"] = "trials rated"
    n_without_time: int = 0


def unit_for(length: timedelta) -> Unit:
    """Return the length of the steps for a study that has lasted so long.

    >>> unit_for(timedelta(hours=5)), unit_for(timedelta(days=30)), unit_for(timedelta(days=300))
    ('hour', 'day', 'week')
    """
    if length <= MAX_IN_HOURS:
        return "hour"
    return "day" if length <= MAX_IN_DAYS else "week"


def steps_of(unit: Unit, ratings: Mapping[datetime, int], finished: Mapping[datetime, int]) -> tuple[ProgressStep, ...]:
    """Return one step per hour, day or week from the first to the last count, also for those without any.

    Args:
        unit: length of a step.
        ratings: number of ratings by the start of the step.
        finished: number of raters who finished, by the start of the step.
    """
    starts = _starts(sorted({*ratings, *finished}), LENGTHS[unit])
    so_far = accumulate(ratings.get(start, 0) for start in starts)
    return tuple(
        ProgressStep(start, start + LENGTHS[unit], ratings.get(start, 0), finished.get(start, 0), total)
        for start, total in zip(starts, so_far, strict=True)
    )


def _starts(known: Sequence[datetime], length: timedelta) -> list[datetime]:
    if not known:
        return []
    n_steps = (known[-1] - known[0]) // length + 1
    return [known[0] + place * length for place in range(n_steps)]
