"""Files for recruitment platforms: approvals on Mechanical Turk, credits on SONA, raters due in a wave."""

from fastapi import APIRouter
from starlette.responses import Response

from app.accounts.session import SignedIn
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError
from app.base.web.file_responses import csv_file
from app.protocol.waves import SECOND
from app.rating.rater_path import today
from app.rating.recruitment.wave_returns import list_returns
from app.rating.review.exclusions import list_identities, list_platform_parameters
from app.rating.review.rater_review import ReviewedRater
from app.rating.review.raters_page import reviewed_raters
from app.studies.audit import record_act
from app.studies.own_study import Own
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

router = APIRouter()


@router.post("/studies/{slug}/raters/mturk.csv")
def export_mturk(db: Db, lead: SignedIn, study: Own) -> Response:
    """The columns that the requester's page reads when reviewed results are uploaded."""
    assignments = list_platform_parameters(db, study.id, "mturk", "assignmentId")
    rows = []
    for worker, one in _raters(db, study, "mturk"):
        decision, reason = one.suggestion
        approve, reject = ("x", "") if decision == "approve" else ("", reason if decision == "reject" else "")
        rows.append((worker, assignments.get(worker, ""), approve, reject, f"{decision}: {reason}"))
    record_act(db, lead, study, "MTurk decisions downloaded", n_raters=len(rows))
    header = ("WorkerId", "AssignmentId", "Approve", "Reject", "Suggestion")
    return csv_file(f"{study.slug}-mturk.csv", header, rows)


@router.post("/studies/{slug}/raters/sona.csv")
def export_sona(db: Db, lead: SignedIn, study: Own) -> Response:
    """Who gets credit, by the survey code that SONA put into the link. A rater who stopped gets none by itself."""
    words = {
        "approve": "grant credit",
        "reject": "your decision",
        "return": "no credit",
        "decide": "your decision",
        "wait": "wait",
    }
    rows = [(code, words[one.suggestion[0]], one.suggestion[1]) for code, one in _raters(db, study, "sona")]
    record_act(db, lead, study, "SONA credits downloaded", n_raters=len(rows))
    return csv_file(f"{study.slug}-sona.csv", ("survey_code", "suggestion", "reason"), rows)


@router.post("/studies/{slug}/raters/waves/{number}.csv")
def export_due(db: Db, lead: SignedIn, study: Own, number: int) -> Response:
    """The raters who can answer a later wave today and have not finished it, for reminders on their platform."""
    protocol = get_protocol(db, study.id, study.protocol_version)
    if not SECOND <= number < SECOND + len(protocol.waves):
        raise NotFoundError
    found = list_returns(db, study.id, protocol, today())
    rows = [
        (one.platform_id, one.rater, one.opens.isoformat(), one.closes.isoformat() if one.closes else "", one.state)
        for one in found
        if one.wave == number and one.state in {"due", "begun"} and not one.is_simulated
    ]
    record_act(db, lead, study, "raters due downloaded", n_raters=len(rows), wave=number)
    header = ("participant_id", "rater", "first_day", "last_day", "state")
    return csv_file(f"{study.slug}-wave-{number}-due.csv", header, rows)


def _raters(db: Db, study: StudyRow, platform: str) -> list[tuple[str, ReviewedRater]]:
    """The raters of one platform, with their IDs there."""
    ids = {key: platform_id for key, of, platform_id in list_identities(db, study.id) if of == platform}
    return [(ids[one.row.key], one) for one in reviewed_raters(db, study) if one.row.key in ids]
