"""Practice trials and gold trials: found among the items, and rejected with a reason if unusable."""

from __future__ import annotations

from typing import Any

import pytest

from app.design.allocation.special_trials import Special, is_declared_as, special_trials
from tests.builder import PREFERENCE
from tests.design.studies import DEBRIEF, LABEL, WARM, items, protocol

GOLD = {"item": "i0", "expect": {"warm": 3}}


def of_gold(trial: dict[str, Any], n_responses: int = 2, **parts: Any) -> Special:  # noqa: ANN401 - parts of study.yaml
    return special_trials(protocol(checks={"gold": [trial]}, **parts), items(2, n_responses))


def test_without_responses_it_is_the_trial_that_the_others_are() -> None:
    (trial,) = of_gold(GOLD).trials
    assert [response.key for response in trial.responses] == ["i0:person", "i0:model"]
    (trial,) = of_gold({**GOLD, "responses": ["i0:model"]}).trials
    assert [response.key for response in trial.responses] == ["i0:model"]


def test_a_gold_trial_stands_in_every_cell_and_one_to_practise_on_in_none() -> None:
    study = protocol(
        conditions={"label": LABEL},
        checks={"gold": [GOLD]},
        flow={**DEBRIEF, "practice": {"trials": [{"item": "i1"}]}},
    )
    found = special_trials(study, items(3))
    assert not found.problems
    assert [(trial.purpose, trial.cell.text) for trial in found.trials] == [
        ("practice", ""),
        ("gold", "label=true"),
        ("gold", "label=swapped"),
    ]


@pytest.mark.parametrize(
    ("trial", "words"),
    [
        ({"item": "i9"}, "names the item i9, which is not in items.csv."),
        ({"responses": ["i0:model", "i1:model"]}, "names responses that i0 does not have: i1:model."),
        ({"expect": {"warm": [3, 4]}}, "expects 4 for warm, which allows 1, 2 or 3 (the scale of `warm`)."),
        ({"expect": {"mood": 3}}, "expects an answer to mood, which its page does not ask."),
        ({"expect": {"who": "ai|nobody"}}, "expects ai|nobody for who, which allows human, ai."),
    ],
)
def test_what_cannot_be_is_said(trial: dict[str, Any], words: str) -> None:
    assert of_gold({**GOLD, **trial}).problems == [f"checks.gold.1 {words}"]


def test_several_trials_of_an_item_want_to_be_told_apart() -> None:
    assert of_gold(GOLD, design={"trials": "single"}).problems == [
        "checks.gold.1 must list the responses of i0 to show, because they make 2 different trials."
    ]


def test_the_same_trial_is_not_practised_and_gold() -> None:
    study = protocol(checks={"gold": [GOLD]}, flow={"practice": {"trials": [{"item": "i0"}]}})
    assert special_trials(study, items(2)).problems == [
        "checks.gold.1 shows the same responses of i0 as another special trial."
    ]


def test_a_choice_is_expected_by_the_key_of_a_response_that_is_shown() -> None:
    choice: dict[str, Any] = {"questions": [WARM, PREFERENCE]}
    for value in ("i0:model", "tie"):
        assert not of_gold({**GOLD, "expect": {"preference": value}}, **choice).problems
    assert of_gold({**GOLD, "expect": {"preference": "i1:model"}}, **choice).problems
    alone = {**GOLD, "responses": ["i0:model"], "expect": {"preference": "tie"}}
    assert "does not ask" in of_gold(alone, **choice).problems[0]


def test_questions_of_one_condition_are_not_practised() -> None:
    asked = {**WARM, "condition": "label=true"}
    study = protocol(
        questions=[asked],
        conditions={"label": LABEL},
        flow={**DEBRIEF, "practice": {"trials": [{"item": "i0", "expect": {"warm": 3}}]}},
    )
    assert "does not ask" in special_trials(study, items(2)).problems[0]


def test_cannot_judge_and_any_words_may_be_expected() -> None:
    questions = [{**WARM, "cannot_judge": True}, {"key": "why", "target": "item", "type": "text", "text": "Why?"}]
    assert not of_gold({**GOLD, "expect": {"warm": "cannot_judge", "why": "so"}}, questions=questions).problems


def test_a_stored_trial_is_known_by_its_item_and_the_responses_that_were_named() -> None:
    named = protocol(checks={"gold": [{**GOLD, "responses": ["i0:model"]}]}).checks.gold[0]
    unnamed = protocol(checks={"gold": [GOLD]}).checks.gold[0]
    assert is_declared_as(named, "i0", ["i0:model"])
    assert not is_declared_as(named, "i0", ["i0:person"])
    assert is_declared_as(unnamed, "i0", ["i0:person", "i0:model"])
    assert not is_declared_as(unnamed, "i1", [])


def test_a_gold_trial_has_the_name_of_no_other_check_and_expects_nothing_of_looking_back() -> None:
    task = {"key": "i0", "text": "What?", "codes": {"a": "This", "b": "That"}, "correct": "a"}
    study = protocol(checks={"gold": [GOLD], "comprehension": [task]}, flow={"revisit": ["warm"]})
    assert special_trials(study, items(2)).problems == [
        "checks.gold.1 has the same key as another check, i0.",
        "checks.gold.1 expects an answer to warm, which its page does not ask.",
    ]
