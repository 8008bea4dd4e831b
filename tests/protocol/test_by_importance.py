"""The order in which results list the questions of a study."""

from app.protocol.primary_default import by_importance
from app.protocol.study import Protocol
from tests.kit.builder import EMPATHY, PREFERENCE, protocol_of

MOOD = {**EMPATHY, "key": "mood", "target": "rater", "text": "How do you feel?"}
CALM = {**MOOD, "key": "calm", "text": "How calm are you?"}
WARMTH = {**EMPATHY, "key": "warmth", "text": "How warm is it?"}


def test_primary_questions_come_first_and_those_about_raters_last() -> None:
    analysis = {
        "primary": ["care", "warmth"],
        "composites": {"state": ["mood", "calm"], "care": ["empathy", "warmth"], "both": ["warmth", "empathy"]},
    }
    asked = [MOOD, CALM, PREFERENCE, EMPATHY, WARMTH]
    study = Protocol.model_validate(protocol_of(questions=asked, analysis=analysis))
    assert by_importance(study) == ["care", "warmth", "preference", "empathy", "both", "mood", "calm", "state"]


def test_without_declared_contrasts_the_default_one_is_first() -> None:
    study = Protocol.model_validate(protocol_of(questions=[MOOD, EMPATHY, WARMTH]))
    assert by_importance(study) == ["empathy", "warmth", "mood"]
