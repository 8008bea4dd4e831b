"""The document for an ethics board says what the protocol says, and marks what it does not say."""

from datetime import date
from typing import Any

from app.analysis.document.ethics import Retention, ethics_document
from app.base.documents.markdown import markdown_document
from app.protocol.study import Protocol
from tests.kit.builder import EMPATHY, protocol_of

AGE = {"key": "age", "target": "rater", "type": "slider", "text": "How old are you?", "min": 18, "max": 99}


def written(retention: Retention, **parts: Any) -> str:  # noqa: ANN401 - parts of a protocol
    protocol = Protocol.model_validate(protocol_of(**parts))
    return markdown_document(ethics_document(protocol, retention, n_items=12))


def test_the_document_names_data_retention_and_rights() -> None:
    told = {"controller": "Example University", "contact": "privacy@example.org", "storage": "A server in Zurich."}
    flow = {"consent": {"version": "1", "text": "We ask."}, "exposure_cap": 3}
    text = written(Retention(date(2031, 12, 31), 35), privacy=told, flow=flow, questions=[EMPATHY, AGE])
    for words in (
        "Responsible: Example University",
        "The study has 12 items",
        "Answer about the participant: How old are you?",
        "Agreement to the consent form",
        "more than 3 items with a content note",
        "until 31 December 2031",
        "at most 35 days",
        "nothing about them is stored",
    ):
        assert words in text
    assert "to be completed" not in text


def test_what_the_protocol_does_not_say_is_to_be_completed() -> None:
    text = written(Retention(None, None))
    assert text.count("to be completed") == 5
    assert "consent form, its version" not in text


def test_help_lines_are_among_the_support() -> None:
    lines = [{"country": code, "name": "Help", "number": "142"} for code in ("GB", "AT", "GB")]
    safe = {"alert_words": ["suicid*"], "alert": "Talk to someone."}
    writing: dict[str, Any] = {
        "sources": {"diary": {"kind": "human"}},
        "questions": [EMPATHY],
        "design": {"trials": "conversation"},
    }
    diary = {"partners": {"diary": {"replies": "none"}}}
    assert "certain words" not in written(Retention(None, None), **writing, conversation=diary)
    text = written(Retention(None, None), **writing, conversation=diary | safe)
    assert "Participants who write certain words read at once whom they can turn to." in text
    assert "help lines" not in text
    text = written(Retention(None, None), **writing, conversation=diary | safe | {"help_lines": lines})
    assert "help lines of Austria and United Kingdom, and choose the country themselves" in text
