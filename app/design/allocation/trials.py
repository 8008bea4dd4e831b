"""Trials: which responses of an item a rater sees together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.design.protocol.study import Protocol
    from app.design.protocol.study_design import Trials

PAIR = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A response that may stand in a trial."""

    response_id: int
    key: str
    source: str


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """An item as the plan needs it. `rater` and `pool` are its columns of these names in items.csv.

    `item_id` is the store's number of it, where it is stored.
    """

    key: str
    responses: tuple[Candidate, ...] = ()
    rater: str | None = None
    pool: str | None = None
    has_note: bool = False
    item_id: int | None = None


def kind_of_trials(protocol: Protocol, n_responses: Iterable[int]) -> Trials:
    """What the design says; unsaid, sets for rankings, pairs where each item has two responses, else single ones.

    Args:
        protocol: the study.
        n_responses: how many responses each item has.
    """
    if protocol.design.trials is not None:
        return protocol.design.trials
    if protocol.ranking_questions:
        return "set"
    counts = set(n_responses)
    if counts == {PAIR} or (protocol.choice_questions and min(counts, default=0) >= PAIR):
        return "pairs"
    return "single" if max(counts, default=0) else "dialogue"


def trials_of_item(protocol: Protocol, kind: Trials, responses: Sequence[Candidate]) -> list[tuple[Candidate, ...]]:
    """The trials of one item; within each the reference stands first where it is part of it.

    Args:
        protocol: the study.
        kind: see `kind_of_trials`.
        responses: the item's, in the study's order.

    Returns:
        Pairs: every pair, or with `pairs: reference` each response against the reference's. Single: one each.
        Set and dialogue: one trial with all of them, also where there is none.
    """
    reference = protocol.reference
    ordered = sorted(responses, key=lambda response: response.source != reference)
    if kind == "single":
        return [(response,) for response in ordered]
    if kind in {"set", "dialogue"}:
        return [tuple(ordered)]
    pairs = list(combinations(ordered, PAIR))
    if protocol.design.pairs == "reference":
        pairs = [(left, right) for left, right in pairs if (left.source == reference) != (right.source == reference)]
    return list(pairs)
