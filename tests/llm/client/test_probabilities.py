"""The probability of each answer, read from the tokens of a JSON object."""

from collections.abc import Mapping
from math import log

import pytest

from app.llm.client.answers import value_spans
from app.llm.client.asked import Asked
from app.llm.client.endpoint import Reply, TokenProbability
from app.llm.client.probabilities import NO_ALTERNATIVES, NOT_AS_OFFERED, UNCLEAR, answer_probabilities

POINTS = Asked("q1", "question 1", "one_of", ("1", "2", "3", "4", "5"))
PAIR = Asked("q2", "question 2", "one_of", ("Response A", "Response B", "About the same"))
Step = str | tuple[str, dict[str, float]]


def reply(*steps: Step, text: str = "", with_bytes: bool = False) -> Reply:
    """A reply of these tokens: each is certain, or has the probabilities of itself and of its alternatives."""
    tokens = []
    for step in steps:
        token, others = step if isinstance(step, tuple) else (step, {step: 1.0, "~": 1e-9})
        logs = tuple((other, log(p)) for other, p in others.items())
        data = token.encode() if with_bytes else None
        tokens.append(TokenProbability(token, log(others[token]), data, logs))
    said = text or "".join(one.token for one in tokens)
    return Reply(said, "stop", None, "m", None, 1, 1, tuple(tokens))


def rounded(allowed: Mapping[str, float] | None) -> dict[str, float] | None:
    return None if allowed is None else {sign: round(p, 6) for sign, p in allowed.items()}


def of(found: Reply, *asked: Asked) -> dict[str, tuple[float, dict[str, float] | None, str | None]]:
    probabilities = answer_probabilities(found, asked)
    assert probabilities is not None
    return {name: (round(one.given, 6), rounded(one.allowed), one.problem) for name, one in probabilities.items()}


def test_distribution_of_a_single_token() -> None:
    shares = {"4": 0.7, "5": 0.2, "3": 0.05, "2": 0.03, "1": 0.01, "six": 0.01}
    found = of(reply('{"', "q1", '":', ' "', ("4", shares), '"}'), POINTS)
    assert found == {"q1": (0.7, {sign: shares[sign] for sign in "12345"}, None)}


def test_answers_of_several_tokens_share_their_first_one() -> None:
    first = {"Response": 0.8, "About": 0.15, "I": 0.05}
    second = {" A": 0.75, " B": 0.25}
    found = of(reply('{"q2": "', ("Response", first), (" A", second), '"}'), PAIR)
    allowed = {"Response A": 0.6, "Response B": 0.2, "About the same": 0.15}
    assert found == {"q2": (0.6, allowed, None)}


def test_alternative_that_begins_two_answers_leaves_only_the_probability_of_the_one_given() -> None:
    found = of(reply('{"q2": "', ("About", {"About": 0.4, "Response": 0.6}), ' the same"}'), PAIR)
    assert found == {"q2": (0.4, None, UNCLEAR)}


def test_token_can_reach_beyond_its_value_on_both_sides() -> None:
    shares = {' "4",': 0.5, ' "5",': 0.3, ' "3",': 0.1, ' "2",': 0.05, ' "1",': 0.05}
    second = {' "2"': 0.9, ' "1"': 0.1, ' "3"': 1e-9, ' "4"': 1e-9, ' "5"': 1e-9}
    other = Asked("q3", "question 3", "one_of", POINTS.allowed)
    found = of(reply('{"q1":', (' "4",', shares), ' "q3":', (' "2"', second), "}"), POINTS, other)
    assert found["q1"] == (0.5, {"4": 0.5, "5": 0.3, "3": 0.1, "2": 0.05, "1": 0.05}, None)
    assert found["q3"][0] == 0.9


def test_ten_is_told_from_one_by_the_token_after_it() -> None:
    ten = Asked("q1", "", "one_of", ("1", "10"))
    shares = {'"': 0.3, "0": 0.7}
    assert of(reply('{"q1": "', "1", ("0", shares), '"}'), ten) == {"q1": (0.7, {"1": 0.3, "10": 0.7}, None)}
    bare = {"}": 0.3, "0": 0.7}
    assert of(reply('{"q1": ', "1", ("}", bare)), ten) == {"q1": (0.3, {"1": 0.3, "10": 0.7}, None)}
    assert of(reply('{"q1": ', "1", ("0", bare), "}"), ten) == {"q1": (0.7, {"1": 0.3, "10": 0.7}, None)}


