"""What cannot be changed once there are answers, and once the study has been opened."""

from typing import Any

import pytest

from app.protocol.changes import asked_otherwise, change_problems
from app.protocol.study import Protocol
from tests.kit.builder import EMPATHY, PREFERENCE, protocol_of

FIT: dict[str, Any] = {"key": "fit", "target": "response", "type": "slider", "text": "Fit?"}
CODE = {"key": "code", "target": "response", "type": "category", "text": "Which?", "codes": {"a": "A", "b": "B"}}
WHY = {"key": "why", "target": "pair", "type": "text", "text": "Why?"}
QUESTIONS: list[dict[str, Any]] = [PREFERENCE, EMPATHY, FIT, CODE, WHY]
CONDITIONS = {"told": {"kind": "instruction", "levels": {"a": "Read.", "b": "Imagine."}}}


def problems(*, was_opened: bool = False, **parts: Any) -> list[str]:  # noqa: ANN401 - any part of a protocol
    old = Protocol.model_validate(protocol_of(questions=QUESTIONS, conditions=CONDITIONS))
    new = Protocol.model_validate(protocol_of(**{"questions": QUESTIONS, "conditions": CONDITIONS, **parts}))
    answered = {question["key"] for question in QUESTIONS}
    given = {"answered": answered, "used": {"person", "model"}, "rated": {"told=b"}}
    return [str(problem) for problem in change_problems(old, new, **given, was_opened=was_opened)]


def with_question(place: int, **changes: object) -> list[dict[str, Any]]:
    return [{**question, **changes} if n == place else question for n, question in enumerate(QUESTIONS)]


def test_unchanged_protocol_has_no_problems() -> None:
    assert problems(was_opened=True) == []


def test_wording_may_change() -> None:
    assert problems(questions=with_question(1, text="How kind is it?", label="Kindness")) == []


@pytest.mark.parametrize(
    ("place", "changes", "found"),
    [
        (
            1,
            {"scale": {1: "Very empathetic", 2: "b", 3: "c", 4: "d", 5: "not"}},
            "“Very empathetic” for 1, before for 5",
        ),
        (2, {"min_words": "much", "max_words": "little"}, "“much” for 0, before for 100"),
        (3, {"codes": {"a": "B", "b": "A"}}, "“B” for a, before for b"),
    ],
)
def test_words_cannot_move_to_another_answer(place: int, changes: dict[str, Any], found: str) -> None:
    """Otherwise old answers would say the opposite of what they meant."""
    asked = [*QUESTIONS]
    asked[2] = {**FIT, "min_words": "little", "max_words": "much"}
    old = Protocol.model_validate(protocol_of(questions=asked))
    asked[place] = {**asked[place], **changes}
    new = Protocol.model_validate(protocol_of(questions=asked))
    said = [str(one) for one in change_problems(old, new, answered={asked[place]["key"]}, used=(), was_opened=False)]
    rule = "must keep its words with their answers because it has answers (new words are allowed)"
    assert said == [f"questions.{place + 1} {rule}, found {found}"]
    assert asked_otherwise(old, new) == {asked[place]["key"]}


TOLD = {"told": {"kind": "shown_label", "levels": ["none", "true"]}}


@pytest.mark.parametrize(
    ("before", "after", "keys"),
    [
        ({}, {"questions": with_question(1, text="How kind is it?", label="Kindness")}, {"empathy"}),
        ({}, {"questions": with_question(1, text="How  empathetic\nis it?", level="interval", reversed=True)}, set()),
        ({}, {"questions": with_question(3, codes={"b": "B", "a": "A"})}, {"code"}),
        ({}, {"questions": [*QUESTIONS, {**EMPATHY, "key": "warmth"}]}, set()),
        ({"instructions": "Read."}, {"instructions": "Read both."}, {"preference", "empathy", "fit", "code", "why"}),
        (
            {"questions": [EMPATHY], "conditions": TOLD},
            {
                "questions": [EMPATHY],
                "conditions": TOLD,
                "sources": {"person": {"kind": "human"}, "model": {"kind": "model", "shown_label": "A chatbot"}},
            },
            {"empathy"},
        ),
        (
            {"questions": [EMPATHY], "conditions": CONDITIONS},
            {
                "questions": [EMPATHY, {**FIT, "key": "age", "target": "rater"}],
                "conditions": {"told": {"kind": "instruction", "levels": {"a": "Read.", "b": "Feel."}}},
            },
            {"empathy"},
        ),
    ],
)
def test_questions_asked_otherwise(before: dict[str, Any], after: dict[str, Any], keys: set[str]) -> None:
    old, new = (Protocol.model_validate(protocol_of(**{"questions": QUESTIONS, **one})) for one in (before, after))
    assert asked_otherwise(old, new) == keys


