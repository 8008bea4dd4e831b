"""What a report rests on: items, responses, raters and answers."""

from __future__ import annotations

from dataclasses import dataclass, field
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

    `first_day` and `last_day` are None where no answer has a time. `missing` is how many answers are missing in the
    trials rated, and how many there would be: by the part of the condition that varies between raters, otherwise by
    pool; the key is empty without either. Only questions that every rater is asked about each thing count.
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
    missing: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def n_raters(self) -> int:
        """How many answered, of all kinds."""
        return sum(group.n for group in self.raters)


NO_SAMPLE = Sample(0, {}, (), 0, 0, {}, {}, 0, None, None)
