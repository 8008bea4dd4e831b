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
from app.web.lead.session import MaybeLead, local_path, session_token, signed_in_answer, signed_out_answer
from app.web.rendering.pages import page
from app.web.rendering.words import minutes

router = APIRouter()

WRONG = "Wrong e-mail address or password."


@router.get("/sign-in")
def show_sign_in(request: Request, lead: MaybeLead, next: str = "/studies") -> Response:  # noqa: A002 - the parameter in the address
    if lead:
        return RedirectResponse(local_path(next), status_code=303)
    return page(request, "lead/sign_in.html", next=local_path(next), email="", error="")


@router.post("/sign-in")
def submit_sign_in(
    request: Request,
    db: Db,
    email: Annotated[str, Form(max_length=320)],
    password: Annotated[str, Form()],
    next: Annotated[str, Form()] = "/studies",  # noqa: A002 - the parameter in the address
) -> Response:
    begin, limits = request.app.state.begin, sign_in_limits(email, address_of(request))
    if wait_s := count(begin, limits):
        raise TooManyError(
            f"There were too many attempts to sign in. Try again in {minutes(wait_s)}.", retry_after_s=wait_s
        )
    lead = access.check_password(db, email, password) if email.isprintable() else None
    if lead is not None:
        take_back(begin, limits)
    if lead is None:
        return page(request, "lead/sign_in.html", status=422, next=local_path(next), email=email, error=WRONG)
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
    if lead is None:
        raise GoneError("This link has already been used or has expired. Ask for a new one.")
    return signed_in_answer(request, access.begin_session(db, lead, session_token(request), is_from_link=True), next)


@router.post("/sign-out")
def submit_sign_out(request: Request, db: Db) -> Response:
    token = session_token(request)
    if token:
        leads.revoke_lead_session(db, token)
    return signed_out_answer(request)
