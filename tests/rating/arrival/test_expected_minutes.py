"""The time that the page before the first item names."""

from typing import Any

import pytest
from sqlalchemy import Connection

from app.protocol.study import Protocol
from app.rating.arrival.expected_minutes import expected_minutes
from app.rating.life_cycle import open_study
from tests.kit.builder import EMPATHY, PREFERENCE, build_study, protocol_of
from tests.kit.dyads import CONSENT, PERSON

WORDS = "word " * 119


@pytest.mark.parametrize(
    ("n_trials", "minutes"),
    # Of each trial: 119 + 2 * 59.5 words in a minute, and three answers in 22.5 s.
    [(0, 1), (1, 2), (2, 3), (7, 10), (9, 10), (30, 40)],
)
def test_time_to_read_and_answer_is_rounded(db: Connection, n_trials: int, minutes: int) -> None:
    protocol = protocol_of(questions=[PREFERENCE, EMPATHY])
    texts = [{"key": "a", "text": WORDS, "responses": {"person": "word " * 59, "model": "word " * 60}}]
    study_id = build_study(db, protocol, texts=texts)
    open_study(db, protocol["slug"])
    assert expected_minutes(db, study_id, Protocol.model_validate(protocol), n_trials) == minutes


def test_wait_for_another_rater_is_counted_as_long_as_it_lasts_at_most(db: Connection) -> None:
    """Per conversation: 119 words in half a minute, 2 messages in 2.5 minutes, an answer in 7.5 s, and the wait."""
    talk: dict[str, Any] = {"partners": {"peer": {**PERSON, "wait_minutes": 4}}, "min_messages": 2}
    protocol = protocol_of(
        sources={"peer": {"kind": "human"}},
        questions=[EMPATHY],
        design={"trials": "conversation", "raters_per_trial": 2, "trials_per_rater": 1},
        flow={"consent": CONSENT},
        conversation=talk,
    )
    study_id = build_study(db, protocol, texts=[{"key": "a", "text": WORDS, "responses": {}}])
    assert expected_minutes(db, study_id, Protocol.model_validate(protocol), 1) == 8
    talk["partners"] = {"peer": {**PERSON, "wait_minutes": 5}}
    assert expected_minutes(db, study_id, Protocol.model_validate(protocol), 1) == 9


@pytest.mark.parametrize(("turns", "minutes"), [("own", 9), ("all", 10)])
def test_questions_about_a_conversation_and_its_turns_are_counted(db: Connection, turns: str, minutes: int) -> None:
    """Of 5 messages each in 6.25 minutes: one question about the whole, one about each turn in 7.5 s. They were not."""
    felt = {**EMPATHY, "key": "felt", "target": "turn", "turns": turns}
    protocol = protocol_of(
        sources={"peer": {"kind": "human"}},
        questions=[EMPATHY, felt],
        design={"trials": "conversation", "raters_per_trial": 2, "trials_per_rater": 1},
        flow={"consent": CONSENT},
        conversation={"partners": {"peer": {**PERSON, "wait_minutes": 1.5}}, "min_messages": 5},
    )
    study_id = build_study(db, protocol, texts=[{"key": "a", "text": "word", "responses": {}}])
    assert expected_minutes(db, study_id, Protocol.model_validate(protocol), 1) == minutes


def test_draft_takes_as_long_as_the_study_that_it_becomes(db: Connection) -> None:
    """The preview of the page said "about 1 minute" for every draft."""
    protocol = protocol_of(questions=[PREFERENCE, EMPATHY])
    texts = [{"key": "a", "text": WORDS, "responses": {"person": "word " * 59, "model": "word " * 60}}]
    study_id = build_study(db, protocol, texts=texts)
    assert expected_minutes(db, study_id, Protocol.model_validate(protocol), 9) == 10
    without_texts = build_study(db, {**protocol, "slug": "empty"}, texts=[])
    assert expected_minutes(db, without_texts, Protocol.model_validate(protocol), 16) >= 1
