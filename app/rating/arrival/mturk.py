"""Mechanical Turk: the frame in which a worker sees the study, and the form that submits the assignment.

Amazon shows an external question in a cross-site frame, where browsers block our cookie. The frame therefore only shows
what the study is about, and a link that opens it in a new tab. From there, a form submits the assignment as described
under "ExternalQuestion" in the Mechanical Turk documentation: `assignmentId` and at least one more field, by POST to
`turkSubmitTo` with `/mturk/externalSubmit`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from fastapi import Request
from starlette.responses import Response

from app.base.web.middleware.security import POLICY

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
HOSTS = ("www.mturk.com", "worker.mturk.com", "workersandbox.mturk.com")
_SITES = " ".join(f"https://{host}" for host in HOSTS)
# Allows the form of a page to be submitted to Amazon.
SUBMITTED = {"Content-Security-Policy": POLICY.replace("form-action 'self'", f"form-action 'self' {_SITES}")}


@dataclass(frozen=True, slots=True)
class Submission:
    """The form that submits an assignment."""

    address: str
    assignment_id: str


def submission_of(platform: str | None, parameters: Mapping[str, str]) -> Submission | None:
    """The submission for this worker; None for other raters, and if the link names a site that is not Amazon's.

    >>> link = {"assignmentId": "A1", "turkSubmitTo": "https://workersandbox.mturk.com/"}
    >>> submission_of("mturk", link).address
    'https://workersandbox.mturk.com/mturk/externalSubmit'
    >>> submission_of("mturk", link | {"turkSubmitTo": "https://www.mturk.com.example.org"})
    >>> submission_of("mturk", link | {"turkSubmitTo": "https://["})
    """
    try:
        site = urlsplit(parameters.get("turkSubmitTo", ""))
    except ValueError:
        return None
    assignment_id = parameters.get("assignmentId", "")
    if platform != "mturk" or site.scheme != "https" or site.netloc not in HOSTS or assignment_id in {"", PREVIEW}:
        return None
    return Submission(f"https://{site.netloc}/mturk/externalSubmit", assignment_id)


def is_framed(request: Request) -> bool:
    """Whether the browser reports that it shows this page in a frame."""
    return request.headers.get("sec-fetch-dest") == "iframe"


def allow_frame(response: Response) -> Response:
    """Allow only Amazon's pages to show this page in a frame."""
    ours = POLICY.replace("frame-ancestors 'none'", f"frame-ancestors {_SITES}")
    response.headers["Content-Security-Policy"] = ours
    return response


def allow_submission(response: Response) -> Response:
    """Allow the form of this page to be submitted to Amazon."""
    response.headers.update(SUBMITTED)
    return response
