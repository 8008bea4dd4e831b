"""Latin squares: each element is once in each position and, if balanced, once directly after each other element."""

from __future__ import annotations


def latin_square(n: int) -> tuple[tuple[int, ...], ...]:
    """The cyclic Latin square of order n: n rows, in which each row and each column is a permutation of 0 to n-1.

    >>> latin_square(3)
    ((0, 1, 2), (1, 2, 0), (2, 0, 1))
    """
    return tuple(tuple((row + place) % n for place in range(n)) for row in range(n))


def balanced_square(n: int) -> tuple[tuple[int, ...], ...]:
    """Orders of n elements in which each directly follows each other one equally often (Williams 1949).

    Returns:
        n rows if n is even, 2n rows if it is odd (each row and its mirror image). Each row is a permutation of 0 to
        n-1, and each element is equally often in each position.

    >>> balanced_square(4)
    ((0, 1, 3, 2), (1, 2, 0, 3), (2, 3, 1, 0), (3, 0, 2, 1))
    """
    zigzag = [(place + 1) // 2 if place % 2 else (n - place // 2) % n for place in range(n)]
    rows = tuple(tuple((start + step) % n for step in zigzag) for start in range(n))
    return rows if n % 2 == 0 else rows + tuple(row[::-1] for row in rows)


def balanced_order(n: int, rater_number: int) -> tuple[int, ...]:
    """The order for one rater: raters get the rows of the balanced square in turn.

    Args:
        n: number of elements.
        rater_number: number of earlier raters, from 0.
    """
    rows = balanced_square(n)
    return rows[rater_number % len(rows)]


def is_swapped(trial_number: int, rater_number: int) -> bool:
    """Whether the sides of a pair are swapped for a rater: alternating over trials and over raters.

    Over an even number of raters each trial is shown equally often in both orders; within a rater, over an even number
    of trials, half are swapped.
    """
    return (trial_number + rater_number) % 2 == 1
