"""Allocation: which cell a rater gets between raters, and which cell each item has for a rater within."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from app.design.allocation.latin_square import balanced_order
from app.design.allocation.randomization import seeded

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

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


def next_cell(
    cells: Sequence[Cell],
    factors: Mapping[str, Factor],
    n_finished: Mapping[Cell, int],
    n_active: Mapping[Cell, int],
    *,
    seed: int,
    free: Collection[Cell] | None = None,
) -> Cell | None:
    """The cell for the rater who comes now, or None where every cell is full.

    The one that has the fewest finished and active raters for its weight, so that those who leave are made up for;
    among equals the one with the fewest finished; among those one at random.

    Args:
        cells: the cells between raters.
        factors: for weights, and caps on the finished and active raters of a level.
        n_finished: raters who finished, by cell.
        n_active: raters who are under way, by cell; who left is not counted.
        seed: the study's.
        free: the cells that still have seats; None for all.
    """
    taken = {cell: n_finished.get(cell, 0) + n_active.get(cell, 0) for cell in cells}
    open_cells = [cell for cell in cells if not _is_capped(cell, factors, taken) and (free is None or cell in free)]
    if not open_cells:
        return None
    rng = seeded(seed, "next cell", sum(taken.values()))
    order = rng.sample(open_cells, len(open_cells))
    weight = {cell: weight_of(factors, cell) for cell in open_cells}
    return min(order, key=lambda cell: (taken[cell] / weight[cell], n_finished.get(cell, 0) / weight[cell]))


def _is_capped(cell: Cell, factors: Mapping[str, Factor], taken: Mapping[Cell, int]) -> bool:
    for name, level in cell.levels:
        cap = factors[name].caps.get(level)
        if cap is not None and sum(n for other, n in taken.items() if other.level(name) == level) >= cap:
            return True
    return False


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
