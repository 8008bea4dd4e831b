"""The signed-in lead, and the cookie and the log of signing in and out."""

import logging
import re
from typing import Annotated

from fastapi import Depends, Request
from starlette.responses import RedirectResponse, Response

from app.accounts import leads
from app.accounts.leads import Lead
from app.base.rendering.pages import is_htmx
from app.base.web.cookies import address_of, drop_cookie, get_cookie, set_cookie
from app.base.web.deps import Db
from app.base.web.errors import SignInError

COOKIE = "lead"
MAX_AGE = int(leads.LONGEST.total_seconds())
# With a backslash, a second slash or a control character, a browser could interpret the path as another host.
_LOCAL_PATH = re.compile(r"/(?!/)[\x21-\x5b\x5d-\x7e]*")


def session_token(request: Request) -> str | None:
    """The session token in the browser's cookie, or None."""
    return get_cookie(request, COOKIE)


def maybe_lead(request: Request, db: Db) -> Lead | None:
    """The signed-in lead, or None."""
    token = session_token(request)
    lead = leads.get_lead_of_session(db, token) if token else None
    # A page that refreshes itself does not show that the lead is present, so it does not extend the session.
    if lead and token and not is_htmx(request):
        leads.prolong_lead_session(db, token)
    return lead


def signed_in_lead(request: Request, lead: Annotated[Lead | None, Depends(maybe_lead)]) -> Lead:
    """The signed-in lead.

    Raises:
        SignInError: no lead is signed in.
    """
    if lead is None:
        raise SignInError
    request.state.lead_id = lead.id
    return lead


MaybeLead = Annotated[Lead | None, Depends(maybe_lead)]
SignedIn = Annotated[Lead, Depends(signed_in_lead)]


def local_path(path: str) -> str:
    """The address after signing in: a path of this site, otherwise the list of studies.

    >>> local_path("/studies/demo?x=1"), local_path("//evil.example"), local_path("https://evil.example")
    ('/studies/demo?x=1', '/studies', '/studies')
    """
    return path if _LOCAL_PATH.fullmatch(path) else "/studies"


def signed_in_answer(request: Request, token: str, path: str) -> Response:
    """Redirect to `path` with a new session."""
    response = RedirectResponse(local_path(path), status_code=303)
    set_cookie(request, response, COOKIE, token, max_age=MAX_AGE)
    return response


def signed_out_answer(request: Request) -> Response:
    """Redirect to the home page without a session."""
    response = RedirectResponse("/", status_code=303)
    drop_cookie(request, response, COOKIE)
    return response


# Security events in the log: who signs in or out, fails to, or changes a password.
#
# Leads are named by their number and the network address that they came from, never by their e-mail address. Raters do
# not sign in, and no address of theirs is logged.

log = logging.getLogger("attune.security")


def log_event(request: Request, event: str, lead: Lead | None = None) -> None:
    """Log an event of this lead, or of a visitor without an account."""
    who = f"lead {lead.id}" if lead else "no account"
    log.info("%s: %s, from %s", event, who, address_of(request))
