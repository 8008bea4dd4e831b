"""Approvals on Prolific: what would be sent, and sending it."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import Response

from app.accounts.account_page import SIGN_IN_AGAIN, asked_of, is_password
from app.base.rendering.pages import page
from app.rating.prolific.approvals import NOT_ASKED, Submission, approve, submissions_of, with_statuses
from app.rating.prolific.client import ProlificError
from app.rating.review.exclusions import list_identities, list_platform_parameters
from app.rating.review.raters_page import reviewed_raters
from app.studies.audit import record_act
from app.studies.own_study import LeadAndStudy, OwnForLong

router = APIRouter()
MAX_ROWS = 2000
WRONG = "This is not your password. Nothing was approved."
Step = Annotated[str, Form()]
Chosen = Annotated[tuple[str, ...], Form(max_length=MAX_ROWS)]


@router.get("/studies/{slug}/raters/prolific")
def show_prolific(request: Request, own: OwnForLong) -> Response:
    return _page(request, own, _submissions(request, own))


@router.post("/studies/{slug}/raters/prolific")
def submit_approvals(
    request: Request,
    own: OwnForLong,
    submission: Chosen = (),
    step: Step = "check",
    password: Annotated[str, Form(max_length=5000)] = "",
) -> Response:
    """Ask Prolific which submissions wait; if `step` is *approve*, approve the chosen ones. Outside any transaction."""
    found, prolific = _submissions(request, own), request.app.state.prolific
    if prolific is None:
        return _page(request, own, found)
    refusal = _refusal(request, own, password) if step == "approve" else ""
    try:
        checked = with_statuses(prolific, found)
    except ProlificError as error:
        return _page(request, own, found, problem=str(error))
    if step != "approve" or refusal:
        chosen = frozenset(submission) if refusal else None
        return _page(request, own, checked, is_checked=True, refusal=refusal, chosen=chosen)
    results = approve(prolific, checked, frozenset(submission))
    with request.app.state.begin() as db:
        for one in results:
            if one.result and one.result != NOT_ASKED:
                record_act(db, own.lead, own.study, "Prolific approval", rater=one.rater, result=one.result)
    return _page(request, own, results, is_checked=True, is_sent=True)


def _refusal(request: Request, own: LeadAndStudy, password: str) -> str:
    """Why this session may not approve, which pays people; empty if it may."""
    with request.app.state.begin() as db:
        asked = asked_of(request, db, own.lead)
        if asked == "sign-in":
            return SIGN_IN_AGAIN
        is_right = asked == "nothing" or is_password(request, db, own.lead, password, step="approval on Prolific")
        return "" if is_right else WRONG


def _submissions(request: Request, own: LeadAndStudy) -> list[Submission]:
    with request.app.state.begin() as db:
        study = own.study
        ids = {key: one for key, platform, one in list_identities(db, study.id) if platform == "prolific"}
        sessions = list_platform_parameters(db, study.id, "prolific", "SESSION_ID")
        studies = list_platform_parameters(db, study.id, "prolific", "STUDY_ID")
        return submissions_of(reviewed_raters(db, study), ids, sessions, studies)


def _page(
    request: Request,
    own: LeadAndStudy,
    found: list[Submission],
    *,
    problem: str = "",
    is_checked: bool = False,
    is_sent: bool = False,
    refusal: str = "",
    chosen: frozenset[str] | None = None,
) -> Response:
    with request.app.state.begin() as db:
        asked = asked_of(request, db, own.lead)
    return page(
        request,
        "rating/prolific/prolific.html",
        status=502 if problem else 422 if refusal else 200,
        lead=own.lead,
        study=own.study,
        submissions=found[:MAX_ROWS],
        n_all=len(found),
        n_waiting=sum(one.can_be_approved for one in found),
        n_approved=sum(one.result == "approved" for one in found),
        has_token=request.app.state.prolific is not None,
        problem=problem or refusal or (SIGN_IN_AGAIN if is_checked and asked == "sign-in" else ""),
        asks_password=asked == "password",
        is_allowed=asked != "sign-in",
        chosen=chosen,
        is_checked=is_checked,
        is_sent=is_sent,
    )
