"""Special trials: practice trials and gold trials. They have no seats and are excluded from every estimate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from app.design.allocation.trials import PAIR, kind_of_trials, trials_of_item
from app.design.protocol.parts.cells import Cell, cells
from app.design.questions.kinds.ranking import MIN_RANKED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from app.design.allocation.trials import Candidate, PlannedItem
    from app.design.protocol.parts.checks import GoldTrial
    from app.design.protocol.parts.flow import PracticeTrial
    from app.design.protocol.parts.study_design import Trials
    from app.design.protocol.study import Protocol
    from app.design.questions.kinds.registry import Question

Purpose = Literal["practice", "gold"]


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
    named = special_items(protocol)
    kind = kind_of_trials(protocol, (len(item.responses) for item in items if item.key not in named))
    by_key = {item.key: item for item in items}
    special = Special()
    seen: set[tuple[str, frozenset[str]]] = set()
    for purpose, part, declared in _declared(protocol):
        item = by_key.get(declared.item)
        ways = _ways(protocol, kind, declared, item) if item else []
        if item is None or len(ways) != 1:
            special.problems.append(f"{part} {_why_none(declared, item, len(ways))}.")
            continue
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
            yield f"expects {', '.join(other)} for {key}, which allows {question.allowed_words()}"


def _is_asked(question: Question, purpose: Purpose, n_shown: int) -> bool:
    if question.condition and purpose == "practice":
        return False
    return {"pair": n_shown == PAIR, "set": n_shown >= MIN_RANKED, "response": n_shown > 0, "rater": False}.get(
        question.target, True
    )


def is_declared_as(trial: PracticeTrial | GoldTrial, item: str, responses: Collection[str]) -> bool:
    """Whether a stored trial, given the keys of its item and responses, is this declared trial."""
    return trial.item == item and (not trial.responses or set(trial.responses) == set(responses))
