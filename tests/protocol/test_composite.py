"""Composites: subscales and means of dimensions, with reversed questions."""

import json
from pathlib import Path
from statistics import variance

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from app.protocol.composite import Composite, composite_score, turned
from app.protocol.questions.rating import RatingQuestion
from app.protocol.questions.scale import Scale
from app.protocol.study import Protocol


def rating(
    key: str, *, low: int = 1, high: int = 5, is_reversed: bool = False, target: str = "response"
) -> RatingQuestion:
    scale = Scale.model_validate({value: f"point {value}" for value in range(low, high + 1)})
    return RatingQuestion.model_validate(
        {"key": key, "type": "rating", "target": target, "text": key, "scale": scale, "reversed": is_reversed}
    )


QUESTIONS = {
    "warm": rating("warm"),
    "cold": rating("cold", is_reversed=True),
    "mild": rating("mild"),
}


def composite(**settings: object) -> Composite:
    return Composite.model_validate({"questions": ["warm", "cold", "mild"], **settings})


def protocol(composites: dict[str, object]) -> Protocol:
    questions = [
        *QUESTIONS.values(),
        rating("self", target="rater"),
    ]
    return Protocol.model_validate(
        {"attune": 1, "slug": "s", "title": "T", "questions": questions, "analysis": {"composites": composites}}
    )


def test_reversed_question_is_recoded() -> None:
    assert composite_score(composite(), QUESTIONS, {"warm": 5, "cold": 1, "mild": 2}) == pytest.approx((5 + 5 + 2) / 3)


def test_score_requires_all_answers_unless_at_least_is_set() -> None:
    assert composite_score(composite(), QUESTIONS, {"warm": 5, "mild": 2}) is None
    assert composite_score(composite(at_least=2), QUESTIONS, {"warm": 5, "mild": 2}) == pytest.approx(3.5)


def test_sum_with_missing_answer_keeps_range_of_full_sum() -> None:
    full = composite_score(composite(score="sum"), QUESTIONS, {"warm": 4, "cold": 2, "mild": 4})
    gap = composite_score(composite(score="sum", at_least=2), QUESTIONS, {"warm": 4, "cold": 2})
    assert full == gap == pytest.approx(12)


@given(st.integers(-5, 5).flatmap(lambda low: st.tuples(st.just(low), st.integers(low + 1, low + 9))), st.data())
def test_recoding_twice_restores_value_within_scale(ends: tuple[int, int], data: st.DataObject) -> None:
    question = rating("k", low=ends[0], high=ends[1], is_reversed=True)
    value = data.draw(st.sampled_from(question.values))
    assert turned(question, value) in question.values
    assert turned(question, turned(question, value)) == value


def test_cronbach_alpha_of_recoded_scores_matches_psych(shared: Path) -> None:
    """psych::alpha with the first of five items reversed, bfi rows 1-400, R 4.2.2, psych 2.2.9."""
    oracle = json.loads((shared / "oracles" / "cronbach_bfi_reversed_missing.json").read_text())
    keys = oracle["input"]["columns"]
    questions = {key: rating(key, high=6, is_reversed=key == "A1") for key in keys}
    whole = Composite(questions=tuple(keys), score="sum")
    rows = [dict(zip(keys, row, strict=True)) for row in oracle["input"]["rows"]]
    complete = [row for row in rows if None not in row.values()]
    assert len(complete) == oracle["expected"]["n_complete"]
    totals = [composite_score(whole, questions, row) or 0 for row in complete]
    parts = sum(variance(turned(questions[key], row[key]) for row in complete) for key in keys)
    alpha = len(keys) / (len(keys) - 1) * (1 - parts / variance(totals))
    assert alpha == pytest.approx(oracle["expected"]["alpha_complete_cases"], abs=oracle["tolerance"]["default"])


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"c": ["warm", "nothing"]}, "found nothing"),
        ({"c": ["warm", "self"]}, "questions with the same target"),
        ({"warm": ["warm", "cold"]}, "must not have the key of a question"),
        ({"c": ["warm", "warm"]}, "each question once"),
        ({"c": {"questions": ["warm"], "at_least": 2}}, "at most the number of questions, 1"),
        ({"c": {"questions": ["warm", "cold"], "factors": 1}}, "1 of 3, 2 of 5, 3 of 6"),
        ({"c": []}, "at least 1 item"),
    ],
)
def test_invalid_composite_is_rejected_with_message(wrong: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        protocol(wrong)


def test_plain_list_is_mean_of_its_questions() -> None:
    declared = protocol({"empathy": ["warm", "cold"]}).analysis.composites["empathy"]
    assert (declared.score, declared.n_needed) == ("mean", 2)
