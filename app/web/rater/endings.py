"""Endings: which code, words and address a rater gets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlencode, urlsplit

from app.design.protocol.study import Protocol
from app.design.protocol.study_parts import Ending, Outcome
from app.web.rater.mturk import Submission

PROLIFIC = "https://app.prolific.com/submissions/complete"


@dataclass(frozen=True, slots=True)
class PageEnding:
    """What an ending page offers: words and code of the study, and where to go on."""

    code: str
    text: str
    address: str | None
    is_prolific: bool
    submission: Submission | None = None


def ending_of(protocol: Protocol, outcome: Outcome | Literal["completed"], *, is_prolific: bool) -> PageEnding:
    """What a rater gets at the end, or who ends otherwise than by finishing."""
    ending = protocol.completion if outcome == "completed" else protocol.completion.of(outcome)
    return PageEnding(ending.code, ending.text, completion_address(ending, is_prolific=is_prolific), is_prolific)


def completion_address(ending: Ending, *, is_prolific: bool) -> str | None:
    """Where a rater goes to be paid: the study's own address, else Prolific's with the code.

    >>> completion_address(Ending(code="C1"), is_prolific=True)
    'https://app.prolific.com/submissions/complete?cc=C1'
    """
    if ending.url:
        return ending.url if urlsplit(ending.url).scheme in {"https", "http"} else None
    return f"{PROLIFIC}?{urlencode({'cc': ending.code})}" if is_prolific and ending.code else None
