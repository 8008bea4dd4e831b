"""Which responses of an item are shown together."""

from itertools import combinations
from typing import Any

import pytest

from app.protocol.allocation.trials import Candidate, kind_of_trials, trials_of_item
from app.protocol.study import Protocol
from tests.kit.builder import EMPATHY, PREFERENCE, protocol_of

THREE = {"model_a": {"kind": "model"}, "person": {"kind": "human"}, "model_b": {"kind": "model"}}
RESPONSES = [Candidate(n, f"i:{source}", source) for n, source in enumerate(THREE, start=1)]


def protocol(**parts: Any) -> Protocol:  # noqa: ANN401 - any part of a protocol
    return Protocol.model_validate(protocol_of(**{"sources": THREE, **parts}))


def sources(trials: list[tuple[Candidate, ...]]) -> list[tuple[str, ...]]:
    return [tuple(response.source for response in trial) for trial in trials]


def test_pairs_are_all_pairs_of_an_items_responses() -> None:
    trials = trials_of_item(protocol(), "pairs", RESPONSES)
    assert {frozenset(pair) for pair in sources(trials)} == {frozenset(pair) for pair in combinations(THREE, 2)}


def test_reference_pairs_exclude_other_comparisons() -> None:
    against = protocol(design={"pairs": "reference"}, analysis={"reference": "person"})
    assert sources(trials_of_item(against, "pairs", RESPONSES)) == [("person", "model_a"), ("person", "model_b")]


def test_responses_of_reference_are_not_compared_with_each_other() -> None:
    against = protocol(design={"pairs": "reference"})
    twice = [*RESPONSES[:2], Candidate(9, "i:again", "person")]
    assert sources(trials_of_item(against, "pairs", twice)) == [("person", "model_a"), ("person", "model_a")]


def test_single_trials_show_one_response_and_sets_show_all() -> None:
    assert sources(trials_of_item(protocol(), "single", RESPONSES)) == [("person",), ("model_a",), ("model_b",)]
    assert sources(trials_of_item(protocol(), "set", RESPONSES)) == [("person", "model_a", "model_b")]


def test_dialogue_without_responses_is_one_trial() -> None:
    assert trials_of_item(protocol(), "dialogue", []) == [()]


@pytest.mark.parametrize(
    ("n_responses", "questions", "kind"),
    [
        ([2, 2], [EMPATHY], "pairs"),
        ([3, 3], [EMPATHY], "single"),
        ([3, 2], [PREFERENCE], "pairs"),
        ([1, 2], [EMPATHY], "single"),
        ([1, 2], [PREFERENCE, EMPATHY], "single"),
        ([0, 0], [{**EMPATHY, "target": "item"}], "dialogue"),
        ([], [EMPATHY], "dialogue"),
    ],
)
def test_trial_type_defaults_to_fit_responses(n_responses: list[int], questions: list[object], kind: str) -> None:
    assert kind_of_trials(protocol(questions=questions), n_responses) == kind


def test_declared_trial_type_is_used() -> None:
    assert kind_of_trials(protocol(design={"trials": "set"}), [2, 2]) == "set"


def test_ranking_shows_all_responses_of_an_item() -> None:
    ranking = {"key": "r", "type": "ranking", "text": "Rank them."}
    assert kind_of_trials(protocol(questions=[ranking]), [3, 3]) == "set"
