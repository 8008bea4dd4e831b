"""Slots: all places on a page that ask for an answer."""

from typing import Any

import pytest

from app.base.language.language import ENGLISH
from app.base.language.message import message
from app.protocol.pages.page_slots import Shown, slots_of_rater, slots_of_trial
from app.protocol.questions.slot import Slot
from app.protocol.study import Protocol
from tests.kit.builder import EMPATHY, PREFERENCE, protocol_of

MOOD = {"key": "mood", "target": "turn", "type": "rating", "text": "Mood?", "scale": {0: "low", 1: "high"}}
TOPIC = {"key": "topic", "target": "item", "type": "category", "text": "Topic?", "codes": ["work", "love"]}
AGE = {"key": "age", "target": "rater", "type": "slider", "text": "Age?", "min": 18, "max": 99}
SPANS = {"key": "spans", "target": "response", "type": "highlight", "text": "Mark"}


def protocol(*questions: object) -> Protocol:
    return Protocol.model_validate(protocol_of(questions=list(questions)))


def names(study: Protocol, shown: Shown) -> list[str]:
    return [slot.name for slot in slots_of_trial(study, shown)]


def said(slot: Slot) -> str:
    """Return the page's description of what the question is about."""
    return ENGLISH.say(slot.about or "")


def test_rating_is_asked_per_response_and_choice_per_pair() -> None:
    slots = slots_of_trial(protocol(PREFERENCE, EMPATHY), Shown((8, 5)))
    assert [(slot.name, slot.response_id, said(slot)) for slot in slots] == [
        ("q1r0", 8, "Response A"),
        ("q1r1", 5, "Response B"),
        ("q0", None, ""),
    ]


def test_field_names_do_not_reveal_responses() -> None:
    study = protocol(PREFERENCE, EMPATHY, TOPIC)
    assert names(study, Shown((8, 5))) == names(study, Shown((5, 8))) == names(study, Shown((1000, 2)))


def test_choice_requires_two_responses() -> None:
    study = protocol(PREFERENCE, EMPATHY)
    assert names(study, Shown((8,))) == ["q1r0"]
    assert names(study, Shown((8, 5, 6))) == ["q1r0", "q1r1", "q1r2"]


def test_single_response_has_no_letter() -> None:
    assert slots_of_trial(protocol(EMPATHY), Shown((8,)))[0].about == message("Response")


def test_turn_questions_follow_dialogue_responses_or_item() -> None:
    study = protocol(MOOD)
    assert names(study, Shown((8, 5), 2, (0, 0))) == ["q0t1", "q0t2"]
    assert said(slots_of_trial(study, Shown((8, 5), 2, (0, 0)))[1]) == "Turn 2"
    assert names(study, Shown((8, 5), 2, (2, 1))) == ["q0r0t1", "q0r0t2", "q0r1t1"]
    assert said(slots_of_trial(study, Shown((8, 5), 0, (2, 1)))[1]) == "Response A, turn 2"


def test_question_about_one_writers_turns_is_asked_about_these_only() -> None:
    talk: dict[str, Any] = {
        "sources": {"peer": {"kind": "human"}},
        "design": {"trials": "conversation"},
        "conversation": {"partners": {"peer": {"model": "m"}}},
    }
    whose = [{**MOOD, "key": f"mood_{turns}", "turns": turns} for turns in ("own", "partner", "all")]
    study = Protocol.model_validate(protocol_of(**talk, questions=whose))
    asked = [slot.name for slot in slots_of_trial(study, Shown((8,), 0, (4,), own_turns=frozenset({1, 4})))]
    assert asked == ["q0r0t1", "q0r0t4", "q1r0t2", "q1r0t3", "q2r0t1", "q2r0t2", "q2r0t3", "q2r0t4"]
    assert [slot.name for slot in slots_of_trial(study, Shown((8,), 0, (1,)))] == ["q1r0t1", "q2r0t1"]


def test_right_to_left_pair_starts_with_right_response_as_a() -> None:
    slots = slots_of_trial(protocol(EMPATHY), Shown((8, 5), is_right_to_left=True))
    assert [(slot.name, slot.response_id, said(slot)) for slot in slots] == [
        ("q0r1", 5, "Response A"),
        ("q0r0", 8, "Response B"),
    ]
    turns = slots_of_trial(protocol(MOOD), Shown((8, 5), 0, (2, 1), is_right_to_left=True))
    assert [(slot.name, said(slot)) for slot in turns] == [
        ("q0r1t1", "Response A, turn 1"),
        ("q0r0t1", "Response B, turn 1"),
        ("q0r0t2", "Response B, turn 2"),
    ]


def test_rater_questions_have_their_own_page() -> None:
    study = protocol(EMPATHY, AGE)
    assert [slot.name for slot in slots_of_rater(study)] == ["q1"]
    assert names(study, Shown((8,))) == ["q0r0"]


def test_question_of_another_condition_is_not_asked() -> None:
    study = protocol(EMPATHY, {**TOPIC, "condition": "labelled"})
    assert names(study, Shown((8,))) == ["q0r0"]
    assert names(study, Shown((8,), condition="labelled")) == ["q0r0", "q1"]


def test_highlight_slot_carries_its_text() -> None:
    turns = ("Hello.", "Oh no.")
    shown = Shown((8, 9), 2, (0, 2), item_texts=("One.", "Two."), response_texts=(("A reply.",), turns))
    whole = slots_of_trial(protocol(SPANS), shown)
    assert [(slot.passages, slot.in_turns) for slot in whole] == [(("A reply.",), False), (turns, True)]
    (item,) = slots_of_trial(protocol({**SPANS, "target": "item"}), shown)
    assert (item.passages, item.in_turns) == (("One.", "Two."), True)
    by_turn = slots_of_trial(protocol({**SPANS, "target": "turn"}), shown)
    assert [(slot.passages, slot.in_turns) for slot in by_turn] == [(("Hello.",), False), (("Oh no.",), False)]


@pytest.mark.parametrize("target", ["pair", "rater"])
def test_highlight_target_must_have_text(target: str) -> None:
    with pytest.raises(ValueError, match="'response', 'item' or 'turn'"):
        protocol({**SPANS, "target": target})


def test_slot_is_a_blank_until_a_form_is_sent() -> None:
    (slot,) = slots_of_rater(protocol(PREFERENCE, AGE))
    blank = slot.blank((8, 5))
    assert (blank.name, blank.shown, blank.response_id) == (slot.name, (8, 5), None)
    sent = slot.sent({slot.name: ["42"]}, (8, 5))
    assert (sent.name, sent.shown, sent.response_id, sent.form) == (slot.name, (8, 5), None, {slot.name: ["42"]})
