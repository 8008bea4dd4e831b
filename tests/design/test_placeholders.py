"""Placeholders in templates, to be filled in by the lead."""

from __future__ import annotations

from app.design.placeholders import placeholders
from tests.design.studies import protocol


def test_each_placeholder_is_named_once_and_links_are_none() -> None:
    consent = {"version": "1", "text": "Ask [name]. [Ours](https://example.org) [1]"}
    study = protocol(flow={"consent": consent, "debrief": {"text": "By [name]."}, "help": "Call [number]."})
    assert placeholders(study) == ("[name]", "[number]")
    assert placeholders(protocol()) == ()
