"""Endings: which code, message and address a rater gets."""

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
    """The content of an ending page: the study's message and code, and the address to continue to."""

    code: str
    text: str
    address: str | None
    is_prolific: bool
    submission: Submission | None = None


def ending_of(protocol: Protocol, outcome: Outcome | Literal["completed"], *, is_prolific: bool) -> PageEnding:
    """What a rater with this outcome gets at the end."""
    ending = protocol.completion if outcome == "completed" else protocol.completion.of(outcome)
    return PageEnding(ending.code, ending.text, completion_address(ending, is_prolific=is_prolific), is_prolific)


def completion_address(ending: Ending, *, is_prolific: bool) -> str | None:
    """The address for completion: the study's own address, otherwise Prolific's with the code.

    >>> completion_address(Ending(code="C1"), is_prolific=True)
    'https://app.prolific.com/submissions/complete?cc=C1'
    """
    if ending.url:
        return ending.url if urlsplit(ending.url).scheme in {"https", "http"} else None
    return f"{PROLIFIC}?{urlencode({'cc': ending.code})}" if is_prolific and ending.code else None
