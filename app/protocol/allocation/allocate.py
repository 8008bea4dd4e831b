"""Allocation of raters to between-rater cells, and the order of trials that shows a factor in blocks."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, prod

from app.protocol.allocation.randomization import seeded
from app.protocol.cells import Cell
from app.protocol.conditions import Factor

# Balanced Latin squares: each element is once in each position, and once directly after each other element.


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


def weight_of(factors: Mapping[str, Factor], cell: Cell) -> int:
    """Number of raters of this cell per round: the product of the weights of its levels."""
    return prod(factors[name].weights.get(level, 1) for name, level in cell.levels)


def allocation_order(n: int, cells: Sequence[Cell], factors: Mapping[str, Factor], seed: int) -> list[Cell]:
    """The cells of n raters in order of arrival: rounds in random order, each with every cell as often as its weight.

    Args:
        n: number of raters.
        cells: the between-rater cells.
        factors: the factors by name, for their weights.
        seed: the study's seed.

    Returns:
        n cells. After each complete round, the frequencies of the cells are proportional to their weights. With equal
        weights, they differ by at most one after every rater.
    """
    one_round = [cell for cell in cells for _ in range(weight_of(factors, cell))]
    order: list[Cell] = []
    while len(order) < n:
        rng = seeded(seed, "cells", len(order))
        order += rng.sample(one_round, len(one_round))
    return order[:n]


@dataclass(frozen=True, slots=True)
class CellSeat:
    """One rater's seat in a cell: its number among all seats, and the number of earlier seats of the same cell."""

    number: int
    cell: Cell
    number_in_cell: int


def seats_of_cells(
    first: int, n: int, cells: Sequence[Cell], factors: Mapping[str, Factor], *, seed: int
) -> list[CellSeat]:
    """The seats from number `first` on, in the order of `allocation_order`, without those above the cap of a level.

    Raters take the first free seat and release it when they leave. This keeps the cells balanced at every moment, and
    raters who leave are replaced by the next to arrive.

    Args:
        first: number of the first seat, from 0.
        n: how many numbers to go through; if levels have caps, fewer seats are returned.
        cells: the between-rater cells.
        factors: the factors by name, for their weights and the caps of their levels.
        seed: the study's seed.
    """
    seats: list[CellSeat] = []
    n_of_cell: Counter[Cell] = Counter()
    n_of_level: Counter[tuple[str, str]] = Counter()
    for number, cell in enumerate(allocation_order(first + n, cells, factors, seed)):
        if any(n_of_level[name, level] >= factors[name].caps.get(level, inf) for name, level in cell.levels):
            continue
        n_of_level.update(cell.levels)
        if number >= first:
            seats.append(CellSeat(number, cell, n_of_cell[cell]))
        n_of_cell[cell] += 1
    return seats


def blocked(shown: Sequence[Cell], factor: str, levels: Sequence[str], rater_number: int) -> list[int]:
    """The order of trials that presents the levels of a factor one after another.

    Args:
        shown: the cell of each trial, in the order that the rater would get without blocks.
        factor: the factor whose levels are blocked.
        levels: its levels.
        rater_number: number of the rater, from 0; the order of levels comes from the balanced Latin square.

    Returns:
        Indices into `shown` in their new order; within a level the order is unchanged.
    """
    rank = {levels[level]: place for place, level in enumerate(balanced_order(len(levels), rater_number))}
    return sorted(range(len(shown)), key=lambda trial: rank[shown[trial].level(factor) or ""])
