"""A study that counts how raters type says so in the consent form."""

from __future__ import annotations

import pytest

from app.design.opening.typing_consent import typing_not_mentioned
from tests.design.studies import WARM, protocol

WHY = {"key": "why", "type": "text", "target": "item", "text": "Why?", "typing_rhythm": True}


def consent(text: str) -> dict[str, object]:
    return {"flow": {"consent": {"version": "1", "text": text}}}


@pytest.mark.parametrize(
    ("parts", "is_mentioned"),
    [
        ({"questions": [WARM]}, True),
        ({"questions": [WARM, WHY]}, False),
        ({"questions": [WARM, WHY], **consent("We store your answers.")}, False),
        ({"questions": [WARM, WHY], **consent("We count the keys that you press.")}, False),
        ({"questions": [WARM, WHY], **consent("We count how you type and what is pasted.")}, True),
        ({"questions": [WARM, WHY], **consent("Wir zählen, wie Sie tippen und einfügen."), "language": "de"}, True),
        ({"questions": [WARM, WHY], **consent("نعدّ المفاتيح التي تضغطها وما تلصقه."), "language": "ar"}, True),
    ],
    ids=["not counted", "no consent", "not mentioned", "without pasting", "English", "German", "Arabic"],
)
def test_consent_form_must_mention_typing_and_pasting(parts: dict[str, object], is_mentioned: bool) -> None:  # noqa: FBT001
    assert (typing_not_mentioned(protocol(**parts)) is None) == is_mentioned
