"""Latin squares: each thing stands once in each place, and, balanced, once directly after each other thing."""

from __future__ import annotations


def latin_square(n: int) -> tuple[tuple[int, ...], ...]:
    """The cyclic Latin square of order n: n rows, each a permutation of 0 to n-1, each column too.

    >>> latin_square(3)
    ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    """
    return tuple(tuple((row + place) % n for place in range(n)) for row in range(n))


def balanced_square(n: int) -> tuple[tuple[int, ...], ...]:
    """Orders of n things in which each directly follows each other equally often (Williams 1949).

    Returns:
        n rows where n is even, 2n where it is odd (each row and its mirror image); each row a permutation of 0 to n-1,
        each thing equally often in each place.

    >>> balanced_square(4)
    ((0, 1, 3, 2), (1, 2, 0, 3), (2, 3, 1, 0), (3, 0, 2, 1))
    """
    zigzag = [(place + 1) // 2 if place % 2 else (n - place // 2) % n for place in range(n)]
    rows = tuple(tuple((start + step) % n for step in zigzag) for start in range(n))
    return rows if n % 2 == 0 else rows + tuple(row[::-1] for row in rows)


def balanced_order(n: int, rater_number: int) -> tuple[int, ...]:
    """The order for one rater: the rows of the balanced square in turn.

    Args:
        n: how many things.
        rater_number: how many raters came before, from 0.
    """
    rows = balanced_square(n)
    return rows[rater_number % len(rows)]


def is_swapped(trial_number: int, rater_number: int) -> bool:
    """Whether the sides of a pair are swapped for a rater: alternating over trials and over raters.

    Over an even number of raters each trial is shown as often one way as the other, and within a rater, over an even
    number of trials, half are swapped.
    """
    return (trial_number + rater_number) % 2 == 1