def test_null_is_not_an_allowed_answer() -> None:
    optional = Asked("q1", "", "one_of", ("yes", "no"), is_required=False)
    opening = {'"': 0.6, "null": 0.4}
    found = of(reply('{"q1": ', ('"', opening), ("yes", {"yes": 0.5, "no": 0.5}), '"}'), optional)
    assert found == {"q1": (0.3, {"yes": 0.3, "no": 0.3}, None)}


def test_answer_missing_from_alternatives_counts_as_zero_if_negligible() -> None:
    rare = {"4": 0.9, "5": 0.0999, "x": 0.0001}
    assert of(reply('{"q1": "', ("4", rare), '"}'), POINTS)["q1"][1] == {"1": 0, "2": 0, "3": 0, "4": 0.9, "5": 0.0999}
    few = {"4": 0.6, "5": 0.4}
    assert of(reply('{"q1": "', ("4", few), '"}'), POINTS)["q1"] == (0.6, None, UNCLEAR)


def test_without_alternatives_only_the_answer_given_has_a_probability() -> None:
    assert of(reply('{"q1": "', ("4", {"4": 0.6}), '"}'), POINTS)["q1"] == (0.6, None, NO_ALTERNATIVES)


def test_answer_written_otherwise_has_no_distribution() -> None:
    assert of(reply('{"q2": "', "response", ' a"}'), PAIR)["q2"] == (1.0, None, NOT_AS_OFFERED)


def test_number_of_a_slider_has_the_probability_of_its_tokens() -> None:
    slider = Asked("q1", "", "number", ("Cannot judge",))
    found = of(reply('{"q1": ', ("6", {"6": 0.5}), ("2", {"2": 0.5}), "}"), slider)
    assert found == {"q1": (0.25, None, None)}


def test_texts_and_lists_have_none() -> None:
    words = Asked("q1", "", "text")
    assert of(reply('{"q1": "I am sorry. \\"q2\\": 3"}'), words) == {}


@pytest.mark.parametrize("with_bytes", [True, False])
def test_tokens_beyond_the_text_are_left_out(*, with_bytes: bool) -> None:
    said = reply(
        '<think>"q1": "2"</think>', '{"q1": "', "4", '"}', "<|end|>", text='{"q1": "4"}', with_bytes=with_bytes
    )
    assert of(said, POINTS)["q1"][0] == 1.0
    assert answer_probabilities(reply("{}", text="other"), [POINTS]) is None
    assert answer_probabilities(reply(), [POINTS]) is None


def test_character_in_two_tokens() -> None:
    arabic = Asked("q1", "", "one_of", ("نعم", "لا"))
    first, second = "ن".encode()[:1], "ن".encode()[1:]
    tokens = [
        TokenProbability('{"q1": "', 0.0, b'{"q1": "', (("~", -30.0),)),
        TokenProbability("\ufffd", log(0.9), first, (("\ufffd", log(0.9)), ("x", log(0.1)))),
        TokenProbability("\ufffd", 0.0, second, (("\ufffd", 0.0), ("~", -30.0))),
        TokenProbability("عم", 0.0, "عم".encode(), (("~", -30.0),)),
        TokenProbability('"}', 0.0, b'"}', (("~", -30.0),)),
    ]
    found = of(Reply('{"q1": "نعم"}', "stop", None, "m", None, 1, 1, tuple(tokens)), arabic)
    assert found["q1"][0] == 0.9


def test_places_of_values() -> None:
    asked = [Asked("q5", "question 5", "text", is_required=False)]
    text = 'Here: {"q1" : "a\\"b", "q2":[1, 2] , "q3": {"q4": 1}, "q5": null} and {'
    assert {name: text[start:end] for name, (start, end) in value_spans(text, asked).items()} == {
        "q1": '"a\\"b"',
        "q2": "[1, 2]",
        "q3": '{"q4": 1}',
        "q5": "null",
    }
    assert value_spans("no object", asked) == {}
    assert value_spans('{"q1": 1, "q2": x', asked) == {}
