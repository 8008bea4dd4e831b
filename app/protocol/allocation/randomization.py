"""Reproducible randomness from a seed, the same on every machine: generators, fractions, and swapped sides."""

import hashlib
from random import Random


def fraction(*parts: object) -> float:
    """A pseudo-random number in [0, 1) that depends only on the parts.

    >>> fraction(7, "item") == fraction(7, "item"), fraction(7, "item") == fraction(8, "item")
    (True, False)
    """
    return seeded(*parts).random()


def seeded(*parts: object) -> Random:
    """A random number generator seeded by these parts."""
    digest = hashlib.blake2b("\x1f".join(map(str, parts)).encode(), digest_size=16).digest()
    return Random(int.from_bytes(digest))  # noqa: S311 - a reproducible order, not a secret


def sides(n: int, n_kept: int, n_swapped: int, rng: Random) -> list[bool]:
    """For each of n trials whether its responses are swapped: half of them overall, in random order.

    Args:
        n: number of new trials.
        n_kept: number of this rater's earlier trials that were not swapped.
        n_swapped: number of this rater's earlier trials that were swapped.
        rng: decides the order and, for an odd total, which of the two is one more.

    Returns:
        n values. Over earlier and new trials together, the numbers of swapped and unswapped trials differ by at most
        one, if the earlier trials allow it.
    """
    total = n_kept + n_swapped + n
    half = total // 2 + (rng.random() < 1 / 2 if total % 2 else 0)
    n_new = min(max(half - n_swapped, 0), n)
    new = [True] * n_new + [False] * (n - n_new)
    rng.shuffle(new)
    return new
