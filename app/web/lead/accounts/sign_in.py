"""Signing in and out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.actions import lead_access as access
from app.actions.rate_limits import count, sign_in_limits, take_back
from app.storage.leads import leads
from app.web.cookies import address_of
from app.web.deps import Db
from app.web.errors import GoneError, TooManyError
from app.web.lead.accounts.security_log import log_event
from app.web.lead.accounts.sign_in_page import check_has_passwords, sign_in_page
from app.web.lead.session import MaybeLead, local_path, session_token, signed_in_answer, signed_out_answer
from app.web.rendering.pages import page
from app.web.rendering.words import minutes

router = APIRouter()

WRONG = "Wrong e-mail address or password."


@router.get("/sign-in")
def show_sign_in(request: Request, lead: MaybeLead, next: str = "/studies") -> Response:  # noqa: A002 - the parameter in the address
    if lead:
        return RedirectResponse(local_path(next), status_code=303)
    return sign_in_page(request, next)


@router.post("/sign-in")
def submit_sign_in(
    request: Request,
    db: Db,
    email: Annotated[str, Form(max_length=320)],
    password: Annotated[str, Form()],
    next: Annotated[str, Form()] = "/studies",  # noqa: A002 - the parameter in the address
) -> Response:
    check_has_passwords(request)
    begin, limits = request.app.state.begin, sign_in_limits(email, address_of(request))
    if wait_s := count(begin, limits):
        log_event(request, "sign-in refused after too many attempts")
        raise TooManyError(
            f"There were too many attempts to sign in. Try again in {minutes(wait_s)}.", retry_after_s=wait_s
        )
    lead = access.check_password(db, email, password) if email.isprintable() else None
    if lead is None:
        # Looked up for unknown addresses too, so that both take as long.
        log_event(request, "sign-in failed", leads.get_lead(db, email.strip()) if email.isprintable() else None)
        return sign_in_page(request, next, status=422, email=email, error=WRONG)
    take_back(begin, limits)
    log_event(request, "signed in by password", lead)
    return signed_in_answer(request, access.begin_session(db, lead, session_token(request)), next)


@router.get("/sign-in/{token}")
def show_sign_in_link(request: Request, token: str, next: str = "/studies") -> Response:  # noqa: A002 - the parameter in the address
    # Opening the link does not use it up, because programs that preview links open them before their recipient does.
    return page(request, "lead/sign_in_link.html", token=token, next=local_path(next))


@router.post("/sign-in/{token}")
def submit_sign_in_link(
    request: Request,
    db: Db,
    token: str,
    next: Annotated[str, Form()] = "/studies",  # noqa: A002 - the parameter in the address
) -> Response:
    lead = leads.use_sign_in_link(db, token)
    log_event(request, "sign-in link refused" if lead is None else "signed in by link", lead)
    if lead is None:
        raise GoneError("This link has already been used or has expired. Ask for a new one.")
    return signed_in_answer(request, access.begin_session(db, lead, session_token(request), is_from_link=True), next)


@router.post("/sign-out")
def submit_sign_out(request: Request, db: Db, lead: MaybeLead) -> Response:
    token = session_token(request)
    if token:
        log_event(request, "signed out", lead)
        leads.revoke_lead_session(db, token)
    return signed_out_answer(request)
