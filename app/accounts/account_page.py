"""A lead's own account: the password, and signing out everywhere."""

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.accounts import lead_access as access
from app.accounts import leads, passwords
from app.accounts.identities import has_identity
from app.accounts.leads import Lead
from app.accounts.rate_limits import count, sign_in_limits, take_back
from app.accounts.session import SignedIn, log_event, session_token, signed_in_answer, signed_out_answer
from app.accounts.sign_in import check_has_passwords, ways_in
from app.base.rendering.pages import page
from app.base.rendering.words import minutes
from app.base.web.cookies import address_of
from app.base.web.deps import Db
from app.base.web.errors import TooManyError

# Confirmation that the lead is at the keyboard, before a step that an open session alone must not take.

# What is asked for: the password, a session that began within the last hour, or nothing more.
Asked = Literal["password", "sign-in", "nothing"]
SIGN_IN_AGAIN = "You signed in more than an hour ago. Sign out and sign in again, then repeat this step."


def asked_of(request: Request, db: Db, lead: Lead) -> Asked:
    """What confirms a step of this lead.

    A lead who has no password here, or who came by a link because they forgot it, cannot be asked for it.
    """
    token, has_password = session_token(request) or "", leads.get_password_hash(db, lead.id) is not None
    if not has_password or not request.app.state.has_local_passwords:
        return "nothing" if leads.is_recent_session(db, token) else "sign-in"
    return "nothing" if leads.is_recent_session(db, token, is_from_link=True) else "password"


def is_password(request: Request, db: Db, lead: Lead, password: str, *, step: str) -> bool:
    """Whether the password is right; guesses are limited as they are at sign-in. `step` is noted in the log."""
    begin, limits = request.app.state.begin, sign_in_limits(lead.email, address_of(request))
    if wait_s := count(begin, limits):
        raise TooManyError(f"There were too many attempts. Try again in {minutes(wait_s)}.", retry_after_s=wait_s)
    is_right = passwords.check_password(db, lead.email, password) is not None
    if is_right:
        take_back(begin, limits)
    else:
        log_event(request, f"{step} with a wrong password", lead)
    return is_right


router = APIRouter()
WRONG = "This is not your current password."
Password = Annotated[str, Form(max_length=5000)]


@router.get("/account")
def show_account(request: Request, db: Db, lead: SignedIn, *, changed: bool = False) -> Response:
    return _page(request, db, lead, changed=changed)


@router.get("/account/session")
def show_session(_: SignedIn) -> Response:
    """Whether a form that is sent now would be taken: pages ask before they send what was typed."""
    return Response(status_code=204)


@router.post("/account")
def submit_password(
    request: Request,
    db: Db,
    lead: SignedIn,
    new: Password = "",
    current: Password = "",
) -> Response:
    check_has_passwords(request)
    if problem := _unconfirmed(request, db, lead, current, step="password change"):
        return _page(request, db, lead, problem=problem)
    try:
        access.set_password(db, lead, new, session=session_token(request))
    except passwords.AccessError as error:
        return _page(request, db, lead, problem=str(error))
    log_event(request, "password changed", lead)
    # All sessions have ended; the browser that changed the password gets a new one.
    return signed_in_answer(request, access.begin_session(db, lead), "/account?changed=true")


@router.post("/account/sign-out")
def submit_sign_out_everywhere(request: Request, db: Db, lead: SignedIn, current: Password = "") -> Response:
    if problem := _unconfirmed(request, db, lead, current, step="end of a session"):
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
    if problem := _unconfirmed(request, db, lead, current, step="end of a session"):
        return _page(request, db, lead, session_problem=problem)
    leads.revoke_listed_session(db, lead.id, session)
    log_event(request, "ended a session", lead)
    return RedirectResponse(request.app.url_path_for("show_account"), status_code=303)


def _unconfirmed(request: Request, db: Db, lead: Lead, current: str, *, step: str) -> str:
    """Why the step is refused; empty if the lead has confirmed their identity. A stolen session cannot."""
    asked = asked_of(request, db, lead)
    if asked == "sign-in":
        return SIGN_IN_AGAIN
    is_wrong = asked == "password" and not is_password(request, db, lead, current, step=step)
    return WRONG if is_wrong else ""


def _page(
    request: Request, db: Db, lead: Lead, *, problem: str = "", session_problem: str = "", changed: bool = False
) -> Response:
    asks_current = asked_of(request, db, lead) == "password"
    provider = request.app.state.openid
    return page(
        request,
        "accounts/account.html",
        status=422 if problem or session_problem else 200,
        lead=lead,
        problem=problem,
        session_problem=session_problem,
        changed=changed,
        asks_current=asks_current,
        is_short=leads.is_short_session(db, session_token(request) or ""),
        shortest=passwords.SHORTEST,
        **ways_in(request),
        is_linked=provider is not None and has_identity(db, lead.id, provider.client.issuer),
        sessions=leads.list_lead_sessions(db, lead.id, session_token(request) or ""),
    )
