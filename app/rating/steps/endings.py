"""Endings: which code, message and address a rater gets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, urlencode, urlsplit

from app.protocol.study import Protocol
from app.protocol.study_parts import Ending, Outcome
from app.rating.arrival.mturk import Submission

# What SONA writes for a participant's survey code in the address that grants credit.
_SURVEY_CODE = "survey_code=XXXX"
PROLIFIC = "https://app.prolific.com/submissions/complete"


@dataclass(frozen=True, slots=True)
class PageEnding:
    """The content of an ending page: the study's message and code, and the address to continue to.

    `is_elsewhere`: there is a code or an address, but not for this browser, which only has an ID.
    """

    code: str
    text: str
    address: str | None
    is_prolific: bool
    submission: Submission | None = None
    is_elsewhere: bool = False


def ending_of(
    protocol: Protocol, outcome: Outcome | Literal["completed"], *, is_prolific: bool, is_moved: bool = False
) -> PageEnding:
    """What a rater with this outcome gets; no code in a browser that only has an ID, which others may know."""
    ending = protocol.completion if outcome == "completed" else protocol.completion.of(outcome)
    address = completion_address(ending, is_prolific=is_prolific)
    if is_moved:
        return PageEnding("", ending.text, None, is_prolific, is_elsewhere=bool(ending.code or address))
    return PageEnding(ending.code, ending.text, address, is_prolific)


def completion_address(ending: Ending, *, is_prolific: bool) -> str | None:
    """The address for completion: the study's own address, otherwise Prolific's with the code.

    >>> completion_address(Ending(code="C1"), is_prolific=True)
    'https://app.prolific.com/submissions/complete?cc=C1'
    """
    if ending.url:
        return ending.url if urlsplit(ending.url).scheme in {"https", "http"} else None
    return f"{PROLIFIC}?{urlencode({'cc': ending.code})}" if is_prolific and ending.code else None


def with_survey_code(address: str | None, parameters: Mapping[str, str]) -> str | None:
    """The address of an ending with the survey code of a participant from SONA, for whom it grants the credit.

    >>> with_survey_code("https://uni.sona-systems.com/credit?id=7&survey_code=XXXX", {"survey_code": "4711"})
    'https://uni.sona-systems.com/credit?id=7&survey_code=4711'
    """
    code = quote(parameters.get("survey_code", ""), safe="")
    return address.replace(_SURVEY_CODE, f"survey_code={code}") if address and code else address
