"""What a design needs: trials, seats and raters per pool and between-rater cell."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from app.design.protocol.parts.labels import Labels
from app.design.word_lists import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.design.allocation.trial_plan import PlannedTrial
    from app.design.protocol.parts.cells import Cell
    from app.design.protocol.study import Protocol


@dataclass(frozen=True, slots=True)
class Group:
    """The raters of one pool in one between-rater cell, and the seats they can take."""

    pool: str | None
    cell: Cell
    n_trials: int
    n_seats: int
    n_each: int
    n_raters: int
    labels: Labels = field(default_factory=Labels, compare=False, repr=False)

    def sentence(self) -> str:
        """The arithmetic as a sentence."""
        who = f" of the pool {self.labels.pool(self.pool)}" if self.pool else ""
        where = f" in {self.labels.condition(self.cell.text)}" if self.cell.text else ""
        return (
            f"{counted(self.n_raters, 'rater')}{who}{where}: {counted(self.n_trials, 'trial')}, "
            f"{counted(self.n_seats, 'rating')}, at most {counted(self.n_each, 'trial')} per rater."
        )


def group_of(protocol: Protocol, trials: Sequence[PlannedTrial], cell: Cell, pool: str | None) -> Group | None:
    """The raters of a pool in a between-rater cell, or None if they have no trials."""
    ours = [
        (trial, sum(seats.n for seats in trial.seats if seats.pool == pool))
        for trial in trials
        if trial.cell.part(protocol.conditions, "between") == cell
    ]
    ours = [(trial, n) for trial, n in ours if n]
    if not ours:
        return None
    trials_of = [trial for trial, _ in ours]
    n_seats = sum(n for _, n in ours)
    if pool is not None and protocol.design.pools[pool].items == "own":
        owners: defaultdict[str | None, list[PlannedTrial]] = defaultdict(list)
        for trial in trials_of:
            owners[trial.item.rater].append(trial)
        n_raters, n_each = len(owners), max(_most_for_one(protocol, own, pool) for own in owners.values())
    else:
        n_each = _most_for_one(protocol, trials_of, pool)
        n_raters = _least_raters(protocol, ours, n_each)
    return Group(pool, cell, len(ours), n_seats, n_each, n_raters, protocol.labels)


def _of_one_item(protocol: Protocol, trials: Sequence[PlannedTrial]) -> int:
    """How many of these trials of one item a rater may get: never the same responses in two cells."""
    different = {trial.responses for trial in trials}
    same_item = protocol.design.same_item
    single = all(len(responses) <= 1 for responses in different)
    return len(different) if same_item or (same_item is None and single) else 1


def _by_item(trials: Sequence[PlannedTrial]) -> list[list[PlannedTrial]]:
    grouped: defaultdict[str, list[PlannedTrial]] = defaultdict(list)
    for trial in trials:
        grouped[trial.item.key].append(trial)
    return list(grouped.values())


def _most_for_one(protocol: Protocol, trials: Sequence[PlannedTrial], pool: str | None) -> int:
    """Maximum number of trials per rater, including at most `exposure_cap` trials with a content note."""
    most = sum(_of_one_item(protocol, of_item) for of_item in _by_item(trials))
    if protocol.flow.exposure_cap is not None:
        noted = [trial for trial in trials if trial.item.has_note]
        n_noted = sum(_of_one_item(protocol, of_item) for of_item in _by_item(noted))
        most -= max(0, n_noted - protocol.flow.exposure_cap)
    return min(most, protocol.design.trials_of(pool) or most)


def _least_raters(protocol: Protocol, ours: Sequence[tuple[PlannedTrial, int]], n_each: int) -> int:
    """Minimum number of raters for all seats, for the seats of each item, and for items with a content note."""
    n_of = {id(trial): n for trial, n in ours}
    trials = [trial for trial, _ in ours]
    for_all = -(-sum(n_of.values()) // n_each)
    for_items = max(
        max(-(-sum(n_of[id(t)] for t in of_item) // _of_one_item(protocol, of_item)), *(n_of[id(t)] for t in of_item))
        for of_item in _by_item(trials)
    )
    cap = protocol.flow.exposure_cap
    for_notes = -(-sum(n for trial, n in ours if trial.item.has_note) // cap) if cap else 0
    return max(for_all, for_items, for_notes)
