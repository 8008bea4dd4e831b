"""A lead's own account: the password, and signing out everywhere."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.actions import lead_access as access
from app.actions.rate_limits import count, sign_in_limits, take_back
from app.storage.leads import leads
from app.storage.leads.leads import Lead
from app.web.cookies import address_of
from app.web.deps import Db
from app.web.errors import TooManyError
from app.web.lead.accounts.security_log import log_event
from app.web.lead.accounts.sign_in_page import check_has_passwords, ways_in
from app.web.lead.session import SignedIn, session_token, signed_in_answer, signed_out_answer
from app.web.rendering.pages import page
from app.web.rendering.words import minutes

router = APIRouter()
WRONG = "This is not your current password."


@router.get("/account")
def show_account(request: Request, db: Db, lead: SignedIn, *, changed: bool = False) -> Response:
    return _page(request, db, lead, changed=changed)


@router.post("/account")
def submit_password(
    request: Request,
    db: Db,
    lead: SignedIn,
    new: Annotated[str, Form(max_length=5000)] = "",
    current: Annotated[str, Form(max_length=5000)] = "",
) -> Response:
    check_has_passwords(request)
    if _asks_current(request, db, lead) and not _is_current(request, db, lead, current):
        return _page(request, db, lead, problem=WRONG)
    try:
        access.set_password(db, lead, new)
    except access.AccessError as error:
        return _page(request, db, lead, problem=str(error))
    log_event(request, "password changed", lead)
    # All sessions have ended; the browser that changed the password gets a new one.
    return signed_in_answer(request, access.begin_session(db, lead), "/account?changed=true")


@router.post("/account/sign-out")
def submit_sign_out_everywhere(request: Request, db: Db, lead: SignedIn) -> Response:
    access.sign_out_everywhere(db, lead)
    log_event(request, "signed out everywhere", lead)
    return signed_out_answer(request)


@router.post("/account/sessions")
def submit_session_end(
    request: Request, db: Db, lead: SignedIn, session: Annotated[str, Form(pattern=r"^[0-9a-f]{64}$")]
) -> Response:
    leads.revoke_listed_session(db, lead.id, session)
    log_event(request, "ended a session", lead)
    return RedirectResponse(request.app.url_path_for("show_account"), status_code=303)


def _asks_current(request: Request, db: Db, lead: Lead) -> bool:
    """Not of a lead who has no password, or who came by a link because they forgot it."""
    token = session_token(request) or ""
    return leads.get_password_hash(db, lead.id) is not None and not leads.is_recent_link_session(db, token)


def _is_current(request: Request, db: Db, lead: Lead, password: str) -> bool:
    """Whether the password is right; guesses are limited as they are at sign-in."""
    begin, limits = request.app.state.begin, sign_in_limits(lead.email, address_of(request))
    if wait_s := count(begin, limits):
        raise TooManyError(f"There were too many attempts. Try again in {minutes(wait_s)}.", retry_after_s=wait_s)
    is_right = access.check_password(db, lead.email, password) is not None
    if is_right:
        take_back(begin, limits)
    else:
        log_event(request, "password change with a wrong password", lead)
    return is_right


def _page(request: Request, db: Db, lead: Lead, *, problem: str = "", changed: bool = False) -> Response:
    return page(
        request,
        "lead/account.html",
        status=422 if problem else 200,
        lead=lead,
        problem=problem,
        changed=changed,
        asks_current=_asks_current(request, db, lead),
        is_by_link=leads.get_password_hash(db, lead.id) is not None and not _asks_current(request, db, lead),
        shortest=access.SHORTEST,
        **ways_in(request),
        sessions=leads.list_lead_sessions(db, lead.id, session_token(request) or ""),
    )
