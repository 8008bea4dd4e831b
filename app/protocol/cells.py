"""Cells: combinations of the levels of all conditions, and the text that names a cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal

from app.protocol.conditions import Factor


@dataclass(frozen=True, slots=True)
class Cell:
    """One level of each factor, in the order of the protocol. Without conditions there is one empty cell."""

    levels: tuple[tuple[str, str], ...] = ()

    @property
    def text(self) -> str:
        """The cell as written in trials and in ratings.csv.

        >>> Cell((("label", "true"), ("instruction", "objective"))).text, Cell().text
        ('label=true; instruction=objective', '')
        """
        return "; ".join(f"{factor}={level}" for factor, level in self.levels)

    def level(self, factor: str) -> str | None:
        """The level of one factor; None if the cell does not have this factor."""
        return dict(self.levels).get(factor)

    def part(self, factors: Mapping[str, Factor], assign: Literal["between", "within"]) -> Cell:
        """The part of the cell with the factors that are assigned between or within raters."""
        return Cell(tuple((name, level) for name, level in self.levels if factors[name].assign == assign))


def cell_of(text: str) -> Cell:
    """The cell that is written as this text.

    >>> cell_of("label=true; instruction=objective").level("instruction"), cell_of("").levels
    ('objective', ())
    """
    parts = (part.partition("=") for part in text.split("; ") if part)
    return Cell(tuple((factor, level) for factor, _, level in parts))


def cells(factors: Mapping[str, Factor]) -> tuple[Cell, ...]:
    """Every cell, with the last factor varying fastest; one empty cell if there are no factors."""
    return tuple(
        Cell(tuple(zip(factors, levels, strict=True))) for levels in product(*(f.levels for f in factors.values()))
    )


def cells_by(factors: Mapping[str, Factor], assign: Literal["between", "within"]) -> tuple[Cell, ...]:
    """The cells of the factors that are assigned between or within raters."""
    return cells({name: factor for name, factor in factors.items() if factor.assign == assign})


def joined(factors: Mapping[str, Factor], between: Cell, within: Cell) -> Cell:
    """The whole cell from its between-rater and within-rater parts, in the protocol's order."""
    levels = {**dict(between.levels), **dict(within.levels)}
    return Cell(tuple((name, levels[name]) for name in factors))


def applies(condition: str | None, cell: str) -> bool:
    """Whether a condition includes a cell.

    Args:
        condition: None for every cell; otherwise a cell or a part of one, such as `label=true`.
        cell: the text of the cell.

    >>> applies(None, ""), applies("label=true", "label=true; profile=shown"), applies("label=true", "label=none")
    (True, True, False)
    """
    return condition is None or condition == cell or set(cell_of(condition).levels) <= set(cell_of(cell).levels)
