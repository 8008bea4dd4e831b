"""Gold trials in a rater's order: one at a random position in each of as many equal parts of the order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from app.design.allocation.randomization import seeded
from app.design.allocation.rater_plan import Place
from app.design.allocation.repeats import spread
from app.design.allocation.special_trials import is_declared_as

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from app.design.allocation.rater_plan import OwnTrial
    from app.design.protocol.parts.checks import GoldTrial
    from app.design.protocol.study import Protocol


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
