"""Approve raters who finished on Prolific: show what would be sent, then send it, with a result for each submission.

Prolific is asked each time what is already approved, so an interrupted run continues where it stopped. Rejections are
not sent: they need a reason written for the participant, and a person who decides.
"""

import time
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from app.rating.prolific.client import Prolific, ProlificError
from app.rating.review.rater_review import ReviewedRater

AWAITING = "AWAITING REVIEW"
TIMED_OUT, RETURNED = "TIMED-OUT", "RETURNED"
RUNNING = frozenset({"RESERVED", "ACTIVE"})
_ENDED = "Nothing to do: Prolific has ended this submission, and its place is free for another participant."
_HERE_BUT_NOT_THERE = {
    TIMED_OUT: (
        "Finished here after Prolific's time limit, so Prolific does not pay by itself. If you keep the answers, pay "
        "the participant on Prolific."
    ),
    RETURNED: (
        "Finished here, but returned on Prolific, so it is not paid. If you keep the answers, ask the participant "
        "whether it was a mistake, and pay them on Prolific."
    ),
}
_NOT_SUBMITTED = "Finished here, but not submitted on Prolific yet: the completion code was not entered there."
_DECIDE = "Decide on Prolific: approve, ask for a return, or reject with a reason that the participant can read."
_NOT_FINISHED = "Submitted on Prolific, but not finished here. Ask the participant on Prolific to return it."
# A page is answered within this time; the rest is sent by pressing the button again.
MAX_SECONDS = 25.0
NOT_ASKED = "not sent yet"


@dataclass(frozen=True, slots=True)
class Submission:
    """A rater's submission on Prolific. `status` is Prolific's; `result` is the outcome of the approval.

    `flags` are reasons to look at the rater before paying them.
    """

    rater_id: int
    rater: str
    submission: str
    study: str
    suggestion: str
    reason: str
    status: str = ""
    result: str = ""
    flags: tuple[str, ...] = ()
    is_finished: bool = False

    @property
    def can_be_approved(self) -> bool:
        """Whether it waits on Prolific, and the rater has finished; only after a look if approval is not suggested."""
        return self.is_finished and self.suggestion in {"approve", "decide"} and self.status == AWAITING

    @property
    def advice(self) -> str:
        """What to do about a submission that cannot be approved here, by its status on Prolific; empty if it can."""
        if self.can_be_approved:
            return ""
        if self.status == AWAITING and self.suggestion in {"reject", "decide"}:
            return _DECIDE
        if self.is_finished:
            return _NOT_SUBMITTED if self.status in RUNNING else _HERE_BUT_NOT_THERE.get(self.status, "")
        if self.status in _HERE_BUT_NOT_THERE:
            return _ENDED
        return _NOT_FINISHED if self.status == AWAITING and self.suggestion in {"return", "wait"} else ""


def submissions_of(
    reviewed: Iterable[ReviewedRater], ids: dict[str, str], sessions: dict[str, str], studies: dict[str, str]
) -> list[Submission]:
    """The submissions of the raters who came with a submission ID.

    Args:
        reviewed: all raters.
        ids: participant ID by pseudonym.
        sessions: submission ID by participant ID.
        studies: ID of the study on Prolific, by participant ID.
    """
    found = []
    for one in reviewed:
        participant = ids.get(one.row.key, "")
        if submission := sessions.get(participant):
            suggestion, reason = one.suggestion
            study = studies.get(participant, "")
            is_finished = one.row.state == "finished"
            flags = tuple(flag.words for flag in one.flags)
            about = (one.row.id, one.row.key, submission, study)
            found.append(Submission(*about, suggestion, reason, flags=flags, is_finished=is_finished))
    return found


def with_statuses(prolific: Prolific, submissions: Sequence[Submission]) -> list[Submission]:
    """The submissions with the status that each has on Prolific.

    Raises:
        ProlificError: Prolific could not be asked.
    """
    statuses: dict[str, str] = {}
    for study in sorted({one.study for one in submissions if one.study}):
        statuses |= prolific.statuses(study)
    return [_with(one, status=statuses.get(one.submission, "not found")) for one in submissions]


def approve(prolific: Prolific, submissions: Sequence[Submission], chosen: Collection[str]) -> list[Submission]:
    """Approve the chosen submissions that still wait. One that fails stops the others only if all would fail."""
    results, stopped, end = [], "", time.monotonic() + MAX_SECONDS
    for one in submissions:
        if not (one.can_be_approved and one.submission in chosen):
            results.append(one)
            continue
        if not stopped and time.monotonic() > end:
            stopped = NOT_ASKED
        if stopped:
            results.append(_with(one, result=stopped))
            continue
        try:
            prolific.approve(one.submission)
        except ProlificError as error:
            results.append(_with(one, result=str(error)))
            stopped = NOT_ASKED if error.is_final else ""
        else:
            results.append(_with(one, status="APPROVED", result="approved"))
    return results


def _with(one: Submission, *, status: str = "", result: str = "") -> Submission:
    return replace(one, status=status or one.status, result=result)
