"""A model's answer is read as one JSON object with allowed values; everything else is refused with the reason."""

import json

import pytest

from app.llm.client.answers import UnparsedError, read_reply
from app.llm.client.asked import Asked, answer_format, schema_of

ASKED = (
    Asked("q1", "question 1", "one_of", ("Response A", "Response B")),
    Asked("q2", "question 2", "number"),
    Asked("q3", "question 3", "several_of", ("calm", "sad"), is_required=False),
    Asked("q4", "question 4", "text", is_required=False),
    Asked("q5", "question 5", "passages", is_required=False),
)
ANSWER = '"q1": "response a", "q2": 4.0'


def test_an_answer_is_read_whatever_surrounds_the_object() -> None:
    expected = {"q1": ["Response A"], "q2": ["4"]}
    for text in (
        f"{{{ANSWER}}}",
        f"```json\n{{{ANSWER}}}\n```",
        f"My answer: {{{ANSWER}}}.",
        f'{{{ANSWER}, "why": 1}}',
    ):
        assert read_reply(text, ASKED) == expected


@pytest.mark.parametrize(
    "text",
    [
        f'A draft: {{"q1": "Response B", "q2": 1}}. Better: {{{ANSWER}}}',
        f"```json\n{{{ANSWER}}}\n```\nI am sure {{of it}}.",
        f'{{"answer": {{{ANSWER}}}}}',
        f'[{{"type": "result", "result": {{{ANSWER}}}}}]',
        '{"q1": "A", "q2": 4}',
        '{"q1": "Response A - it is warmer", "q2": "4"}',
    ],
)
def test_the_last_object_that_fits_counts(text: str) -> None:
    assert read_reply(text, ASKED) == {"q1": ["Response A"], "q2": ["4"]}


SCALE = (Asked("q1", "question 1", "one_of", ("1", "2", "3", "4", "5")),)


@pytest.mark.parametrize("value", ["4/5", "4 - good", "4: good", "4 (good)", "4 out of 5", "4.", 4.0])
def test_an_allowed_value_with_words_about_it_is_harmless(value: object) -> None:
    assert read_reply(json.dumps({"q1": value}), SCALE) == {"q1": ["4"]}


@pytest.mark.parametrize("value", ["4/10", "4 - 5", "4.5", "4 or 5", "good", "45", "6/5"])
def test_a_value_that_can_mean_another_is_not_guessed(value: str) -> None:
    with pytest.raises(UnparsedError, match="Allowed: 1, 2, 3, 4, 5"):
        read_reply(json.dumps({"q1": value}), SCALE)


def test_text_that_cannot_be_stored_is_replaced() -> None:
    assert read_reply(f'{{{ANSWER}, "q4": "\\ud800 warm\\u0000"}}', ASKED)["q4"] == ["? warm�"]


def test_optional_answers_may_be_null_or_empty() -> None:
    text = f'{{{ANSWER}, "q3": [], "q4": null, "q5": ["one", "two"]}}'
    assert read_reply(text, ASKED) == {"q1": ["Response A"], "q2": ["4"], "q3": [], "q5": ["one", "two"]}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("I prefer A.", "The answer is not a JSON object."),
        ('{"q1": "Response A", ', "The answer is not valid JSON."),
        ("{" * 5000, "The answer is not valid JSON."),
        ("{}", "The field q1 is missing. The field q2 is missing."),
        (f'{{{ANSWER}, "q1": "Response B"}}', "The answer has the field q1 more than once."),
        ('{"q1": "Response C", "q2": 1}', 'The field q1 has the value "Response C". Allowed: Response A, Response B.'),
        ('{"q1": ["Response A", "Response B"], "q2": 1}', "which is not a text"),
        ('{"q1": "Response A"}', "The field q2 is missing."),
        ('{"q1": "Response A", "q2": true}', "The field q2 has the value true, which is not a number."),
        ('{"q1": "Response A", "q2": "many"}', 'The field q2 has the value "many", which is not a number.'),
        ('{"q1": "Response A", "q2": NaN}', "which is not a number"),
        (f'{{{ANSWER}, "q3": "calm"}}', 'The field q3 has the value "calm", which is not a list.'),
        (f'{{{ANSWER}, "q4": {{"a": "{"b" * 99}"}}}}', "…, which is not a text."),
    ],
)
def test_invalid_reply_is_rejected_with_reason(text: str, problem: str) -> None:
    with pytest.raises(UnparsedError) as refused:
        read_reply(text, ASKED)
    assert problem in str(refused.value)


def test_the_schema_and_the_prompt_name_each_field() -> None:
    schema = schema_of(ASKED)
    assert schema["required"] == ["q1", "q2", "q3", "q4", "q5"]
    assert schema["properties"]["q1"]["enum"] == ["Response A", "Response B"]
    assert schema["properties"]["q3"]["type"] == ["array", "null"]
    assert '"q1": "Response A" | "Response B" (question 1)' in answer_format(ASKED)
    assert '"q2": a number (question 2)' in answer_format(ASKED)
