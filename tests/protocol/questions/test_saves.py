"""Several answers that a page saves at once, some valid and some not."""

from uuid import uuid4

from app.base.language.language import ENGLISH
from app.protocol.pages.page_slots import Shown, slots_of_trial
from app.protocol.questions.saves import read_page, read_save
from app.protocol.study import Protocol
from tests.kit.builder import PREFERENCE, protocol_of

SHOWN = (8, 5)
DOES = {"key": "d", "target": "item", "type": "category", "text": "Does?", "codes": {"a": "asks", "r": "reflects"}}
STUDY = Protocol.model_validate(protocol_of(questions=[PREFERENCE, DOES]))
FIRST, SECOND = slots_of_trial(STUDY, Shown(SHOWN))


def test_valid_answer_is_saved_beside_invalid_and_unknown_ones() -> None:
    form = {"slot": [FIRST.name, SECOND.name, "q9", FIRST.name], FIRST.name: ["left"], SECOND.name: ["z"]}
    save = read_save([FIRST, SECOND], form, SHOWN)
    assert [answer.chosen_response_id for answer in save.answers] == [8]
    assert save.taken == [FIRST.name]
    assert {name: ENGLISH.say(words) for name, words in save.refused.items()} == {
        SECOND.name: "Choose one of the answers.",
        "q9": "This page has no such question.",
    }


def test_answer_carries_key_and_invalid_key_is_rejected() -> None:
    key = str(uuid4())
    form = {"slot": [FIRST.name, SECOND.name], FIRST.name: ["left"], f"{FIRST.name}.key": [key]}
    save = read_save([FIRST, SECOND], form | {SECOND.name: ["a"], f"{SECOND.name}.key": ["none"]}, SHOWN)
    assert [answer.mark.key for answer in save.answers if answer.mark] == [key]
    assert ENGLISH.say(save.refused[SECOND.name]) == "The key is not a UUID."


def test_emptied_slot_is_saved_without_answer() -> None:
    save = read_save([SECOND], {"slot": [SECOND.name]}, SHOWN)
    assert (save.taken, save.answers) == ([SECOND.name], ())


def test_submitted_page_keeps_keys_and_times_of_answers() -> None:
    key = str(uuid4())
    page = read_page([FIRST], {FIRST.name: ["right"], f"{FIRST.name}.key": [key], f"{FIRST.name}.at": ["5"]}, SHOWN)
    (answer,) = page.given
    assert answer.mark
    assert (answer.mark.key, answer.mark.at_ms) == (key, 5)