def test_slug_cannot_change() -> None:
    assert problems(slug="other") == ["slug must stay study, found other"]


def test_source_with_responses_cannot_be_removed() -> None:
    assert problems(sources={"person": {"kind": "human"}}) == [
        "sources must include every source that has responses, found no model"
    ]


@pytest.mark.parametrize("conditions", [{}, {"told": {"kind": "instruction", "levels": {"a": "Read.", "c": "Think."}}}])
def test_condition_with_ratings_cannot_be_removed(conditions: dict[str, Any]) -> None:
    """Otherwise the exported folder would have ratings in a condition that its protocol does not declare."""
    assert problems(conditions=conditions) == [
        "conditions must include every condition that has ratings, found no Told: b"
    ]


def test_condition_without_ratings_can_be_removed() -> None:
    conditions = {"told": {"kind": "instruction", "levels": {"b": "Imagine.", "c": "Think."}}}
    assert problems(conditions=conditions) == []


def test_question_with_answers_cannot_be_removed() -> None:
    assert problems(questions=QUESTIONS[1:]) == [
        "questions must include every question that has answers, found no preference"
    ]


@pytest.mark.parametrize(
    ("place", "changes"),
    [
        (1, {"scale": {1: "low", 2: "high"}}),
        (1, {"scale": dict.fromkeys(range(1, 7), "")}),
        (2, {"max": 10}),
        (3, {"codes": {"a": "A"}}),
        (0, {"tie": False}),
    ],
)
def test_values_of_given_answers_must_remain_allowed(place: int, changes: dict[str, object]) -> None:
    (sentence,) = problems(questions=with_question(place, **changes))
    assert sentence.startswith(f"questions.{place + 1} must keep its allowed answers")


def test_code_or_strength_may_be_added() -> None:
    assert problems(questions=with_question(3, codes={"a": "A", "b": "B", "c": "C"})) == []
    assert problems(questions=with_question(0, strength=True)) == []


def test_target_cannot_change() -> None:
    (sentence,) = problems(questions=with_question(1, target="item"))
    assert sentence.startswith("questions.2 must keep its type and target")


def test_opened_study_keeps_its_trials() -> None:
    more = problems(was_opened=True, conditions={}, design={"pairs": "reference", "raters_per_trial": 2})
    assert [sentence.split()[0] for sentence in more] == [
        "conditions",
        "conditions",
        "design.pairs",
        "design.raters_per_trial",
    ]
    assert problems(was_opened=True, design={"raters_per_trial": 9}) == []


def test_opened_study_keeps_its_monitoring_plan() -> None:
    assert problems(was_opened=False, monitoring={"blind_interim": True}) == []
    (sentence,) = problems(was_opened=True, monitoring={"blind_interim": True})
    assert sentence.startswith("monitoring")


def test_unanswered_question_may_be_removed() -> None:
    old = Protocol.model_validate(protocol_of(questions=QUESTIONS))
    new = Protocol.model_validate(protocol_of(questions=QUESTIONS[1:]))
    assert list(change_problems(old, new, answered={"empathy"}, used=set(), was_opened=False)) == []


def test_turns_that_a_question_is_asked_about_stay_once_it_has_answers() -> None:
    talk: dict[str, Any] = {
        "sources": {"peer": {"kind": "human"}},
        "design": {"trials": "conversation"},
        "conversation": {"partners": {"peer": {"model": "m"}}},
    }
    mood = {**FIT, "target": "turn"}
    old, new = (
        Protocol.model_validate(protocol_of(**talk, questions=[{**mood, "turns": turns}])) for turns in ("all", "own")
    )
    (problem,) = change_problems(old, new, answered={"fit"}, used=(), was_opened=False)
    assert str(problem) == (
        "questions.1.turns must stay as it is because the question has answers (add a question with another key "
        "instead), found own"
    )
