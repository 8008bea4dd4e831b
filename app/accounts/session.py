"""The signed-in lead and what they may see. These loaders authorize, so handlers need not check again."""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator
from typing import Annotated, NamedTuple

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from app.accounts import leads
from app.accounts.audit import record_act
from app.accounts.leads import Lead
from app.accounts.rate_limits import count, export_limit
from app.accounts.rights import check_right
from app.base.rendering.pages import is_htmx
from app.base.rendering.words import minutes
from app.base.web.cookies import address_of, drop_cookie, get_cookie, set_cookie
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError, SignInError, TooManyError
from app.results.snapshots.deleted import refuse_deleted_snapshot
from app.studies.studies import StudyRow, get_study

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


def own_study(request: Request, slug: str, lead: Annotated[Lead, Depends(signed_in_lead)], db: Db) -> StudyRow:
    """A study to which this lead belongs, in a role that allows what the address does."""
    return check_right(request, get_study(db, slug, lead.id))


class LeadAndStudy(NamedTuple):
    """The signed-in lead, and one of their studies."""

    lead: Lead
    study: StudyRow


async def lead_and_study(request: Request, slug: str) -> AsyncIterator[LeadAndStudy]:
    """For handlers with long computations: the transaction that authorizes has ended before they begin.

    They use connections in addition to those that `get_db` counts, so only as many run at once as there are spare ones.
    """
    async with request.app.state.long_turns.turn(session_token(request) or ""):
        yield await run_in_threadpool(find_lead_and_study, request, slug)


def find_lead_and_study(request: Request, slug: str) -> LeadAndStudy:
    """The signed-in lead and the study, read in a separate transaction.

    Raises:
        NotFoundError: there is no such study, or the lead may not see it.
        GoneError: the address is that of a snapshot whose study was deleted.
    """
    with request.app.state.begin() as db:
        lead = signed_in_lead(request, maybe_lead(request, db))
        try:
            return LeadAndStudy(lead, own_study(request, slug, lead, db))
        except NotFoundError:
            refuse_deleted_snapshot(db, request.query_params.get("snapshot", ""))
            raise


def count_export(request: Request, own: OwnForLong) -> LeadAndStudy:
    """Count a download of a study, which reads all of it, and note it in the log.

    Raises:
        TooManyError: there were too many downloads.
    """
    if wait_s := count(request.app.state.begin, [export_limit(own.lead.id)]):
        raise TooManyError(f"There were too many downloads. Try again in {minutes(wait_s)}.", retry_after_s=wait_s)
    with request.app.state.begin() as db:
        record_act(db, own.lead, own.study, "downloaded", file=request.url.path.rpartition("/")[2])
    return own


MaybeLead = Annotated[Lead | None, Depends(maybe_lead)]
SignedIn = Annotated[Lead, Depends(signed_in_lead)]
Own = Annotated[StudyRow, Depends(own_study)]
OwnForLong = Annotated[LeadAndStudy, Depends(lead_and_study, scope="function")]


OwnExport = Annotated[LeadAndStudy, Depends(count_export)]


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
# Leads are named by their number and the network address that they came from, never by their e-mail address. Raters
# do
# not sign in, and no address of theirs is logged.

log = logging.getLogger("attune.security")


def log_event(request: Request, event: str, lead: Lead | None = None) -> None:
    """Log an event of this lead, or of a visitor without an account."""
    who = f"lead {lead.id}" if lead else "no account"
    log.info("%s: %s, from %s", event, who, address_of(request))
