"""Answers of simulated raters where an answer is expected: in practice, gold trials and checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.design.allocation.gold_trials import declared_gold
from app.storage.answers.ratings import GOLD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from random import Random

    from app.actions.simulation.simulated_answers import Names
    from app.design.protocol.study import Protocol
    from app.design.questions.slot import Slot
    from app.storage.assignments.assignment_view import AssignmentView


# Proportion of gold trials that a simulated rater answers like any other trial.
CARELESS_SHARE = 0.05


def gold_form(
    protocol: Protocol, slots: Sequence[Slot], view: AssignmentView, names: Names, rng: Random
) -> dict[str, list[str]]:
    """The form data with the expected answers of a gold trial, except for careless answers; empty for other trials."""
    if view.purpose != GOLD:
        return {}
    keys = {response_id: names.responses[response_id][0] for response_id in view.response_ids}
    gold = declared_gold(protocol, names.items[view.item_id], keys.values())
    is_careless = rng.random() < CARELESS_SHARE
    return {} if gold is None or is_careless else expected_form(gold.expect, slots, view, keys)


def expected_form(
    expect: Mapping[str, Sequence[str]], slots: Sequence[Slot], view: AssignmentView, keys: Mapping[int, str]
) -> dict[str, list[str]]:
    """The form data with the first accepted answer in each slot for which one is expected.

    Args:
        expect: accepted answers by question, as written in ratings.csv.
        slots: the slots of the page.
        view: the content of the page.
        keys: the keys of the responses, by ID.
    """
    shown = [keys[response_id] for response_id in view.response_ids]
    form: dict[str, list[str]] = {}
    for slot in slots:
        value = next(iter(expect.get(slot.question.key, ())), None)
        if value is not None:
            form |= slot.question.form_of(value, slot.name, shown)
    return form
