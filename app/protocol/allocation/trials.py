"""Trials: which responses of an item a rater sees together."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, cast

from app.base.words import or_list
from app.protocol.cells import Cell, cells
from app.protocol.checks import GoldTrial
from app.protocol.flow import PracticeTrial
from app.protocol.presentation import presentation
from app.protocol.questions.of_set import MIN_SET
from app.protocol.questions.registry import Question
from app.protocol.study import Protocol
from app.protocol.study_design import Trials

PAIR = 2


@dataclass(frozen=True, slots=True)
class Candidate:
    """A response that can be part of a trial."""

    response_id: int
    key: str
    source: str


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """An item as the plan needs it. `attributes` are its further columns in items.csv, without empty cells.

    `item_id` is the item's ID in the database, if it is stored; `made_for` are the purposes of its stored trials.
    """

    key: str
    responses: tuple[Candidate, ...] = ()
    has_note: bool = False
    item_id: int | None = None
    attributes: Mapping[str, str] = field(default_factory=dict, compare=False)
    made_for: Collection[str] = ()

    @property
    def rater(self) -> str | None:
        """The rater that the item belongs to."""
        return self.attributes.get("rater")

    @property
    def pool(self) -> str | None:
        """The pool that rates the item."""
        return self.attributes.get("pool")


def kind_of_trials(protocol: Protocol, n_responses: Iterable[int]) -> Trials:
    """The design's kind of trials; by default sets if a question is about sets, else pairs if each item has two
    responses, else single.

    Args:
        protocol: the study.
        n_responses: number of responses of each item.
    """
    if protocol.design.trials is not None:
        return protocol.design.trials
    if protocol.set_questions:
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
        trial each. For sets and dialogues, one trial with all responses, even if there are none. For conversations and
        drafts, one trial without any: each rater writes the response.
    """
    if kind in {"conversation", "draft"}:
        return [()]
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


# Special trials: practice trials and gold trials. They have no seats and are excluded from every estimate.

Purpose = Literal["practice", "gold"]
# Stored trials keep their purpose, because raters who have started still get them.
_EARLIER = {
    "rating": "which has been up for rating",
    "practice": "which has been a practice trial",
    "gold": "which has been a gold trial",
}


@dataclass(frozen=True, slots=True)
class SpecialTrial:
    """A practice trial, or a gold trial in one cell (so that gold trials look like the others in every condition)."""

    purpose: Purpose
    item: PlannedItem
    responses: tuple[Candidate, ...]
    cell: Cell


@dataclass(slots=True)
class Special:
    """The special trials of a study, and one sentence per declared trial that cannot be made from its items."""

    trials: list[SpecialTrial] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)


def special_items(protocol: Protocol) -> frozenset[str]:
    """The items of special trials; they are not rated otherwise."""
    return frozenset(trial.item for _, _, trial in _declared(protocol))


def ordinary_items(protocol: Protocol, items: Iterable[PlannedItem]) -> list[PlannedItem]:
    """The items that are rated: neither special ones nor those that earlier raters had as such, with the answer."""
    special = special_items(protocol)
    return [item for item in items if item.key not in special and {*item.made_for} <= {"rating"}]


def _declared(protocol: Protocol) -> Iterator[tuple[Purpose, str, PracticeTrial | GoldTrial]]:
    practice = protocol.flow.practice.trials if protocol.flow.practice else ()
    for number_, trial in enumerate(practice, start=1):
        yield "practice", f"flow.practice.trials.{number_}", trial
    for number_, gold in enumerate(protocol.checks.gold, start=1):
        yield "gold", f"checks.gold.{number_}", gold


