"""Placeholders in templates, to be filled in by the lead."""

from app.protocol.opening import placeholders
from tests.kit.protocols import protocol


def test_placeholders_are_listed_once_without_links() -> None:
    consent = {"version": "1", "text": "Ask [name]. [Ours](https://example.org) [1]"}
    study = protocol(flow={"consent": consent, "debrief": {"text": "By [name]."}, "help": "Call [number]."})
    assert placeholders(study) == {"[name]": "flow.consent.text", "[number]": "flow.help"}
    assert placeholders(protocol(completion={"text": "Ask [name]."})) == {"[name]": "completion.text"}
    check = {"key": "c", "text": "[Who] wrote?", "codes": {"a": "A", "b": "B"}, "correct": "a"}
    assert placeholders(protocol(checks={"comprehension": [check]})) == {"[Who]": "checks.comprehension.1.text"}
    assert placeholders(protocol()) == {}
