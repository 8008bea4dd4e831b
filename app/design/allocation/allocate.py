"""Allocation: the cells that raters get between raters, and which cell each item has for a rater within."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import inf, prod
from typing import TYPE_CHECKING

from app.design.allocation.latin_square import balanced_order
from app.design.allocation.randomization import seeded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from app.design.protocol.cells import Cell
    from app.design.protocol.conditions import Factor


def weight_of(factors: Mapping[str, Factor], cell: Cell) -> int:
    """How many raters of this cell come in one round: the product of the weights of its levels."""
    return prod(factors[name].weights.get(level, 1) for name, level in cell.levels)


def allocation_order(n: int, cells: Sequence[Cell], factors: Mapping[str, Factor], seed: int) -> list[Cell]:
    """The cells of n raters as they arrive: rounds in random order, each with every cell by its weight.

    Args:
        n: how many raters.
        cells: the cells between raters.
        factors: for the weights.
        seed: the study's.

    Returns:
        n cells. After each whole round, and with equal weights after every rater, the cells differ by one at most.
    """
    one_round = [cell for cell in cells for _ in range(weight_of(factors, cell))]
    order: list[Cell] = []
    while len(order) < n:
        rng = seeded(seed, "cells", len(order))
        order += rng.sample(one_round, len(one_round))
    return order[:n]


@dataclass(frozen=True, slots=True)
class CellSeat:
    """The place of one rater in a cell: its number among all, and how many seats of the same cell come before it."""

    number: int
    cell: Cell
    number_in_cell: int


def seats_of_cells(
    first: int, n: int, cells: Sequence[Cell], factors: Mapping[str, Factor], *, seed: int
) -> list[CellSeat]:
    """The seats from a number on, as `allocation_order` has them, without those beyond the cap of a level.

    Raters take the first seat that is free, and give it back when they leave: so cells are balanced at every moment,
    and those who leave are made up for by whoever comes next.

    Args:
        first: the number of the first one, from 0.
        n: how many numbers; fewer seats where levels have caps.
        cells: the cells between raters.
        factors: for weights, and caps on the raters of a level.
        seed: the study's.
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


def within_cells(n_items: int, cells: Sequence[Cell], rater_number: int) -> list[Cell]:
    """The cell in which each item is shown to a rater, by a Latin square of items and raters.

    Args:
        n_items: how many items, in the study's order.
        cells: the cells within raters; one at least.
        rater_number: how many raters of the same cell between raters came before, from 0.

    Returns:
        n_items cells. For each rater the cells differ by one at most; over as many raters as there are cells each item
        is shown once in each.
    """
    return [cells[(item + rater_number) % len(cells)] for item in range(n_items)]


def blocked(shown: Sequence[Cell], factor: str, levels: Sequence[str], rater_number: int) -> list[int]:
    """The order of trials in which the levels of a factor come one after the other.

    Args:
        shown: the cell of each trial, in the order that the rater would have without blocks.
        factor: the factor that is blocked.
        levels: its levels.
        rater_number: from 0; the order of levels comes from the balanced Latin square.

    Returns:
        The places of `shown` in their new order; within a level the order stays.
    """
    rank = {levels[level]: place for place, level in enumerate(balanced_order(len(levels), rater_number))}
    return sorted(range(len(shown)), key=lambda trial: rank[shown[trial].level(factor) or ""])


def full_quota(
    quotas: Mapping[str, Mapping[str, int]], attributes: Mapping[str, str], n_by_value: Mapping[tuple[str, str], int]
) -> tuple[str, str] | None:
    """The quota that has no room left for a rater: attribute and value, or None where there is room.

    Args:
        quotas: attribute to value to how many; a value that a quota does not name has no room.
        attributes: of the rater who comes.
        n_by_value: how many finished and active raters have each attribute and value.
    """
    for attribute, values in quotas.items():
        value = attributes.get(attribute, "")
        if n_by_value.get((attribute, value), 0) >= values.get(value, 0):
            return attribute, value
    return None
