"""Trials: which responses of an item a rater sees together."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from app.design.protocol.parts.study_design import Trials
    from app.design.protocol.study import Protocol

PAIR = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A response that can be part of a trial."""

    response_id: int
    key: str
    source: str


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """An item as the plan needs it. `rater` and `pool` are the columns of these names in items.csv.

    `item_id` is the item's ID in the database, if it is stored.
    """

    key: str
    responses: tuple[Candidate, ...] = ()
    rater: str | None = None
    pool: str | None = None
    has_note: bool = False
    item_id: int | None = None


def kind_of_trials(protocol: Protocol, n_responses: Iterable[int]) -> Trials:
    """The design's kind of trials; by default sets for rankings, pairs if each item has two responses, else single.

    Args:
        protocol: the study.
        n_responses: number of responses of each item.
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
    """The trials of one item; if a trial includes the reference, the reference comes first.

    Args:
        protocol: the study.
        kind: see `kind_of_trials`.
        responses: the item's responses, in the study's order.

    Returns:
        For pairs, every pair or, with `pairs: reference`, each response with the reference's. For single responses, one
        trial each. For sets and dialogues, one trial with all responses, even if there are none.
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
