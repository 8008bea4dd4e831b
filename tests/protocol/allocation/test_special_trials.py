"""Practice trials and gold trials: found among the items, and rejected with a reason if unusable."""

from typing import Any

import pytest

from app.protocol.allocation.trials import Special, is_declared_as, planned_trials, special_trials
from tests.kit.builder import PREFERENCE
from tests.kit.protocols import DEBRIEF, LABEL, WARM, items, protocol

GOLD = {"item": "i0", "expect": {"warm": 3}}


def of_gold(trial: dict[str, Any], n_responses: int = 2, **parts: Any) -> Special:  # noqa: ANN401 - parts of study.yaml
    return special_trials(protocol(checks={"gold": [trial]}, **parts), items(2, n_responses))


def test_gold_trial_defaults_to_the_regular_trial_of_its_item() -> None:
    (trial,) = of_gold(GOLD).trials
    assert [response.key for response in trial.responses] == ["i0:person", "i0:model"]
    (trial,) = of_gold({**GOLD, "responses": ["i0:model"]}).trials
    assert [response.key for response in trial.responses] == ["i0:model"]


def test_gold_trials_exist_in_every_cell_and_practice_in_none() -> None:
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
def test_invalid_gold_trial_is_reported(trial: dict[str, Any], words: str) -> None:
    assert of_gold({**GOLD, **trial}).problems == [f"checks.gold.1 {words}"]


def test_expected_choice_names_a_response_and_not_its_source() -> None:
    gold = {**GOLD, "expect": {PREFERENCE["key"]: "person"}}
    assert of_gold(gold, questions=[PREFERENCE]).problems == [
        f"checks.gold.1 expects person for {PREFERENCE['key']}, which allows i0:person, i0:model or tie."
    ]


def test_item_that_raters_had_as_another_kind_of_trial_cannot_become_a_gold_trial() -> None:
    study = protocol(checks={"gold": [GOLD]})
    for purpose, words in (("rating", "has been up for rating"), ("practice", "has been a practice trial")):
        assert special_trials(study, items(2, made_for=[purpose])).problems == [
            f"checks.gold.1 names the item i0, which {words} since the study was opened. Name a new item."
        ]
    assert not special_trials(study, items(2, made_for=["gold"])).problems


def test_item_that_was_a_gold_trial_is_not_rated_later() -> None:
    assert not planned_trials(protocol(), items(2, made_for=["gold"]))
    assert len(planned_trials(protocol(), items(2, made_for=["rating"]))) == 2


def test_ambiguous_gold_trial_must_list_responses() -> None:
    assert of_gold(GOLD, design={"trials": "single"}).problems == [
        "checks.gold.1 must list the responses of i0 to show, because they make 2 different trials."
    ]


def test_practice_and_gold_trials_must_differ() -> None:
    study = protocol(checks={"gold": [GOLD]}, flow={"practice": {"trials": [{"item": "i0"}]}})
    assert special_trials(study, items(2)).problems == [
        "checks.gold.1 shows the same responses of i0 as another special trial."
    ]


def test_expected_choice_must_be_a_shown_response() -> None:
    choice: dict[str, Any] = {"questions": [WARM, PREFERENCE]}
    for value in ("i0:model", "tie"):
        assert not of_gold({**GOLD, "expect": {"preference": value}}, **choice).problems
    assert of_gold({**GOLD, "expect": {"preference": "i1:model"}}, **choice).problems
    alone = {**GOLD, "responses": ["i0:model"], "expect": {"preference": "tie"}}
    assert "does not ask" in of_gold(alone, **choice).problems[0]


def test_conditional_questions_cannot_be_practised() -> None:
    asked = {**WARM, "condition": "label=true"}
    study = protocol(
        questions=[asked],
        conditions={"label": LABEL},
        flow={**DEBRIEF, "practice": {"trials": [{"item": "i0", "expect": {"warm": 3}}]}},
    )
    assert "does not ask" in special_trials(study, items(2)).problems[0]


def test_cannot_judge_and_free_text_can_be_expected() -> None:
    questions = [{**WARM, "cannot_judge": True}, {"key": "why", "target": "item", "type": "text", "text": "Why?"}]
    assert not of_gold({**GOLD, "expect": {"warm": "cannot_judge", "why": "so"}}, questions=questions).problems


def test_stored_trial_is_matched_by_item_and_named_responses() -> None:
    named = protocol(checks={"gold": [{**GOLD, "responses": ["i0:model"]}]}).checks.gold[0]
    unnamed = protocol(checks={"gold": [GOLD]}).checks.gold[0]
    assert is_declared_as(named, "i0", ["i0:model"])
    assert not is_declared_as(named, "i0", ["i0:person"])
    assert is_declared_as(unnamed, "i0", ["i0:person", "i0:model"])
    assert not is_declared_as(unnamed, "i1", [])


def test_gold_trial_needs_unique_key_and_no_revisit_expectation() -> None:
    task = {"key": "i0", "text": "What?", "codes": {"a": "This", "b": "That"}, "correct": "a"}
    study = protocol(checks={"gold": [GOLD], "comprehension": [task]}, flow={"revisit": ["warm"]})
    assert special_trials(study, items(2)).problems == [
        "checks.gold.1 has the same key as another check, i0.",
        "checks.gold.1 expects an answer to warm, which its page does not ask.",
    ]
