"""One rater's plan: the order of their trials, the blocks, the repeats, and the side of each response."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random

from app.protocol.allocation.allocate import balanced_order, blocked
from app.protocol.allocation.randomization import seeded, sides
from app.protocol.allocation.trials import PAIR, is_declared_as
from app.protocol.cells import Cell
from app.protocol.checks import GoldTrial
from app.protocol.study import Protocol
from app.protocol.study_design import Repeats

# Hidden repeats, and positions for other trials that are mixed into a rater's order.


@dataclass(frozen=True, slots=True)
class Showing:
    """One position in a rater's order: trial index, number of its repeat (0 for the first showing), and sides."""

    trial: int
    repeat: int = 0
    is_swapped: bool = False


def has_room_for_repeats(n_trials: int, repeats: Repeats) -> bool:
    """Whether n trials leave enough room for the repeats at their minimum distance."""
    return repeats.n <= n_trials - repeats.min_distance + 1


def with_repeats(n_trials: int, repeats: Repeats | None, rng: Random) -> list[Showing]:
    """A rater's trials with the hidden repeats inserted.

    Args:
        n_trials: number of the rater's trials, in their order.
        repeats: how many trials to repeat, and the minimum distance in positions from the first showing.
        rng: chooses the repeated trials and their positions.

    Raises:
        ValueError: there is not enough room for the repeats.
    """
    order = [Showing(trial) for trial in range(n_trials)]
    if repeats is None:
        return order
    if not has_room_for_repeats(n_trials, repeats):
        raise ValueError(
            f"{n_trials} trials are too few for {repeats.n} repeats at least {repeats.min_distance} positions apart"
        )
    for trial in sorted(rng.sample(range(n_trials - repeats.min_distance + 1), repeats.n)):
        earliest = order.index(Showing(trial)) + repeats.min_distance
        # Inserting a repeat can only increase the distances of the other repeats.
        order.insert(rng.randint(earliest, len(order)), Showing(trial, repeat=1, is_swapped=repeats.swap_sides))
    return order


def spread(n_trials: int, n_more: int, rng: Random) -> list[int]:
    """Positions (1 to n_trials) after which to insert special trials, such as gold: one in each of n_more equal parts.

    >>> from random import Random
    >>> [place <= 10 for place in spread(20, 2, Random(1))]
    [True, False]
    """
    edges = [round(part * n_trials / n_more) for part in range(n_more + 1)] if n_more else []
    firsts = [min(low + 1, n_trials) for low in edges[:-1]]
    return [rng.randint(first, max(high, first)) for first, high in zip(firsts, edges[1:], strict=True)]


@dataclass(frozen=True, slots=True)
class OwnTrial:
    """A trial assigned to one rater, with what is needed to order it.

    `block` is set if items come in blocks; `name` does not depend on the database; `response_ids` are in the trial's
    own order.
    """

    cell: Cell
    block: str = ""
    trial_id: int = 0
    name: str = ""
    response_ids: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Place:
    """One position in a rater's order: a trial with its responses as shown, from left to right or first to last."""

    trial_id: int
    position: int
    response_ids: tuple[int, ...]
    repeat: int = 0


@dataclass(frozen=True, slots=True)
class Had:
    """What a rater's list already contains: last position, numbers of unswapped and swapped pairs, and of repeats."""

    last_position: int = 0
    n_kept: int = 0
    n_swapped: int = 0
    n_repeated: int = 0


def rater_order(
    protocol: Protocol, rater: str, trials: Sequence[OwnTrial], *, seed: int, rater_number: int = 0, had: Had
) -> list[Place]:
    """The order of one rater's trials with their repeats, and the sides in each.

    Args:
        protocol: the study.
        rater: the rater's key.
        trials: in the study's order.
        seed: the study's seed.
        rater_number: number of earlier raters in the same between-rater cell, from 0.
        had: what the rater's list already contains, if the rater gets more trials later.
    """
    first = had.last_position + 1
    rng = seeded(seed, "order", rater, first)
    # A random order must not depend on the order in which the database gives the trials.
    own = sorted(trials, key=lambda trial: trial.name) if protocol.design.order == "random" else list(trials)
    showings = plan_rater(protocol, own, rater_number, rng, n_repeated=had.n_repeated)
    swaps = iter(sides(sum(len(trial.response_ids) == PAIR for trial in own), had.n_kept, had.n_swapped, rng))
    shown: dict[int, tuple[int, ...]] = {}
    places: list[Place] = []
    for position, showing in enumerate(showings, start=first):
        trial = own[showing.trial]
        if not showing.repeat:
            shown[showing.trial] = _shown(trial, swaps, seed, rater)
        responses = shown[showing.trial]
        ordered = responses[::-1] if showing.is_swapped else responses
        places.append(Place(trial.trial_id, position, ordered, showing.repeat))
    return places


def _shown(trial: OwnTrial, swaps: Iterator[bool], seed: int, rater: str) -> tuple[int, ...]:
    if len(trial.response_ids) == PAIR:
        return trial.response_ids[::-1] if next(swaps) else trial.response_ids
    shown = list(trial.response_ids)
    seeded(seed, "sides", rater, trial.name).shuffle(shown)
    return tuple(shown)


