"""A lead's own account: the password, and signing out everywhere."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.actions import lead_access as access
from app.storage.leads import leads
from app.storage.leads.identities import has_identity
from app.storage.leads.leads import Lead
from app.web.deps import Db
from app.web.lead.accounts.confirmation import SIGN_IN_AGAIN, asked_of, is_password
from app.web.lead.accounts.security_log import log_event
from app.web.lead.accounts.sign_in_page import check_has_passwords, ways_in
from app.web.lead.session import SignedIn, session_token, signed_in_answer, signed_out_answer
from app.web.rendering.pages import page

router = APIRouter()
WRONG = "This is not your current password."
Password = Annotated[str, Form(max_length=5000)]


@router.get("/account")
def show_account(request: Request, db: Db, lead: SignedIn, *, changed: bool = False) -> Response:
    return _page(request, db, lead, changed=changed)


@router.post("/account")
def submit_password(
    request: Request,
    db: Db,
    lead: SignedIn,
    new: Password = "",
    current: Password = "",
) -> Response:
    check_has_passwords(request)
    is_asked = asked_of(request, db, lead) == "password"
    if is_asked and not is_password(request, db, lead, current, step="password change"):
        return _page(request, db, lead, problem=WRONG)
    try:
        access.set_password(db, lead, new, session=session_token(request))
    except access.AccessError as error:
        return _page(request, db, lead, problem=str(error))
    log_event(request, "password changed", lead)
    # All sessions have ended; the browser that changed the password gets a new one.
    return signed_in_answer(request, access.begin_session(db, lead), "/account?changed=true")


@router.post("/account/sign-out")
def submit_sign_out_everywhere(request: Request, db: Db, lead: SignedIn, current: Password = "") -> Response:
    if problem := _unconfirmed(request, db, lead, current):
        return _page(request, db, lead, session_problem=problem)
    access.sign_out_everywhere(db, lead)
    log_event(request, "signed out everywhere", lead)
    return signed_out_answer(request)


@router.post("/account/sessions")
def submit_session_end(
    request: Request,
    db: Db,
    lead: SignedIn,
    session: Annotated[str, Form(pattern=r"^[0-9a-f]{64}$")],
    current: Password = "",
) -> Response:
    if problem := _unconfirmed(request, db, lead, current):
        return _page(request, db, lead, session_problem=problem)
    leads.revoke_listed_session(db, lead.id, session)
    log_event(request, "ended a session", lead)
    return RedirectResponse(request.app.url_path_for("show_account"), status_code=303)


def _unconfirmed(request: Request, db: Db, lead: Lead, current: str) -> str:
    """Why sessions may not be ended; empty if the lead has confirmed their identity. A stolen session cannot."""
    asked = asked_of(request, db, lead)
    if asked == "sign-in":
        return SIGN_IN_AGAIN
    is_wrong = asked == "password" and not is_password(request, db, lead, current, step="end of a session")
    return WRONG if is_wrong else ""


def _page(
    request: Request, db: Db, lead: Lead, *, problem: str = "", session_problem: str = "", changed: bool = False
) -> Response:
    asks_current = asked_of(request, db, lead) == "password"
    provider = request.app.state.openid
    return page(
        request,
        "lead/account.html",
        status=422 if problem or session_problem else 200,
        lead=lead,
        problem=problem,
        session_problem=session_problem,
        changed=changed,
        asks_current=asks_current,
        is_by_link=leads.get_password_hash(db, lead.id) is not None and not asks_current,
        shortest=access.SHORTEST,
        **ways_in(request),
        is_linked=provider is not None and has_identity(db, lead.id, provider.client.issuer),
        sessions=leads.list_lead_sessions(db, lead.id, session_token(request) or ""),
    )
