"""Questions that are asked after the last trial."""

from app.protocol.pages.page_slots import Shown
from app.protocol.pages.steps import asked_at
from tests.kit.protocols import protocol

WARM = {"key": "warm", "target": "response", "type": "slider", "text": "How warm?"}
WHO = {"key": "who", "target": "response", "type": "category", "text": "Who wrote it?", "codes": ["a", "b"]}


def test_deferred_question_is_asked_only_at_revisit() -> None:
    study = protocol(questions=[WARM, WHO], flow={"revisit": ["who"]})
    shown = Shown((7, 8))
    asked = {
        is_revisit: [(slot.question.key, slot.response_id) for slot in asked_at(study, shown, is_revisit=is_revisit)]
        for is_revisit in (False, True)
    }
    assert asked == {False: [("warm", 7), ("warm", 8)], True: [("who", 7), ("who", 8)]}
