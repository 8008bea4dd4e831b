"""Why no trials can be made from a study's items: which setting of study.yaml prevents them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.design.allocation.special_trials import special_items
from app.design.allocation.trial_plan import planned_trials, seats_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.design.allocation.trials import PlannedItem
    from app.design.protocol.study import Protocol

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
    special = special_items(protocol)
    rated = [item for item in items if item.key not in special]
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
