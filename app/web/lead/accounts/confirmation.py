"""Confirmation that the lead is at the keyboard, before a step that an open session alone must not take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from app.actions import lead_access as access
from app.actions.rate_limits import count, sign_in_limits, take_back
from app.storage.leads import leads
from app.web.cookies import address_of
from app.web.errors import TooManyError
from app.web.lead.accounts.security_log import log_event
from app.web.lead.session import session_token
from app.web.rendering.words import minutes

if TYPE_CHECKING:
    from fastapi import Request

    from app.storage.leads.leads import Lead
    from app.web.deps import Db

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
    is_right = access.check_password(db, lead.email, password) is not None
    if is_right:
        take_back(begin, limits)
    else:
        log_event(request, f"{step} with a wrong password", lead)
    return is_right
