"""Chance from a seed, the same on every machine: generators, fractions, and which sides are swapped."""

from __future__ import annotations

import hashlib
from random import Random


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
