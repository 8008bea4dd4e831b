"""Hidden repeats, and positions for other trials that are mixed into a rater's order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random

    from app.design.protocol.parts.study_design import Repeats


@dataclass(frozen=True, slots=True)
class Showing:
    """One position in a rater's order: trial index, number of its repeat (0 for the first showing), and sides."""

    trial: int
    repeat: int = 0
    is_swapped: bool = False


def has_room_for_repeats(n_trials: int, repeats: Repeats) -> bool:
    """Whether n trials leave enough room for the repeats at their minimum distance."""
    return repeats.n <= n_trials - repeats.min_distance + 1


def with_repeats(n_trials: int, repeats: Repeats | None, rng: Random) -> list[Showing]:
    """A rater's trials with the hidden repeats inserted.

    Args:
        n_trials: number of the rater's trials, in their order.
        repeats: how many trials to repeat, and the minimum distance in positions from the first showing.
        rng: chooses the repeated trials and their positions.

    Raises:
        ValueError: there is not enough room for the repeats.
    """
    order = [Showing(trial) for trial in range(n_trials)]
    if repeats is None:
        return order
    if not has_room_for_repeats(n_trials, repeats):
        raise ValueError(
            f"{n_trials} trials are too few for {repeats.n} repeats at least {repeats.min_distance} positions apart"
        )
    for trial in sorted(rng.sample(range(n_trials - repeats.min_distance + 1), repeats.n)):
        earliest = order.index(Showing(trial)) + repeats.min_distance
        # Inserting a repeat can only increase the distances of the other repeats.
        order.insert(rng.randint(earliest, len(order)), Showing(trial, repeat=1, is_swapped=repeats.swap_sides))
    return order


def spread(n_trials: int, n_more: int, rng: Random) -> list[int]:
    """Positions (1 to n_trials) after which to insert special trials, such as gold: one in each of n_more equal parts.

    >>> from random import Random
    >>> [place <= 10 for place in spread(20, 2, Random(1))]
    [True, False]
    """
    edges = [round(part * n_trials / n_more) for part in range(n_more + 1)] if n_more else []
    firsts = [min(low + 1, n_trials) for low in edges[:-1]]
    return [rng.randint(first, max(high, first)) for first, high in zip(firsts, edges[1:], strict=True)]
