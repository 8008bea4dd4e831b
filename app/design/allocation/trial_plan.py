"""The plan of a study: every trial in every cell, and which raters can take its seats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from app.design.allocation.special_trials import special_items
from app.design.allocation.trials import kind_of_trials, trials_of_item
from app.design.presentation import presentation
from app.design.protocol.parts.cells import cells

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from app.design.allocation.trials import Candidate, PlannedItem
    from app.design.protocol.parts.cells import Cell
    from app.design.protocol.parts.study_design import Trials
    from app.design.protocol.study import Protocol


@dataclass(frozen=True, slots=True)
class TrialSeats:
    """Number of raters from a pool who rate a trial: any pool if `pool` is None, one named rater if `rater` is set."""

    n: int
    pool: str | None = None
    rater: str | None = None


@dataclass(frozen=True, slots=True)
class PlannedTrial:
    """One trial in one cell."""

    item: PlannedItem
    responses: tuple[Candidate, ...]
    cell: Cell
    seats: tuple[TrialSeats, ...]


def planned_trials(protocol: Protocol, items: Sequence[PlannedItem]) -> list[PlannedTrial]:
    """Every trial in every cell, ordered by cell; without conditions there is one cell.

    Args:
        protocol: the study.
        items: in the study's order, each with its responses in the study's order.
    """
    special = special_items(protocol)
    rated = [item for item in items if item.key not in special]
    kind = kind_of_trials(protocol, (len(item.responses) for item in rated))
    return [
        PlannedTrial(item, responses, cell, seats)
        for cell in cells(protocol.conditions)
        for item in rated
        if (seats := tuple(seats_of(protocol, item)))
        for responses in trials_in_cell(protocol, kind, cell, item.responses)
    ]


def trials_in_cell(
    protocol: Protocol, kind: Trials, cell: Cell, responses: Sequence[Candidate]
) -> list[tuple[Candidate, ...]]:
    """The trials of one item in one cell, with the cell's layout and, if the cell has one, only its source."""
    shown = presentation(protocol, cell.text)
    there = [response for response in responses if shown.source in {None, response.source}]
    if protocol.design.listed and shown.layout is None:
        return _listed(protocol, there)
    in_cell = {"single": "single", "side_by_side": "pairs"}.get(shown.layout or "", kind)
    return trials_of_item(protocol, cast("Trials", in_cell), there)


def _listed(protocol: Protocol, responses: Sequence[Candidate]) -> list[tuple[Candidate, ...]]:
    by_key = {response.key: response for response in responses}
    return [
        tuple(by_key[key] for key in trial) for trial in protocol.design.listed if all(key in by_key for key in trial)
    ]


def seats_of(protocol: Protocol, item: PlannedItem) -> Iterator[TrialSeats]:
    """Which raters can take the seats of an item's trials."""
    design = protocol.design
    if not design.pools:
        yield TrialSeats(design.raters_per_trial)
    for name, pool in design.pools.items():
        if pool.items == "own" and item.rater:
            yield TrialSeats(1, name, item.rater)
        elif pool.items == "all" or (pool.items == "pool" and item.pool == name):
            yield TrialSeats(design.raters_of(name), name)
