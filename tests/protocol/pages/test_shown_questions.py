"""Questions that depend on earlier answers: which are asked, and which rules a protocol must not have."""

from typing import Any

import pytest
from pydantic import ValidationError

from app.protocol.pages.page_slots import slots_of_rater
from app.protocol.pages.shown_questions import askable, not_yet_asked, shown_in_form, values_of
from app.protocol.study import Protocol
from tests.kit.protocols import WARM, protocol


def about(key: str, show_if: dict[str, Any] | None = None, **parts: Any) -> dict[str, Any]:  # noqa: ANN401
    question = {"key": key, "target": "rater", "type": "category", "text": f"{key}?", "codes": ["a", "b", "c"], **parts}
    return question if show_if is None else {**question, "show_if": show_if}


AGE = {"key": "age", "target": "rater", "type": "slider", "text": "Age?", "min": 0, "max": 100}
CHAIN = (
    about("one"),
    about("two", {"question": "one", "one_of": ["a", "b"]}, multiple=True),
    about("three", {"question": "two", "equals": "c"}),
    AGE,
    about("adult", {"question": "age", "at_least": 18}),
)


def study(*questions: dict[str, Any], **parts: Any) -> Protocol:  # noqa: ANN401 - any part of a protocol
    return protocol(questions=[WARM, *questions], **parts)


def asked(form: dict[str, list[str]], earlier: dict[str, tuple[str, ...]] | None = None) -> list[str]:
    slots = slots_of_rater(study(*CHAIN))
    return [slot.question.key for slot in shown_in_form(slots, earlier or {}, form)]


def test_chain_of_questions_follows_from_the_answers() -> None:
    assert asked({}) == ["one", "age"]
    assert asked({"q1": ["b"], "q4": ["17"]}) == ["one", "two", "age"]
    assert asked({"q1": ["b"], "q2": ["a", "c"], "q4": ["18"]}) == ["one", "two", "three", "age", "adult"]


def test_answer_to_a_hidden_question_does_not_count() -> None:
    assert asked({"q1": ["c"], "q2": ["c"]}, {"two": ("c",)}) == ["one", "age"]
    assert asked({"q1": ["x"], "q4": ["many"]}) == ["one", "age"]


def test_earlier_pages_rule_out_questions_and_all_that_follow_from_them() -> None:
    slots = slots_of_rater(study(*CHAIN))[1:3]
    assert askable(slots, {"one": ("c",)}) == ()
    assert askable(slots, {"one": ("a",)}) == slots
    assert not_yet_asked(slots, {"asked": ["q2"]}) == slots[1:]


def test_stored_answers_are_read_as_in_ratings_csv() -> None:
    row: dict[str, object] = {"number": None, "outcome": None, "codes": None, "text": None}
    stored: list[dict[str, object]] = [
        {**row, "question": "two", "codes": ["a", "c"]},
        {**row, "question": "age", "number": 18.0},
        {**row, "question": "gone", "text": "x"},
    ]
    assert values_of(study(*CHAIN), stored) == {"two": ("a", "c"), "age": ("18",)}


@pytest.mark.parametrize(
    ("questions", "words"),
    [
        ([about("two", {"question": "none", "equals": "a"})], "must name a question about the rater, found none"),
        ([about("two", {"question": "warm", "equals": "1"})], "must name a question about the rater, found warm"),
        ([about("two", {"question": "one", "equals": "a"}), about("one")], "asked earlier, found one"),
        ([about("one"), about("two", {"question": "one", "equals": "x"})], "must name answers of one"),
        ([about("one"), about("two", {"question": "one", "at_least": 2})], "answered by a number for at_least"),
        (
            [about("one", type="text", codes=None), about("two", {"question": "one", "equals": "a"})],
            "answers to choose from, found one",
        ),
        ([{**WARM, "key": "other", "show_if": {"question": "one", "equals": "a"}}], "must be about the rater"),
        ([about("one"), about("two", {"question": "one"})], "exactly one of equals, one_of and at_least"),
        (
            [about("one", {"question": "two", "equals": "a"}), about("two", {"question": "one", "equals": "a"})],
            "must not form a cycle, found one > two > one",
        ),
    ],
)
def test_rules_that_cannot_work_are_refused(questions: list[dict[str, Any]], words: str) -> None:
    clean = [{key: value for key, value in question.items() if value is not None} for question in questions]
    with pytest.raises(ValidationError, match=words):
        study(*clean)


def test_pages_must_keep_the_order_of_a_rule() -> None:
    questions = (about("one"), about("two", {"question": "one", "equals": "a"}))
    with pytest.raises(ValidationError, match="its page is shuffled"):
        study(*questions, flow={"before": [{"questions": ["one", "two"], "shuffle": True}]})
    with pytest.raises(ValidationError, match="asked earlier, found one"):
        study(*questions, flow={"before": [{"questions": ["two"]}], "after": [{"questions": ["one"]}]})
    with pytest.raises(ValidationError, match="which has show_if"):
        study(*questions, flow={"eligibility": {"accept": {"one": "a", "two": "a"}}})
    assert study(*questions, flow={"before": [{"questions": ["one"]}, {"questions": ["two"], "shuffle": True}]})
