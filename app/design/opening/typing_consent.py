"""Studies that count how raters type declare that the consent form says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.design.protocol.study import Protocol

NOT_DECLARED = (
    "The question {question} counts keystrokes and pasted characters (typing_rhythm), but the consent form does not "
    "declare it. Tell raters in flow.consent.text and set flow.consent.records_typing, or remove typing_rhythm."
)


def typing_not_declared(protocol: Protocol) -> str | None:
    """Why the study cannot be opened: it counts how raters type without their consent. None if there is no reason."""
    question = next((one for one in protocol.questions if one.records_typing), None)
    consent = protocol.flow.consent
    if question is None or (consent is not None and consent.records_typing):
        return None
    return NOT_DECLARED.format(question=question.key)