def plan_rater(
    protocol: Protocol, trials: Sequence[OwnTrial], rater_number: int, rng: Random, *, n_repeated: int = 0
) -> list[Showing]:
    """A rater's trials in the order in which they are shown, with hidden repeats.

    Args:
        protocol: the study. Repeats need enough trials, see `repeats.has_room_for_repeats`; if the rater has too few,
            nothing is repeated.
        trials: of this rater, in the study's order.
        rater_number: number of earlier raters in the same between-rater cell, from 0.
        rng: random number generator of this rater.
        n_repeated: number of repeats that the rater has already had.
    """
    order = _order(protocol, len(trials), rater_number, rng)
    for name, factor in protocol.conditions.items():
        if factor.blocks:
            places = blocked([trials[trial].cell for trial in order], name, list(factor.levels), rater_number)
            order = [order[place] for place in places]
    if protocol.design.blocks and protocol.design.blocks.column:
        order = _in_blocks(order, [trial.block for trial in trials], rater_number)
    repeats = repeats_for(protocol, len(order), n_repeated)
    return [
        Showing(order[showing.trial], showing.repeat, showing.is_swapped)
        for showing in with_repeats(len(order), repeats, rng)
    ]


def is_counterbalanced(protocol: Protocol) -> bool:
    """Whether a rater's plan depends on the number of earlier raters."""
    design = protocol.design
    by_column = design.blocks is not None and design.blocks.column is not None
    return bool(protocol.conditions) or design.order == "latin_square" or by_column


def repeats_for(protocol: Protocol, n_trials: int, n_repeated: int = 0) -> Repeats | None:
    """The repeats still to add for n trials after n_repeated repeats; None if there are none or there is no room."""
    repeats = protocol.design.repeats
    if repeats is None or n_repeated >= repeats.n:
        return None
    left = repeats.model_copy(update={"n": repeats.n - n_repeated})
    return left if has_room_for_repeats(n_trials, left) else None


def _order(protocol: Protocol, n: int, rater_number: int, rng: Random) -> list[int]:
    match protocol.design.order:
        case "latin_square":
            return list(balanced_order(n, rater_number)) if n else []
        case "fixed":
            return list(range(n))
        case _:
            order = list(range(n))
            rng.shuffle(order)
            return order


def _in_blocks(order: Sequence[int], blocks: Sequence[str], rater_number: int) -> list[int]:
    names = sorted(set(blocks))
    if not names:
        return []
    rank = {names[name]: place for place, name in enumerate(balanced_order(len(names), rater_number))}
    return sorted(order, key=lambda trial: rank[blocks[trial]])


def pauses(protocol: Protocol, blocks: Sequence[str | None]) -> list[int]:
    """The numbers of trials after which there is a break; never before the last trial alone.

    Args:
        protocol: the study.
        blocks: the block of each trial, in the order in which they are shown; None for a repeat, which can be in any
            block and does not start one.
    """
    design = protocol.design.blocks
    if design is None:
        return []
    if design.size is not None:
        return list(range(design.size, len(blocks) - 1, design.size))
    own = [(place, block) for place, block in enumerate(blocks) if block is not None]
    changes = [place for (_, block), (place, following) in pairwise(own) if following != block]
    return [place for place in changes if place < len(blocks) - 1]


# Gold trials in a rater's order: one at a random position in each of as many equal parts of the order.


def with_gold(places: Sequence[Place], gold: Sequence[OwnTrial], *, seed: int, rater: str) -> list[Place]:
    """A rater's order with the gold trials inserted and the positions renumbered.

    Args:
        places: the rater's order; at least one place.
        gold: the gold trials of this rater.
        seed: the study's seed.
        rater: the rater's key.
    """
    if not gold:
        return list(places)
    rng = seeded(seed, "gold", rater)
    order = list(gold)
    rng.shuffle(order)
    after = spread(len(places), len(order), rng)
    mixed: list[Place] = []
    for number, place in enumerate(places, start=1):
        mixed.append(place)
        for at, trial in zip(after, order, strict=True):
            if at == number:
                shown = list(trial.response_ids)
                seeded(seed, "sides", rater, trial.name).shuffle(shown)
                mixed.append(Place(trial.trial_id, 0, tuple(shown)))
    return [replace(place, position=position) for position, place in enumerate(mixed, start=places[0].position)]


def declared_gold(protocol: Protocol, item: str, responses: Collection[str]) -> GoldTrial | None:
    """The gold trial of the protocol that matches a stored trial, by the keys of its item and responses."""
    return next((gold for gold in protocol.checks.gold if is_declared_as(gold, item, responses)), None)


def name_of_gold(protocol: Protocol, gold: GoldTrial) -> str:
    """The name of a gold trial in checks.csv: its item, plus its responses if another gold trial has the same item."""
    is_only = sum(other.item == gold.item for other in protocol.checks.gold) == 1
    return gold.item if is_only else ":".join((gold.item, *gold.responses))
