"""What each kind of question accepts, writes and simulates, independently of any page."""

import random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from app.base.language.language import ENGLISH
from app.protocol.questions.category import CategoryQuestion
from app.protocol.questions.choice import ChoiceQuestion
from app.protocol.questions.form import Mark
from app.protocol.questions.highlight import HighlightQuestion
from app.protocol.questions.question import AnswerError, Given
from app.protocol.questions.rating import RatingQuestion
from app.protocol.questions.saves import read_page
from app.protocol.questions.slider import SliderQuestion
from app.protocol.questions.slot import Slot
from app.protocol.questions.text import TextQuestion

CODES: dict[str, Any] = {
    "key": "does",
    "type": "category",
    "target": "response",
    "text": "Does?",
    "codes": ["a", "none"],
}
SCALE: dict[str, Any] = {
    "key": "warm",
    "type": "rating",
    "target": "response",
    "text": "Warm?",
    "scale": {1: "no", 2: "yes"},
}
BLANK = cast("Any", SimpleNamespace(name="q0", response_id=7, passages=["I hear how hard this week was"]))


def rater(drawn: float = 0.0) -> Any:  # noqa: ANN401 - stands for a simulated rater
    """Return a rater who always draws the same number from `random()` and is seeded otherwise."""
    rng = random.Random(1)  # noqa: S311 - a test
    rng.random = lambda: drawn  # type: ignore[method-assign]
    return SimpleNamespace(rng=rng, impression=lambda *_: 0.0)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"exclusive": ["other"], "multiple": True}, "exclusive must name some of the codes, found other"),
        ({"exclusive": ["none"]}, "exclusive can be set only with multiple: true"),
    ],
)
def test_exclusive_code_requires_multiple_codes(more: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        CategoryQuestion(**CODES, **more)


def test_joined_codes_are_accepted_if_all_are_known() -> None:
    question = CategoryQuestion(**CODES, multiple=True)
    assert question.accepts("a|none", ())
    assert not question.accepts("a|other", ())


def test_choice_is_written_as_side_or_word() -> None:
    question = ChoiceQuestion(key="p", type="choice", text="Which?", tie=True)
    assert question.form_of("tie", "q0", ("x", "y")) == {"q0": ["tie"]}
    assert question.form_of("y", "q0", ("x", "y")) == {"q0": ["right"]}
    assert question.read_cell("") is None
    tie = question.read_cell("tie")
    assert tie is not None
    assert tie.outcome == "tie"


def test_simulated_highlight_is_consecutive_words() -> None:
    question = HighlightQuestion(key="h", type="highlight", target="response", text="Mark.")
    ((words,),) = question.simulate(BLANK, rater()).values()
    assert words in BLANK.passages[0]


def test_simulated_rater_sometimes_cannot_judge() -> None:
    question = RatingQuestion(**SCALE, cannot_judge=True)
    assert question.simulate(BLANK, rater()) == {"q0": ["cannot_judge"]}
    assert question.simulate(BLANK, rater(drawn=0.99)) != {"q0": ["cannot_judge"]}


def test_answer_with_unreadable_key_is_kept_without_key() -> None:
    slot = Slot("q0", RatingQuestion(**SCALE))
    (answer,) = read_page([slot], {"q0": ["1"], "q0.key": ["no UUID"]}, ()).given
    assert (answer.number, answer.mark) == (1, Mark())


def test_code_cell_is_read_in_protocol_order_or_rejected() -> None:
    several, one = CategoryQuestion(**CODES, multiple=True), CategoryQuestion(**CODES)
    read = several.read_cell(" none | a ")
    assert read is not None
    assert read.codes == ("a", "none")
    assert several.read_cell("a|a") is None
    assert several.read_cell("a|other") is None
    assert one.read_cell("a|none") is None
    assert one.read_cell("") is None


def test_codes_are_exported_with_labels() -> None:
    question = CategoryQuestion(**CODES | {"codes": {"a": "Advice", "none": "Nothing"}}, multiple=True)
    assert dict(question.meanings()) == {"a": "Advice", "none": "Nothing"}
    assert question.allowed_words() == "a, none (several joined by |)"
    assert CategoryQuestion(**CODES).allowed_words() == "a, none"
    assert question.form_of("a|none", "q0", ()) == {"q0": ["a", "none"]}


@pytest.mark.parametrize(
    ("codes", "words"),
    [
        ({"codes": ["a|b", "none"]}, r"codes must not contain \|"),
        ({"correct": "other"}, "correct must be one of the codes, found other"),
    ],
)
def test_indistinguishable_or_missing_codes_are_rejected(codes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        CategoryQuestion(**CODES | codes)


@pytest.mark.parametrize(
    ("more", "drawn", "expected"),
    [
        ({"correct": "none"}, 0.5, {"none"}),
        ({"multiple": True, "exclusive": ["none"]}, 0.1, {"a"}),
        ({"multiple": True}, 0.9, {"a", "none"}),
        ({}, 0.9, {"a", "none"}),
    ],
)
def test_simulated_rater_picks_declared_codes(more: dict[str, Any], drawn: float, expected: set[str]) -> None:
    picked = CategoryQuestion(**CODES, **more).simulate(BLANK, rater(drawn))["q0"]
    assert picked
    assert set(picked) <= expected


PAIR = cast("Any", SimpleNamespace(name="q0", shown=("warm", "cold")))


@pytest.mark.parametrize(
    ("warm", "cold", "more", "expected"),
    [
        (1.0, -1.0, {}, {"q0": ["left"]}),
        (-1.0, 1.0, {}, {"q0": ["right"]}),
        (0.0, 0.0, {"tie": True}, {"q0": ["tie"]}),
        (-9.0, -9.0, {"neither": True}, {"q0": ["neither"]}),
        (9.0, -9.0, {"strength": {1: "a little", 2: "much"}}, {"q0": ["left"], "q0.strength": ["2"]}),
    ],
)
def test_simulated_rater_chooses_stronger_impression(
    warm: float, cold: float, more: dict[str, Any], expected: dict[str, list[str]]
) -> None:
    impressions = {"warm": warm, "cold": cold}
    who = cast("Any", SimpleNamespace(impression=lambda response, _: impressions[response]))
    question = ChoiceQuestion(key="p", type="choice", text="Which?", **more)
    assert question.simulate(PAIR, who) == expected


def test_choice_describes_allowed_answers() -> None:
    question = ChoiceQuestion(key="p", type="choice", text="Which?", neither=True)
    assert dict(question.meanings()) == {"": question.allowed_words()}
    assert question.allowed_words().endswith(", or neither")
    assert question.words == ("neither",)
    assert question.accepts("neither", ())
    assert question.accepts("x", ("x", "y"))
    assert not question.accepts("tie", ("x", "y"))


def test_expected_side_has_lowest_strength() -> None:
    question = ChoiceQuestion(key="p", type="choice", text="Which?", strength={2: "much", 1: "a little"})
    assert question.form_of("x", "q0", ("x", "y")) == {"q0": ["left"], "q0.strength": ["1"]}


def test_highlight_cell_holds_offsets_or_is_rejected() -> None:
    question = HighlightQuestion(key="h", type="highlight", target="response", text="Mark.")
    spans = question.read_cell(" 0-3|5-8 ")
    assert spans is not None
    assert spans.text == "0-3|5-8"
    assert question.read_cell("the third word") is None
    assert question.accepts("0-3", ())
    assert question.form_of("0-3", "q0", ()) == {"q0": ["0-3"]}
    assert not list(question.meanings())
    assert "character offsets" in question.allowed_words()
    assert question.from_rows({7: spans}) is spans


def test_scale_points_show_label_or_number() -> None:
    question = RatingQuestion(**SCALE | {"scale": {1: "no", 2: None, 3: "yes"}})
    assert list(question.meanings()) == [("1", "no"), ("2", ""), ("3", "yes")]
    assert [question.scale.words_of(value) for value in (1, 2, 3)] == ["no", "2", "yes"]
    with pytest.raises(ValueError, match="the points of a scale must be numbers, found high"):
        RatingQuestion(**SCALE | {"scale": {1: "low", "high": "high"}})


def test_slider_needs_a_range_and_limited_steps() -> None:
    slider: dict[str, Any] = {"key": "s", "type": "slider", "target": "response", "text": "How?"}
    with pytest.raises(ValueError, match="the slider's max must be greater than its min"):
        SliderQuestion(**slider, min=1, max=1)
    with pytest.raises(ValueError, match="a slider must have at most"):
        SliderQuestion(**slider, min=0, max=1, step=1e-9)
    with pytest.raises(ValueError, match=r"steps must reach its max, found 0 to 1 in steps of 0\.3"):
        SliderQuestion(**slider, min=0, max=1, step=0.3)
    question = SliderQuestion(**slider, min=0, max=1, step=0.1)
    assert dict(question.meanings()) == {"": "0 to 1 in steps of 0.1"}
    assert question.read_cell("0.3") is not None
    assert question.read_cell("0.35") is None
    assert question.read_cell("warm") is None


def test_text_question_accepts_any_text() -> None:
    question = TextQuestion(key="t", type="text", target="response", text="Why?", required=True, min_length=60)
    cell = question.read_cell("because")
    assert cell is not None
    assert cell.text == "because"
    assert question.allowed_words() == "any text"
    ((words,),) = question.simulate(BLANK, rater()).values()
    assert len(words) >= 60
    assert TextQuestion(key="t", type="text", target="response", text="Why?").simulate(BLANK, rater()) == {"q0": [""]}


def test_exclusive_code_cannot_be_combined() -> None:
    question = CategoryQuestion(**CODES, multiple=True, exclusive=["none"])
    sent = cast("Any", SimpleNamespace(values=["a", "none"], is_sent=True))
    with pytest.raises(AnswerError) as refused:
        question.read(sent)
    assert ENGLISH.say(refused.value.words) == "“none” cannot be combined with other answers."


def test_most_answers_are_stored_as_one_row() -> None:
    given = Given(text="because")
    question = TextQuestion(key="t", type="text", target="response", text="Why?")
    assert question.rows(given, 7) == [(7, given)]
