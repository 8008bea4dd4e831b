"""Studies that count how raters type say so in the consent form, in words that can be checked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.design.protocol.study import Protocol

# What the consent form must mention in each language: typing, and pasting. In others, any consent form will do.
_MENTIONED = {
    "en": (r"\b(typ(e|es|ed|ing)|keystrokes?|keys)\b", r"\bpast(e|es|ed|ing)\b"),
    "de": (r"\b(tipp|getippt|tast)", r"(einfüg|eingefüg)"),
    "ar": (r"(كتاب|تكتب|مفاتيح)", r"(لصق|تلصق|ألصق)"),
}
MISSING = (
    "The question {question} counts keystrokes and pasted characters (typing_rhythm), but the consent form does not "
    "say so. Mention typing and pasting in flow.consent.text, or remove typing_rhythm."
)


def typing_not_mentioned(protocol: Protocol) -> str | None:
    """Why the study cannot be opened: it counts how raters type without saying so. None if there is no reason."""
    question = next((one for one in protocol.questions if one.records_typing), None)
    if question is None:
        return None
    text = protocol.flow.consent.text if protocol.flow.consent else ""
    words = _MENTIONED.get(protocol.language.partition("-")[0], ())
    if text and all(re.search(word, text, re.IGNORECASE) for word in words):
        return None
    return MISSING.format(question=question.key)
