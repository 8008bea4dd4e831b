"""What a report rests on: items, responses, raters and answers, counted once from the same frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date

    import pandas as pd

    from app.analysis.data.frames import Frames


@dataclass(frozen=True, slots=True)
class RaterGroup:
    """Raters of one kind and pool who answered; `pool` is None for raters without one."""

    kind: str
    pool: str | None
    n: int


@dataclass(frozen=True, slots=True)
class Sample:
    """Counts over all answers but planned repeats; `excluded` counts answers by the reason why they are left out.

    `first_day` and `last_day` are None where no answer has a time.
    """

    n_items: int
    n_responses: dict[str, int]
    raters: tuple[RaterGroup, ...]
    n_simulated: int
    n_imported: int
    n_answers: dict[str, int]
    excluded: dict[str, int]
    n_repeats: int
    first_day: date | None
    last_day: date | None

    @property
    def n_raters(self) -> int:
        """How many answered, of all kinds."""
        return sum(group.n for group in self.raters)


def sample_of(frames: Frames) -> Sample:
    """The sample of these frames."""
    ratings = frames.ratings
    is_excluded = ratings["exclude"].notna()
    is_repeat = ratings["repeat"] > 0
    counted = ratings.loc[~is_excluded & ~is_repeat]
    raters = frames.raters.loc[frames.raters["rater"].isin(counted["rater"].unique())]
    days = counted["rated_at"].dropna().dt.date
    return Sample(
        n_items=int(counted["item"].nunique()),
        n_responses=_counts(frames.responses.loc[frames.responses["item"].isin(counted["item"].unique()), "source"]),
        raters=_groups(raters),
        n_simulated=_marked(raters, "is_simulated"),
        n_imported=_marked(raters, "is_imported"),
        n_answers=_counts(counted["question"]),
        excluded=_counts(ratings.loc[is_excluded, "exclude"]),
        n_repeats=int(is_repeat.sum()),
        first_day=min(days, default=None),
        last_day=max(days, default=None),
    )


def _counts(cells: pd.Series[str]) -> dict[str, int]:
    """How often each value occurs, in the order of their first occurrence."""
    counts = cells.value_counts()
    return {str(value): int(counts[value]) for value in dict.fromkeys(cells)}


def _groups(raters: pd.DataFrame) -> tuple[RaterGroup, ...]:
    pairs = [(str(kind), None if pool is None or pool != pool else str(pool)) for kind, pool in _pairs(raters)]  # noqa: PLR0124 - nan
    return tuple(RaterGroup(*pair, pairs.count(pair)) for pair in dict.fromkeys(pairs))


def _pairs(raters: pd.DataFrame) -> list[tuple[object, object]]:
    return list(zip(raters["kind"], raters["pool"], strict=True))


def _marked(raters: pd.DataFrame, mark: str) -> int:
    return int(raters[mark].fillna(value=False).astype(bool).sum()) if mark in raters else 0


NO_SAMPLE = Sample(0, {}, (), 0, 0, {}, {}, 0, None, None)
