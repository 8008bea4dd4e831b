"""Hidden repeats, and other trials that are mixed into a rater's order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from app.design.protocol.study_design import Repeats


@dataclass(frozen=True, slots=True)
class Showing:
    """One place in a rater's order: which of their trials, its how manieth repeat, sides as before or swapped."""

    trial: int
    repeat: int = 0
    is_swapped: bool = False


def has_room_for_repeats(n_trials: int, repeats: Repeats) -> bool:
    """Whether n trials can take the repeats at their distance."""
    return repeats.n <= n_trials - repeats.min_distance + 1


def with_repeats(n_trials: int, repeats: Repeats | None, rng: Random) -> list[Showing]:
    """A rater's trials with the hidden repeats among them.

    Args:
        n_trials: how many trials the rater has, in their order.
        repeats: how many to repeat, and how far from the first time at least, counted in places.
        rng: chooses which, and where.

    Raises:
        ValueError: there is no room for them.
    """
    order = [Showing(trial) for trial in range(n_trials)]
    if repeats is None:
        return order
    if not has_room_for_repeats(n_trials, repeats):
        raise ValueError(f"{n_trials} trials have no room for {repeats.n} repeats {repeats.min_distance} places apart")
    for trial in sorted(rng.sample(range(n_trials - repeats.min_distance + 1), repeats.n)):
        earliest = order.index(Showing(trial)) + repeats.min_distance
        # A repeat that is inserted pushes others further apart, never closer.
        order.insert(rng.randint(earliest, len(order)), Showing(trial, repeat=1, is_swapped=repeats.swap_sides))
    return order


def spread(n_trials: int, n_more: int, rng: Random) -> list[int]:
    """After which trials (1 to n_trials) special ones come, such as gold trials: one somewhere in each equal part.

    >>> from random import Random
    >>> [place <= 10 for place in spread(20, 2, Random(1))]
    [True, False]
    """
    edges = [round(part * n_trials / n_more) for part in range(n_more + 1)] if n_more else []
    firsts = [min(low + 1, n_trials) for low in edges[:-1]]
    return [rng.randint(first, max(high, first)) for first, high in zip(firsts, edges[1:], strict=True)]
