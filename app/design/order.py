"""Order: the items of one rater, and the sides of their responses, from a seed; the same on every machine."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Place:
    """One trial's place in a rater's order, with its responses as they are shown: left, right, or first to last."""

    trial_id: int
    position: int
    response_ids: tuple[int, ...]


def fraction(*parts: object) -> float:
    """A number in [0, 1) that looks random and depends on the parts only.

    >>> fraction(7, "item") == fraction(7, "item"), fraction(7, "item") == fraction(8, "item")
    (True, False)
    """
    return seeded(*parts).random()


def seeded(*parts: object) -> Random:
    """A generator of its own for these parts."""
    digest = hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=16).digest()
    return Random(int.from_bytes(digest))  # noqa: S311 - an order that can be repeated, not a secret


def sides(n: int, n_kept: int, n_swapped: int, rng: Random) -> list[bool]:
    """For each of n trials whether its responses are swapped: in all as many as not, in random order.

    Args:
        n: how many trials are new.
        n_kept: how many earlier ones of this rater were not swapped.
        n_swapped: how many earlier ones were.
        rng: decides the order, and the odd one out.

    Returns:
        n values; earlier and new ones together differ by one at most, where the earlier ones allow it.
    """
    total = n_kept + n_swapped + n
    half = total // 2 + (rng.random() < 1 / 2 if total % 2 else 0)
    n_new = min(max(half - n_swapped, 0), n)
    new = [True] * n_new + [False] * (n - n_new)
    rng.shuffle(new)
    return new


def rater_order(
    seed: int, rater: str, trials: Sequence[tuple[int, str, tuple[int, ...]]], *, first: int = 1, kept: int = 0,
    swapped: int = 0,
) -> list[Place]:  # fmt: skip
    """The order of one rater's trials and the sides in each.

    Args:
        seed: the study's.
        rater: the rater's key.
        trials: id, a name that does not depend on the database, and the response ids in the trial's own order.
        first: the position to begin with, above 1 where a rater gets more trials later.
        kept: how many pairs this rater has had in the trial's own order.
        swapped: how many in the other.
    """
    rng = seeded(seed, "order", rater, first)
    shuffled = sorted(trials, key=lambda trial: trial[1])
    rng.shuffle(shuffled)
    n_pairs = sum(len(responses) == 2 for _, _, responses in shuffled)  # noqa: PLR2004 - a pair
    swaps = iter(sides(n_pairs, kept, swapped, rng))
    return [
        Place(trial_id, position, _shown(responses, swaps, seeded(seed, "sides", rater, name)))
        for position, (trial_id, name, responses) in enumerate(shuffled, start=first)
    ]


def _shown(responses: tuple[int, ...], swaps: object, rng: Random) -> tuple[int, ...]:
    if len(responses) == 2:  # noqa: PLR2004 - a pair
        return responses[::-1] if next(swaps) else responses  # type: ignore[call-overload]
    shown = list(responses)
    rng.shuffle(shown)
    return tuple(shown)
