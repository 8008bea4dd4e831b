"""Scales and codes as written by a lead, and the messages for invalid ones."""

from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from app.protocol.dialogue import turns_from_json
from app.protocol.questions.category import CategoryQuestion
from app.protocol.questions.highlight import HighlightQuestion
from app.protocol.questions.rating import RatingQuestion
from app.protocol.questions.scale import Scale
from app.protocol.questions.slider import SliderQuestion
from app.protocol.questions.text import TextQuestion


def category(**settings: Any) -> CategoryQuestion:  # noqa: ANN401 - any value in study.yaml
    return CategoryQuestion.model_validate(
        {"key": "does", "target": "item", "type": "category", "text": "?", **settings}
    )


@pytest.mark.parametrize(
    ("points", "words"),
    [
        ({1: "only"}, "at least two points"),
        ([(1, "a"), (1, "b")], "the values of a scale must be unique"),
        ({"1": "a", "2": "b", "1 2": "c"}, "found 1 more than once"),
        (
            {1: "Poor", 2: "Good", 3: " poor"},
            "each point of a scale must have its own words, found “poor” for both 1 and 3",
        ),
        ({1: "2", 2: None}, "found “2” for both 1 and 2"),
    ],
)
def test_scale_without_a_choice_is_rejected(points: Any, words: str) -> None:  # noqa: ANN401 - as above
    given = points if isinstance(points, dict) else {"points": [{"value": v, "words": w} for v, w in points]}
    with pytest.raises(ValidationError, match=words):
        TypeAdapter(Scale).validate_python(given)


def test_points_without_words_are_told_apart_by_their_numbers() -> None:
    assert TypeAdapter(Scale).validate_python({1: "Low", 2: None, 3: "", 4: "High"}).words_of(3) == "3"


def test_codes_that_raters_cannot_tell_apart_are_rejected() -> None:
    with pytest.raises(ValidationError, match="each code must have its own words, found “Other” for both a and b"):
        category(codes={"a": "Other", "b": "Other"})


def test_code_cannot_contain_separator() -> None:
    with pytest.raises(ValidationError, match=r"codes must not contain \|"):
        category(codes={"a|b": "both", "c": "third"})


def test_correct_code_must_be_declared() -> None:
    with pytest.raises(ValidationError, match="correct must be one of the codes, found d"):
        category(codes={"a": "first"}, correct="d")


def test_each_question_type_describes_allowed_answers() -> None:
    slider = SliderQuestion(key="s", target="response", type="slider", text="?", min=0, max=1, step=0.1)
    rating = RatingQuestion.model_validate(
        {"key": "r", "target": "response", "type": "rating", "text": "?", "scale": {1: "low", 2: "high"}}
    )
    assert slider.allowed_words() == "0 to 1 in steps of 0.1"
    assert rating.allowed_words() == "1 or 2 (the scale of `r`)"
    assert category(codes={"a": "first", "b": "second"}, multiple=True).allowed_words() == "a, b (several joined by |)"
    assert TextQuestion(key="t", target="item", type="text", text="?").allowed_words() == "any text"
    spans = HighlightQuestion(key="h", target="response", type="highlight", text="?")
    assert spans.allowed_words().startswith("character offsets such as 12-30|45-60")


@pytest.mark.parametrize(
    ("text", "value"), [("0.3", 0.3), ("0.35", None), ("1.1", None), ("1e-9999999999999999999", None)]
)
def test_slider_accepts_only_its_steps(text: str, value: float | None) -> None:
    slider = SliderQuestion(key="s", target="response", type="slider", text="?", min=0, max=1, step=0.1)
    assert slider.value_of(text) == value


@pytest.mark.parametrize("constant", ["NaN", "Infinity"])
def test_turns_must_be_plain_json(constant: str) -> None:
    with pytest.raises(ValueError, match=f"{constant} is not valid JSON"):
        turns_from_json(f'[{{"speaker": "A", "text": {constant}}}]')


def test_scale_points_are_sorted_from_low_to_high() -> None:
    scale: Scale = TypeAdapter(Scale).validate_python({2: "high", 1: "low"})
    assert [(point.value, point.words) for point in scale.points] == [(1, "low"), (2, "high")]
