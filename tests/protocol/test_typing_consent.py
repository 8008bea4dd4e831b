"""A study that counts how raters type, or sends what they write to a model, declares that its consent form says so."""

import pytest

from app.protocol.opening import not_declared
from tests.kit.protocols import WARM, protocol

WHY = {"key": "why", "type": "text", "target": "item", "text": "Why?", "typing_rhythm": True}


def consent(text: str, **fields: bool) -> dict[str, object]:
    return {"flow": {"consent": {"version": "1", "text": text, **fields}}}


@pytest.mark.parametrize(
    ("parts", "is_declared"),
    [
        ({"questions": [WARM]}, True),
        ({"questions": [WARM, WHY]}, False),
        ({"questions": [WARM, WHY], **consent("We count how you type and what is pasted.")}, False),
        ({"questions": [WARM, WHY], **consent("We count how you type.", records_typing=False)}, False),
        ({"questions": [WARM, WHY], **consent("Cuntamu cumu scriviti.", records_typing=True), "language": "scn"}, True),
    ],
    ids=["not counted", "no consent form", "words alone", "denied", "any words in any language"],
)
def test_consent_form_must_declare_that_typing_is_counted(parts: dict[str, object], is_declared: bool) -> None:  # noqa: FBT001
    assert (not not_declared(protocol(**parts))) == is_declared
