"""Endings: which code, message and address a rater gets."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal
from urllib.parse import quote, urlencode, urlsplit

from app.protocol.completion import Ending, Outcome
from app.protocol.study import Protocol
from app.protocol.waves import SECOND
from app.rating.arrival.mturk import Submission, submission_of

# What SONA writes for a participant's survey code in the address that grants credit.
_SURVEY_CODE = "survey_code=XXXX"
PROLIFIC = "https://app.prolific.com/submissions/complete"


@dataclass(frozen=True, slots=True)
class PageEnding:
    """The content of an ending page: the study's message and code, and the address to continue to.

    `returns_to`: the platform that the address leads to, if it is known. `is_elsewhere`: there is a code or an address,
    but not for this browser, which only has an ID.
    """

    code: str
    text: str
    address: str | None
    returns_to: str = ""
    submission: Submission | None = None
    is_elsewhere: bool = False


def ending_of(
    protocol: Protocol,
    outcome: Outcome | Literal["completed"],
    *,
    is_prolific: bool,
    is_moved: bool = False,
    wave: int = 1,
) -> PageEnding:
    """What a rater with this outcome gets; no code in a browser that only has an ID, which others may know.

    `wave`: the wave that they completed.
    """
    ending: Ending = protocol.completion if outcome == "completed" else protocol.completion.of(outcome)
    if wave >= SECOND:
        ending = protocol.waves[wave - SECOND].completion
    address = completion_address(ending, is_prolific=is_prolific)
    if is_moved:
        return PageEnding("", ending.text, None, is_elsewhere=bool(ending.code or address))
    return PageEnding(ending.code, ending.text, address, "Prolific" if is_prolific else "")


def completion_address(ending: Ending, *, is_prolific: bool) -> str | None:
    """The address for completion: the study's own address, otherwise Prolific's with the code.

    >>> completion_address(Ending(code="C1"), is_prolific=True)
    'https://app.prolific.com/submissions/complete?cc=C1'
    """
    if ending.url:
        return ending.url if urlsplit(ending.url).scheme in {"https", "http"} else None
    return f"{PROLIFIC}?{urlencode({'cc': ending.code})}" if is_prolific and ending.code else None


def with_survey_code(ending: PageEnding, parameters: Mapping[str, str]) -> PageEnding:
    """The ending of a participant from SONA: the address grants credit for the survey code in it.

    >>> at_sona = PageEnding("", "", "https://uni.sona-systems.com/credit?id=7&survey_code=XXXX")
    >>> with_survey_code(at_sona, {"survey_code": "4711"}).address
    'https://uni.sona-systems.com/credit?id=7&survey_code=4711'
    """
    code = quote(parameters.get("survey_code", ""), safe="")
    if not ending.address or not code or _SURVEY_CODE not in ending.address:
        return ending
    return replace(ending, address=ending.address.replace(_SURVEY_CODE, f"survey_code={code}"), returns_to="SONA")


def with_link(
    ending: PageEnding,
    outcome: Outcome | Literal["completed"],
    platform: str | None,
    parameters: Mapping[str, str],
) -> PageEnding:
    """The ending of a rater who came by a link with these parameters.

    Without a code, MTurk workers who did not complete the study return the assignment instead of submitting it.
    """
    is_paid = outcome == "completed" or bool(ending.code)
    submission = submission_of(platform, parameters) if is_paid else None
    return replace(with_survey_code(ending, parameters), submission=submission)