def special_trials(protocol: Protocol, items: Sequence[PlannedItem]) -> Special:
    """Each special trial of the study: gold trials in every cell, practice trials in none.

    Args:
        protocol: the study.
        items: all items with their responses, in the study's order.
    """
    kind = kind_of_trials(protocol, (len(item.responses) for item in ordinary_items(protocol, items)))
    by_key = {item.key: item for item in items}
    special = Special()
    seen: set[tuple[str, frozenset[str]]] = set()
    for purpose, part, declared in _declared(protocol):
        item = by_key.get(declared.item)
        ways = _ways(protocol, kind, declared, item) if item else []
        if item is None or len(ways) != 1:
            special.problems.append(f"{part} {_why_none(declared, item, len(ways))}.")
            continue
        now = {purpose for purpose, _, other in _declared(protocol) if other.item == item.key}
        special.problems += [
            f"{part} names the item {item.key}, {_EARLIER[before]} since the study was opened. Name a new item."
            for before in sorted({*item.made_for} - now)
        ]
        what = (item.key, frozenset(response.key for response in ways[0]))
        if what in seen:
            special.problems.append(f"{part} shows the same responses of {item.key} as another special trial.")
        seen.add(what)
        special.problems += [f"{part} {problem}." for problem in _impossible(protocol, purpose, declared, ways[0])]
        in_cells = cells(protocol.conditions) if purpose == "gold" else (Cell(),)
        special.trials += [SpecialTrial(purpose, item, ways[0], cell) for cell in in_cells]
    return special


def _ways(
    protocol: Protocol, kind: Trials, declared: PracticeTrial | GoldTrial, item: PlannedItem
) -> list[tuple[Candidate, ...]]:
    """The trials that the declaration may mean: that of the listed responses, otherwise all that the item allows."""
    if not declared.responses:
        return trials_of_item(protocol, kind, item.responses)
    there = {response.key: response for response in item.responses}
    is_there = all(key in there for key in declared.responses)
    return [tuple(there[key] for key in declared.responses)] if is_there else []


def _why_none(declared: PracticeTrial | GoldTrial, item: PlannedItem | None, n_ways: int) -> str:
    if item is None:
        return f"names the item {declared.item}, which is not in items.csv"
    missing = sorted(set(declared.responses) - {response.key for response in item.responses})
    if missing:
        return f"names responses that {declared.item} does not have: {', '.join(missing)}"
    return f"must list the responses of {declared.item} to show, because they make {n_ways} different trials"


def _impossible(
    protocol: Protocol, purpose: Purpose, declared: PracticeTrial | GoldTrial, shown: Sequence[Candidate]
) -> Iterator[str]:
    """Expected answers that no rater could give."""
    keys = [response.key for response in shown]
    others = (*protocol.checks.attention, *protocol.checks.comprehension)
    if purpose == "gold" and declared.item in {check.key for check in others}:
        yield f"has the same key as another check, {declared.item}"
    for key, accepted in declared.expect.items():
        question = protocol.question(key)
        if question is None or key in protocol.flow.revisit or not _is_asked(question, purpose, len(shown)):
            yield f"expects an answer to {key}, which its page does not ask"
        elif other := [value for value in accepted if not question.accepts(value, keys)]:
            is_response = any(question.accepts(one, keys) for one in keys)
            allowed = or_list([*keys, *question.other_words()]) if is_response else question.allowed_words()
            yield f"expects {', '.join(other)} for {key}, which allows {allowed}"


def _is_asked(question: Question, purpose: Purpose, n_shown: int) -> bool:
    if question.condition and purpose == "practice":
        return False
    return {"pair": n_shown == PAIR, "set": n_shown >= MIN_SET, "response": n_shown > 0, "rater": False}.get(
        question.target, True
    )


def is_declared_as(trial: PracticeTrial | GoldTrial, item: str, responses: Collection[str]) -> bool:
    """Whether a stored trial, given the keys of its item and responses, is this declared trial."""
    return trial.item == item and (not trial.responses or set(trial.responses) == set(responses))


# The plan of a study: every trial in every cell, and which raters can take its seats.


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
    rated = ordinary_items(protocol, items)
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
