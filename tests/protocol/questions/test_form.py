"""Validation of the form data of a page against its questions."""

import time
from typing import Any

import pytest

from app.base.language.language import ENGLISH
from app.protocol.pages.page_slots import Shown, slots_of_trial
from app.protocol.questions.form import Answer, Answers, asked_answers, read_answer, read_answers, read_page_ms
from app.protocol.questions.question import AnswerError
from app.protocol.questions.slot import Slot
from app.protocol.study import Protocol
from tests.kit.builder import EMPATHY, PREFERENCE, protocol_of

SHOWN = (8, 5)
WARMTH = {"key": "w", "target": "item", "type": "slider", "text": "Warm?", "min": 0, "max": 1, "step": 0.1}
DOES = {"key": "d", "target": "item", "type": "category", "text": "Does?", "codes": {"a": "asks", "r": "reflects"}}
WHY = {"key": "y", "target": "item", "type": "text", "text": "Why?"}
SPANS = {"key": "s", "target": "item", "type": "highlight", "text": "Mark"}


def slot_of(question: dict[str, Any]) -> Slot:
    study = Protocol.model_validate(protocol_of(questions=[question]))
    slots = slots_of_trial(study, Shown(SHOWN))
    return slots[0] if slots else Slot("q0", study.questions[0])


def read(question: dict[str, Any], *values: str, **more: str) -> Answer | None:
    slot = slot_of(question)
    form = {slot.name: list(values), **{f"{slot.name}.{part}": [text] for part, text in more.items()}}
    return read_answer(slot, form, SHOWN)


def wrong(question: dict[str, Any], **form: str) -> dict[str, str]:
    return said(read_answers([slot_of(question)], {name: [value] for name, value in form.items()}, SHOWN))


def said(answers: Answers) -> dict[str, str]:
    """Return the error messages as shown on the page."""
    return {name: ENGLISH.say(words) for name, words in answers.wrong.items()}


def test_side_is_stored_as_shown_response() -> None:
    left, right = read(PREFERENCE, "left"), read(PREFERENCE, "right")
    assert left
    assert right
    assert (left.outcome, left.chosen_response_id, left.side) == ("response", 8, "left")
    assert (right.outcome, right.chosen_response_id, right.side) == ("response", 5, "right")


def test_tie_has_no_response_and_no_side() -> None:
    tie = read(PREFERENCE, "tie")
    assert tie
    assert (tie.outcome, tie.chosen_response_id, tie.side) == ("tie", None, None)


@pytest.mark.parametrize(
    ("question", "value"),
    [
        (PREFERENCE, "neither"),
        ({**PREFERENCE, "tie": False}, "tie"),
        (PREFERENCE, "middle"),
        (EMPATHY, "6"),
        (EMPATHY, "4.5"),
        (EMPATHY, "five"),
        (EMPATHY, "nan"),
        (EMPATHY, "cannot_judge"),
        (WARMTH, "0.15"),
        (WARMTH, "1.1"),
        (DOES, "x"),
    ],
)
def test_disallowed_value_is_rejected(question: dict[str, Any], value: str) -> None:
    with pytest.raises(AnswerError, match=r"\.$"):
        read(question, value)


def test_two_codes_require_multiple() -> None:
    with pytest.raises(AnswerError):
        read(DOES, "a", "r")
    both = read({**DOES, "multiple": True}, "", "r", "a")
    assert both
    assert both.codes == ("a", "r")


def test_no_code_is_an_answer_only_when_optional() -> None:
    several = {**DOES, "multiple": True}
    none = read({**several, "required": False}, "")
    assert none
    assert none.codes == ()
    assert read(several, "") is None
    assert read_answer(slot_of({**several, "required": False}), {}, SHOWN) is None


def test_numbers_are_read_as_scale_points() -> None:
    rated, slid = read(EMPATHY, " 4.0 "), read(WARMTH, "0.3")
    assert rated
    assert slid
    assert (rated.number, slid.number) == (4, 0.3)


def test_cannot_judge_replaces_number() -> None:
    answer = read({**EMPATHY, "cannot_judge": True}, "cannot_judge")
    assert answer
    assert (answer.outcome, answer.number) == ("cannot_judge", None)


def test_empty_number_beside_radio_is_no_answer() -> None:
    answer = read({**WARMTH, "cannot_judge": True}, "", "cannot_judge")
    assert answer
    assert answer.outcome == "cannot_judge"


def test_strength_requires_a_side_and_is_required_with_it() -> None:
    strong = {**PREFERENCE, "strength": True}
    answer = read(strong, "left", strength="3")
    assert answer
    assert answer.strength == 3
    with pytest.raises(AnswerError, match="strong"):
        read(strong, "left", strength="9")
    assert wrong(strong, q0="left") == {"q0": "Choose how strong your preference is."}
    assert wrong(strong, q0="tie") == {}
    assert read(PREFERENCE, "left", strength="3") == read(PREFERENCE, "left")


