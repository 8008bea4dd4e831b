"""Which data about raters a study stores, as its page on privacy says."""

import pytest

from app.protocol.stored_data import StoredData, stored_data
from tests.kit.protocols import AGE, WARM, protocol
from tests.protocol.test_conversation import WRITE

NOTHING = StoredData(
    answers_about_rater=False,
    own_words=False,
    typing_rhythm=False,
    keystrokes=False,
    marked_words=False,
    consent=False,
    checks=False,
)
WHY = {"key": "why", "type": "text", "target": "item", "text": "Why?"}
MARK = {"key": "mark", "type": "highlight", "target": "response", "text": "Mark"}
CONSENT = {"version": "1", "text": "I agree"}
ATTENTION = {"key": "attend", "text": "Choose Blue", "after": 1, "codes": {"b": "Blue", "r": "Red"}, "correct": "b"}


@pytest.mark.parametrize(
    ("parts", "stored"),
    [
        ({"questions": [WARM]}, NOTHING),
        ({"questions": [WARM, AGE]}, NOTHING._replace(answers_about_rater=True)),
        ({"questions": [WARM, WHY]}, NOTHING._replace(own_words=True)),
        ({"questions": [{**WHY, "typing_rhythm": True}]}, NOTHING._replace(own_words=True, typing_rhythm=True)),
        ({"questions": [WARM, MARK]}, NOTHING._replace(marked_words=True)),
        ({"questions": [WARM], "flow": {"consent": CONSENT}}, NOTHING._replace(consent=True)),
        (
            {
                **WRITE,
                "flow": {"consent": {**CONSENT, "records_keystrokes": True}},
                "draft": {**WRITE["draft"], "keystrokes": True},
            },
            NOTHING._replace(own_words=True, keystrokes=True, consent=True),
        ),
        ({"questions": [WARM], "checks": {"attention": [ATTENTION]}}, NOTHING._replace(checks=True)),
    ],
    ids=["ratings only", "about the rater", "own words", "typing", "marked words", "consent", "keystrokes", "checks"],
)
def test_stored_data_follow_from_the_protocol(parts: dict[str, object], stored: StoredData) -> None:
    assert stored_data(protocol(**parts)) == stored
