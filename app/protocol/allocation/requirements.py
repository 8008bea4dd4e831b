"""What a design needs: trials, seats and raters per pool and between-rater cell."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.base.words import counted
from app.protocol.allocation.trials import PlannedTrial
from app.protocol.cells import Cell
from app.protocol.labels import Labels
from app.protocol.study import Protocol
from app.protocol.study_design import Design


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
        """How the number of raters follows from the design, as a sentence."""
        who = f" of the pool {self.labels.pool(self.pool)}" if self.pool else ""
        where = f" in {self.labels.condition(self.cell.text)}" if self.cell.text else ""
        return (
            f"{counted(self.n_raters, 'rater')}{who}{where}: {counted(self.n_trials, 'trial')}, "
            f"rated {counted(self.n_seats, 'time')} in total, at most {counted(self.n_each, 'trial')} per rater."
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


# Limits on the number of raters: in total, and by their answers and attributes.

ALL_RATERS = ""


@dataclass(frozen=True, slots=True)
class Limit:
    """At most `n` raters with this value of an attribute; the attribute `ALL_RATERS` stands for every rater."""

    attribute: str
    value: str
    n: int


def limits_of(design: Design, attributes: Mapping[str, str]) -> list[Limit]:
    """The limits that apply to a rater, in a fixed order.

    Args:
        design: the design of the study.
        attributes: the rater's values, of the attributes that are known so far. A value that a quota does not list has
            a limit of 0.
    """
    quotas = [
        Limit(attribute, attributes[attribute], design.quotas[attribute].get(attributes[attribute], 0))
        for attribute in sorted(design.quotas)
        if attribute in attributes
    ]
    return [*_total(design), *quotas]


def all_limits(design: Design) -> list[Limit]:
    """The limits on all raters and on each value of each quota."""
    quotas = [Limit(name, value, n) for name in sorted(design.quotas) for value, n in design.quotas[name].items()]
    return [*_total(design), *quotas]


def _total(design: Design) -> list[Limit]:
    return [] if design.max_raters is None else [Limit(ALL_RATERS, "", design.max_raters)]
