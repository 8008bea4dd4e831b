"""Keystrokes of drafts: what a page may send, what is counted, and that the consent form must name it."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from app.protocol.keystrokes import MAX_IN_BATCH, Batch, Change, read_batch, typing_of
from tests.protocol.test_conversation import WRITE, write

ONE = [40, "typed", 0, 0, 1]
CONSENT = {"version": "1", "text": "We record how you type."}


def test_batch_is_read_as_sent() -> None:
    sent = json.dumps({"id": "a", "changes": [ONE, [90, "pasted", 1, 2, 30]]})
    assert read_batch(sent) == Batch("a", (Change(40, "typed", 0, 0, 1), Change(90, "pasted", 1, 2, 30)))
    assert read_batch(json.dumps({"id": "a", "changes": [ONE] * MAX_IN_BATCH}))


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "typed",
        "[" * 100_000,
        "[]",
        "null",
        {"id": "a"},
        {"id": "a", "changes": []},
        {"id": "", "changes": [ONE]},
        {"id": "a" * 61, "changes": [ONE]},
        {"id": 1, "changes": [ONE]},
        {"id": "a", "changes": "typed"},
        {"id": "a", "changes": [ONE] * (MAX_IN_BATCH + 1)},
        {"id": "a", "changes": [ONE, "typed"]},
        {"id": "a", "changes": [ONE[:-1]]},
        {"id": "a", "changes": [[*ONE, "the letter"]]},
        {"id": "a", "changes": [[40, "a", 0, 0, 1]]},
        {"id": "a", "changes": [[-1, "typed", 0, 0, 1]]},
        {"id": "a", "changes": [[40, "typed", 0.5, 0, 1]]},
        {"id": "a", "changes": [[40, "typed", 0, True, 1]]},
        {"id": "a", "changes": [[40, "typed", 0, 0, 10**10]]},
    ],
    ids=lambda sent: str(sent)[:40],
)
def test_anything_else_is_no_batch(sent: Any) -> None:  # noqa: ANN401 - whatever is sent
    assert read_batch(sent if isinstance(sent, str) else json.dumps(sent)) is None


def test_pauses_pasted_share_and_revisions_are_counted() -> None:
    # "Oh ", a paste of ten characters, a suggestion, then five typed characters before the end, and two taken back.
    changes = [
        Change(1500, "typed", 0, 0, 3),
        Change(3500, "pasted", 3, 0, 10),
        Change(4000, "suggested", 13, 0, 40),
        Change(9500, "typed", 13, 0, 5),
        Change(9600, "typed", 16, 2, 0),
        Change(9700, "typed", 56, 0, 1),
        Change(9800, "other", 56, 1, 0),
    ]
    assert typing_of(changes) == {
        "first_key_seconds": 1.5,
        "n_pauses": 2,
        "pause_seconds": 7.5,
        "share_pasted": round(10 / 19, 4),
        "n_revisions": 2,
    }
    assert typing_of([]) == {}
    assert typing_of([Change(9, "suggested", 0, 0, 40)])["share_pasted"] == ""


@pytest.mark.parametrize(
    ("flow", "is_refused"),
    [
        ({}, True),
        ({"consent": CONSENT}, True),
        ({"consent": {**CONSENT, "records_typing": True}}, True),
        ({"consent": {**CONSENT, "records_keystrokes": True}}, False),
    ],
)
def test_keystrokes_are_recorded_only_if_the_consent_form_names_them(flow: dict[str, Any], *, is_refused: bool) -> None:
    parts = {"flow": flow, "draft": {**WRITE["draft"], "keystrokes": True}}
    if not is_refused:
        assert write(**parts).draft
        return
    with pytest.raises(ValidationError, match=r"draft\.keystrokes must not be set unless flow\.consent\.rec"):
        write(**parts)