def test_required_answer_is_demanded_and_optional_is_not() -> None:
    assert wrong(EMPATHY) == {"q0r0": "Choose an answer."}
    assert wrong({**EMPATHY, "required": False}) == {}


def test_text_drops_nul_and_keeps_lines() -> None:
    answer = read(WHY, " warm\x00\r\n  and kind ")
    assert answer
    assert answer.text == "warm\n  and kind"


def test_text_minimum_length_is_enforced() -> None:
    assert wrong(WHY) == wrong(WHY, q0="") == {}
    assert wrong({**WHY, "required": True}) == {"q0": "Write an answer."}
    assert wrong({**WHY, "min_length": 20}, q0="short") == {"q0": "Write at least 20 characters."}
    assert wrong({**WHY, "min_length": 20}, q0="") == {}
    assert wrong(WHY, q0="x" * 20_001) == {"q0": "This text is too long: at most 20,000 characters."}


def test_comment_is_stored_with_its_answer() -> None:
    asked = read({**EMPATHY, "comment": True}, "4", comment=" because ")
    unasked = read(EMPATHY, "4", comment="because")
    assert asked
    assert unasked
    assert (asked.comment, unasked.comment) == ("because", None)


TEXT = "It was\r\nhard. It was long."


def marked(form: dict[str, list[str]], *passages: str, required: bool = False) -> Answers:
    shown = Shown(SHOWN, len(passages) - 1, item_texts=passages)
    slots = slots_of_trial(Protocol.model_validate(protocol_of(questions=[{**SPANS, "required": required}])), shown)
    return read_answers(slots, form, SHOWN)


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ({"q0": ["it   was hard.\nIt was"]}, "0-13|14-20"),
        ({"q0": ["It was\n\nlong."]}, "0-6|21-26"),
        ({"q0": [""]}, ""),
        ({"q0.spans": ["7-12|0-2"], "q0": ["what stood there before"]}, "0-2|8-13"),
        ({"q0.spans": [""]}, ""),
    ],
)
def test_spans_are_stored_as_offsets_into_original_text(form: dict[str, list[str]], expected: str) -> None:
    (answer,) = marked(form, TEXT).given
    assert answer.text == expected


def test_dialogue_spans_name_their_turn() -> None:
    assert marked({"q0": ["Oh no"]}, "Hello.", "Oh no.").given[0].text == "2:0-5"
    assert marked({"q0.spans": ["2:0-5|1:0-3"]}, "Hello.", "Oh no.").given[0].text == "1:0-3|2:0-5"


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"q0": ["It was easy"]}, "These words are not in the text: It was easy"),
        ({"q0.spans": ["0-99"]}, "Mark words in the text."),
        ({"q0.spans": ["<b>"]}, "Mark words in the text."),
    ],
)
def test_passage_missing_from_text_is_rejected(form: dict[str, list[str]], words: str) -> None:
    assert said(marked(form, TEXT)) == {"q0": words}


def test_required_highlight_needs_a_passage() -> None:
    assert said(marked({}, TEXT)) == {}
    assert said(marked({}, TEXT, required=True)) == {"q0": "Mark at least one passage."}
    assert said(marked({"q0": [""]}, TEXT, required=True)) == {"q0": "Mark at least one passage."}
    assert said(marked({"q0": ["hard"]}, TEXT, required=True)) == {}


def test_form_returns_valid_answers_and_names_invalid_ones() -> None:
    study = Protocol.model_validate(protocol_of())
    answers = read_answers(slots_of_trial(study, Shown(SHOWN)), {"q0": ["left"], "q1r0": ["4"], "q1r1": ["7"]}, SHOWN)
    assert [answer.slot.name for answer in answers.given] == ["q1r0", "q0"]
    assert said(answers) == {"q1r1": "Choose one of the points of the scale."}


def test_answers_are_listed_once_per_asked_target() -> None:
    study = Protocol.model_validate(protocol_of(questions=[PREFERENCE, EMPATHY]))
    slots = slots_of_trial(study, Shown(SHOWN))
    answers = read_answers(slots, {"q0": ["right"], "q1r1": ["4"]}, SHOWN)
    asked = asked_answers(slots, answers.given, {8: "i:person", 5: "i:model"})
    assert asked == {"preference": ["i:model"], "empathy": ["", "4"]}


def test_pair_without_choice_has_no_answer() -> None:
    assert read(PREFERENCE | {"required": False}) is None
    assert read_answer(slot_of(PREFERENCE), {}, SHOWN) is None


def test_page_says_when_it_left_the_browser() -> None:
    assert read_page_ms({"at": ["1700000000000"]}) == 1_700_000_000_000


@pytest.mark.parametrize("form", [{}, {"at": []}, {"at": ["soon"]}, {"at": ["-5"]}, {"at": ["9" * 30]}])
def test_page_that_does_not_say_a_time_left_now(form: dict[str, list[str]]) -> None:
    before = time.time_ns() // 1_000_000
    assert before <= read_page_ms(form) <= time.time_ns() // 1_000_000
