"""Allocate all trials of a design to raters at once, to predict who would rate what.

Used for planning. When a study runs, raters take seats one by one as they arrive (`rating.seats.trial_list`).
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from heapq import heappop, heappush
from random import Random

from app.protocol.allocation.allocate import weight_of
from app.protocol.allocation.randomization import seeded
from app.protocol.allocation.requirements import Group, group_of
from app.protocol.allocation.trials import Candidate, PlannedItem, PlannedTrial
from app.protocol.cells import cells_by
from app.protocol.study import Protocol


@dataclass(frozen=True, slots=True)
class Dealt:
    """A trial assigned to a rater of a pool, both as indices from 0."""

    trial: int
    rater: int
    pool: str | None = None


@dataclass(slots=True)
class _Hand:
    """The trials assigned to one rater so far."""

    rater: int
    n_trials: int = 0
    seen: set[object] = field(default_factory=set)


class _Raters:
    """The raters of a group, those with the fewest trials first; the generator breaks ties.

    A queue, because sorting all raters for each trial took most of the time of a forecast.
    """

    def __init__(self, raters: range, n_each: int, rng: Random) -> None:
        self.hands = [_Hand(rater) for rater in raters]
        self._n_each, self._rng = n_each, rng
        self._queue: list[tuple[int, float, int]] = []
        for place in range(len(self.hands)):
            self._queue_up(place)

    def take(self, mark: object, n: int) -> list[int]:
        """Up to n raters who have not seen the mark; it is recorded in their hands."""
        taken: list[int] = []
        passed: list[int] = []
        while self._queue and len(taken) < n:
            *_, place = heappop(self._queue)
            (taken if self.take_one(place, mark) else passed).append(place)
        for place in (*taken, *passed):
            self._queue_up(place)
        return [self.hands[place].rater for place in taken]

    def take_one(self, place: int, mark: object) -> list[int]:
        """This rater, if they can take the trial. In pools with own items, trials are given only in this way."""
        hand = self.hands[place]
        if hand.n_trials >= self._n_each or mark in hand.seen:
            return []
        hand.n_trials += 1
        hand.seen.add(mark)
        return [hand.rater]

    def _queue_up(self, place: int) -> None:
        if self.hands[place].n_trials < self._n_each:
            heappush(self._queue, (self.hands[place].n_trials, self._rng.random(), place))


def deal(protocol: Protocol, trials: Sequence[PlannedTrial], n_raters: int, rng: Random) -> list[Dealt]:
    """Assign each seat to an eligible rater with the fewest trials; seats that no rater can take stay empty.

    Raters are distributed over the between-rater cells and the pools in proportion to the raters that these need and
    the weights of the cells. No rater gets more trials than the design allows, the same responses twice or, if the
    design forbids it, an item twice.

    Args:
        protocol: the study.
        trials: from `planned_trials`.
        n_raters: number of raters who take part.
        rng: breaks ties between raters with equally many trials.
    """
    groups = [
        group
        for cell in cells_by(protocol.conditions, "between")
        for pool in (protocol.design.pools or (None,))
        if (group := group_of(protocol, trials, cell, pool))
    ]
    shares = [group.n_raters * weight_of(protocol.conditions, group.cell) for group in groups]
    raters = _raters(groups, shares, n_raters, rng)
    found = []
    order = list(range(len(trials)))
    rng.shuffle(order)
    for at in order:
        trial = trials[at]
        cell = trial.cell.part(protocol.conditions, "between")
        for group, own in zip(groups, raters, strict=True):
            if group.cell == cell and own.hands:
                found += [Dealt(at, rater, group.pool) for rater in _taken(protocol, trial, own, group)]
    return found


def _raters(groups: Sequence[Group], shares: Sequence[int], n_raters: int, rng: Random) -> list[_Raters]:
    """The raters of each group: a rounded share of all raters, in proportion to `shares`."""
    ends = reached = 0
    found = []
    for group, share in zip(groups, shares, strict=True):
        reached += share
        begins, ends = ends, round(n_raters * reached / sum(shares))
        found.append(_Raters(range(begins, ends), group.n_each, rng))
    return found


def _taken(protocol: Protocol, trial: PlannedTrial, raters: _Raters, group: Group) -> list[int]:
    """The raters who get the trial; an item with an owner goes to a single rater."""
    mine = [seats for seats in trial.seats if seats.pool == group.pool]
    allowed = protocol.design.same_item
    is_repeatable = len(trial.responses) <= 1 if allowed is None else allowed
    mark: object = trial.responses if is_repeatable and trial.responses else trial.item.key
    owner = next((seats.rater for seats in mine if seats.rater), None)
    if owner is not None:
        return raters.take_one(seeded(owner).randrange(len(raters.hands)), mark)
    return raters.take(mark, sum(seats.n for seats in mine))


def with_raters_per_trial(protocol: Protocol, n: int) -> Protocol:
    """The same study with n raters per trial in every pool; unchanged, with the pools' own numbers, if it has n."""
    if n == protocol.design.raters_per_trial:
        return protocol
    pools = {name: pool.model_copy(update={"raters_per_trial": n}) for name, pool in protocol.design.pools.items()}
    design = protocol.design.model_copy(update={"raters_per_trial": n, "pools": pools})
    return protocol.model_copy(update={"design": design})


def so_many_items(protocol: Protocol, items: Sequence[PlannedItem], n: int) -> list[PlannedItem]:
    """The first n items. If there are fewer, they are repeated under new keys; if there are none, blank items are used.

    A blank item has one response per source. Items that belong to a certain rater or pool keep them.
    """
    sources = enumerate(protocol.sources)
    blank = PlannedItem("item", tuple(Candidate(place, f"item:{source}", source) for place, source in sources))
    have: defaultdict[str, int] = defaultdict(int)
    found = []
    for place in range(n):
        item = items[place % len(items)] if items else blank
        number = have[item.key]
        have[item.key] += 1
        found.append(_again(item, number) if number else item)
    return found


def _again(item: PlannedItem, number: int) -> PlannedItem:
    responses = tuple(replace(response, key=f"{response.key} {number + 1}") for response in item.responses)
    return replace(item, key=f"{item.key} {number + 1}", responses=responses)
