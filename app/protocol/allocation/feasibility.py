"""Whether a design is feasible, with the arithmetic, reported before a study opens."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from app.base.words import counted
from app.protocol.allocation.human_sample import Chance, draw, rated_by_people, sample_problems
from app.protocol.allocation.rater_plan import has_room_for_repeats
from app.protocol.allocation.requirements import Group, group_of
from app.protocol.allocation.trials import (
    PlannedItem,
    PlannedTrial,
    Special,
    ordinary_items,
    planned_trials,
    seats_of,
    special_trials,
)
from app.protocol.cells import cells_by
from app.protocol.questions.of_set import MIN_SET
from app.protocol.study import Protocol


@dataclass(frozen=True, slots=True)
class Feasibility:
    """What a design needs. If there are problems it is not feasible; notes only point out what will be uneven."""

    groups: tuple[Group, ...]
    problems: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def n_raters(self) -> int:
        """Minimum number of raters that the design needs."""
        return sum(group.n_raters for group in self.groups)

    @property
    def n_seats(self) -> int:
        """Total number of ratings: each trial times its raters."""
        return sum(group.n_seats for group in self.groups)

    def sentences(self) -> tuple[str, ...]:
        """The whole result in sentences for the lead."""
        raters, trials = counted(self.n_raters, "rater"), counted(self.n_seats, "trial")
        head = f"This design needs at least {raters}, for {trials} to rate."
        arithmetic = tuple(group.sentence() for group in self.groups)
        cannot = tuple(f"This design cannot be fulfilled: {problem}" for problem in self.problems)
        return (head, *arithmetic, *cannot, *self.notes)


def feasibility(
    protocol: Protocol,
    trials: Sequence[PlannedTrial],
    named: Mapping[str, Collection[str]],
    special_problems: Sequence[str] = (),
) -> Feasibility:
    """What a design needs, and why it is not feasible if it is not.

    Args:
        protocol: the study.
        trials: from `planned_trials`.
        named: the raters listed in raters.csv, by pool; a pool other than the open one admits nobody else.
        special_problems: reasons why practice or gold trials cannot be made, or the sample cannot be drawn.
    """
    groups = tuple(
        group
        for cell in cells_by(protocol.conditions, "between")
        for pool in (protocol.design.pools or (None,))
        if (group := group_of(protocol, trials, cell, pool))
    )
    problems = (
        *_empty(protocol, trials),
        *_too_few_to_rank(protocol, trials),
        *(problem for group in groups for problem in _group_problems(protocol, group, named)),
        *_owner_problems(protocol, trials, named),
        *_limits(protocol, groups),
        *_attention(protocol, groups),
        *special_problems,
    )
    return Feasibility(groups, problems, tuple(_notes(protocol, groups)))


class DrawnUp(NamedTuple):
    """What a study gets when it is opened: items that people rate, how they were drawn, trials, and what is needed."""

    items: Sequence[PlannedItem]
    chances: Mapping[str, Chance]
    trials: Sequence[PlannedTrial]
    special: Special
    needs: Feasibility


def draw_up(protocol: Protocol, items: Sequence[PlannedItem], named: Mapping[str, Collection[str]]) -> DrawnUp:
    """Draw the items that people rate, and plan their trials; the arguments are those of `feasibility`.

    A trial is what it would be if people rated all items, as for a judge.
    """
    rated, special = rated_by_people(protocol, items), special_trials(protocol, items)
    keys = {item.key for item in rated}
    trials = [trial for trial in planned_trials(protocol, items) if trial.item.key in keys]
    problems = [*special.problems, *sample_problems(protocol, items)]
    return DrawnUp(rated, draw(protocol, items), trials, special, feasibility(protocol, trials, named, problems))


def _empty(protocol: Protocol, trials: Sequence[PlannedTrial]) -> Iterator[str]:
    if not trials:
        yield "no trials can be made from these items and responses."
        return
    there = {trial.cell.part(protocol.conditions, "between") for trial in trials}
    for cell in cells_by(protocol.conditions, "between"):
        if cell not in there:
            yield f"{cell.text} has no trials."


def _too_few_to_rank(protocol: Protocol, trials: Sequence[PlannedTrial]) -> Iterator[str]:
    for question in protocol.set_questions[:1]:
        few = sorted({trial.item.key for trial in trials if len(trial.responses) < MIN_SET})
        if few:
            yield f"{question.noun} needs at least {MIN_SET} responses; these items have fewer: {', '.join(few)}."


def _group_problems(protocol: Protocol, group: Group, named: Mapping[str, Collection[str]]) -> Iterator[str]:
    design = protocol.design
    raters = named.get(group.pool or "", ())
    closed = group.pool is not None and group.pool != design.open_pool and design.pools[group.pool].items != "own"
    if closed and raters and len(raters) < group.n_raters and not group.cell.levels:
        yield (
            f"the pool {group.pool} needs {counted(group.n_raters, 'rater')}, and raters.csv names {len(raters)}"
            f" ({counted(design.raters_of(group.pool), 'rater')} for each of {counted(group.n_trials, 'trial')})."
        )
    if design.repeats and not has_room_for_repeats(group.n_each, design.repeats):
        yield (
            f"{counted(group.n_each, 'trial')} per rater are too few for {counted(design.repeats.n, 'repeat')} at least"
            f" {design.repeats.min_distance} trials apart."
        )


def _owner_problems(
    protocol: Protocol, trials: Sequence[PlannedTrial], named: Mapping[str, Collection[str]]
) -> Iterator[str]:
    for name, pool in protocol.design.pools.items():
        if not any(seats.pool == name for trial in trials for seats in trial.seats):
            where = {"own": "no item names a rater in items.csv", "pool": f"no item has the pool {name}"}
            yield f"the pool {name} has no trials: {where.get(pool.items, 'there are none')}."
        owners = {p.rater for trial in trials for p in trial.seats if p.pool == name and p.rater}
        if missing := sorted(owners - set(named.get(name, ()))):
            yield f"some items belong to raters of the pool {name} who are not in raters.csv: {', '.join(missing)}."


def _limits(protocol: Protocol, groups: Sequence[Group]) -> Iterator[str]:
    n_raters = sum(group.n_raters for group in groups)
    most = protocol.design.max_raters
    if most is not None and most < n_raters:
        yield f"at most {counted(most, 'rater')} may take part (Max raters), but {n_raters} are needed."
    for attribute, values in protocol.design.quotas.items():
        if sum(values.values()) < n_raters:
            named = protocol.labels.column(attribute)
            yield f"the quotas for {named} admit {sum(values.values())} raters, but {n_raters} are needed."
    for name, factor in protocol.conditions.items():
        for level, cap in factor.caps.items():
            needed = sum(group.n_raters for group in groups if group.cell.level(name) == level)
            if cap < needed:
                named = protocol.labels.condition(f"{name}={level}")
                yield f"at most {counted(cap, 'rater')} may have {named}, but {needed} are needed."


def _attention(protocol: Protocol, groups: Sequence[Group]) -> Iterator[str]:
    beside = len(protocol.checks.gold) + (protocol.design.repeats.n if protocol.design.repeats else 0)
    most = max((group.n_each for group in groups), default=0) + beside
    for check in protocol.checks.attention:
        if check.after > most:
            after = counted(check.after, "trial")
            yield f"the attention check {check.key} comes after {after}, but each rater has {most}."


def _notes(protocol: Protocol, groups: Sequence[Group]) -> Iterator[str]:
    n_within = len(cells_by(protocol.conditions, "within"))
    for group in groups:
        n_each = counted(group.n_each, "trial")
        if n_within > group.n_each:
            yield f"Each rater gets {n_each}, fewer than the {n_within} conditions that vary within raters."
        if group.n_raters * group.n_each > group.n_seats and protocol.design.trials_of(group.pool):
            ratings = counted(group.n_seats, "rating")
            yield f"{ratings} do not divide evenly into {group.n_each} per rater; some raters will get fewer."
        if protocol.design.order == "latin_square" and group.n_raters % group.n_each:
            raters = counted(group.n_raters, "rater")
            yield f"{raters} are not a multiple of {n_each}, so the last round of the Latin square will be incomplete."


# Why no trials can be made from a study's items: which setting of study.yaml prevents them.

# The settings that are tried without, in this order: part of the protocol, and the value that removes the setting.
LIFTED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("design.listed", {"listed": ()}),
    ("design.pairs", {"pairs": "all"}),
    ("design.trials", {"trials": "single"}),
)


def why_no_trials(protocol: Protocol, items: Sequence[PlannedItem]) -> str:
    """The setting without which there would be trials, as a sentence for the lead.

    Args:
        protocol: a study for which `planned_trials` returns no trials.
        items: the study's items.
    """
    rated = ordinary_items(protocol, items)
    if not rated:
        return "Every item is a practice trial (flow.practice) or a gold trial (checks.gold), so none is left to rate."
    if not any(item.responses for item in rated):
        return "The items have no responses to rate."
    if not any(any(seats_of(protocol, item)) for item in rated):
        return f"No item belongs to a rater or pool as design.pools requires: {_pools(protocol)}."
    without = protocol.model_copy(update={"conditions": {}})
    if protocol.conditions and planned_trials(without, rated):
        return f"conditions excludes every response; without it, {_n(without, rated)} could be rated."
    for name, update in LIFTED:
        without = protocol.model_copy(update={"design": protocol.design.model_copy(update=update)})
        if planned_trials(without, rated):
            return f"{name} leaves nothing to rate; without it, {_n(without, rated)} could be rated."
    return "Together, design.trials, design.pairs and design.listed leave nothing to rate."


def _pools(protocol: Protocol) -> str:
    columns = {
        "own": "items with a rater in the column rater of items.csv",
        "pool": "items with {name} in the column pool of items.csv",
    }
    asked = [
        columns[pool.items].format(name=name) for name, pool in protocol.design.pools.items() if pool.items != "all"
    ]
    return ", ".join(asked)


def _n(protocol: Protocol, items: Sequence[PlannedItem]) -> str:
    n = len(planned_trials(protocol, items))
    return f"{n:,} trial{'' if n == 1 else 's'}"
