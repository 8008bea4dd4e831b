"""What a report rests on: items, responses, raters and answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import date


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


NO_SAMPLE = Sample(0, {}, (), 0, 0, {}, {}, 0, None, None)
