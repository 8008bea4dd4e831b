"""The signed-in lead and what they may see. These loaders authorize; no handler does it again."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import Annotated, NamedTuple

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import RedirectResponse, Response

from app.actions.rate_limits import count, export_limit
from app.storage.leads import leads
from app.storage.leads.leads import Lead
from app.storage.studies.studies import StudyRow, get_study
from app.web.cookies import drop_cookie, get_cookie, set_cookie
from app.web.deps import Db, turn
from app.web.errors import NotFoundError, SignInError, TooManyError
from app.web.pages import is_htmx
from app.web.words import minutes

COOKIE = "lead"
MAX_AGE = int(leads.LONGEST.total_seconds())
# A backslash, a second slash or a control character would let a browser read another host into it.
_LOCAL_PATH = re.compile(r"/(?!/)[\x21-\x5b\x5d-\x7e]*")


def session_token(request: Request) -> str | None:
    """What the lead's browser shows."""
    return get_cookie(request, COOKIE)


def maybe_lead(request: Request, db: Db) -> Lead | None:
    """The lead whose browser this is, or nobody."""
    token = session_token(request)
    lead = leads.get_lead_of_session(db, token) if token else None
    # A page that refreshes itself is nobody's presence: it does not keep the session alive.
    if lead and token and not is_htmx(request):
        leads.prolong_lead_session(db, token)
    return lead


def signed_in_lead(lead: Annotated[Lead | None, Depends(maybe_lead)]) -> Lead:
    """The lead who is signed in."""
    if lead is None:
        raise SignInError
    return lead


def own_study(slug: str, lead: Annotated[Lead, Depends(signed_in_lead)], db: Db) -> StudyRow:
    """A study of this lead; another lead's looks like none."""
    study = get_study(db, slug)
    if study is None or study.lead_id != lead.id:
        raise NotFoundError
    return study


class LeadAndStudy(NamedTuple):
    """Who asks, and for which study of theirs."""

    lead: Lead
    study: StudyRow


async def lead_and_study(request: Request, slug: str) -> AsyncIterator[LeadAndStudy]:
    """For handlers that compute long: the transaction that proved it has ended when they begin.

    They take connections beside those that `get_db` counts, so no more of them run at once than there are to spare.
    """
    async with turn(request.app.state.long_turns):
        yield await run_in_threadpool(find_lead_and_study, request, slug)


def find_lead_and_study(request: Request, slug: str) -> LeadAndStudy:
    """Who asks, and for which study, in a transaction of its own."""
    with request.app.state.begin() as db:
        lead = signed_in_lead(maybe_lead(request, db))
        return LeadAndStudy(lead, own_study(slug, lead, db))


def count_export(request: Request, own: OwnForLong) -> LeadAndStudy:
    """A download of one's own study, which reads all of it: not without end."""
    if wait_s := count(request.app.state.begin, [export_limit(own.lead.id)]):
        raise TooManyError(f"There were too many downloads. Try again in {minutes(wait_s)}.", retry_after_s=wait_s)
    return own


MaybeLead = Annotated[Lead | None, Depends(maybe_lead)]
SignedIn = Annotated[Lead, Depends(signed_in_lead)]
Own = Annotated[StudyRow, Depends(own_study)]
OwnForLong = Annotated[LeadAndStudy, Depends(lead_and_study, scope="function")]


OwnExport = Annotated[LeadAndStudy, Depends(count_export)]


def local_path(path: str) -> str:
    """Where to go after signing in: a path of this site, else the list of studies.

    >>> local_path("/studies/demo?x=1"), local_path("//evil.example"), local_path("https://evil.example")
    ('/studies/demo?x=1', '/studies', '/studies')
    """
    return path if _LOCAL_PATH.fullmatch(path) else "/studies"


def signed_in_answer(request: Request, token: str, path: str) -> Response:
    """On to `path` with a new session."""
    response = RedirectResponse(local_path(path), status_code=303)
    set_cookie(request, response, COOKIE, token, max_age=MAX_AGE)
    return response


def signed_out_answer(request: Request) -> Response:
    """To the first page without a session."""
    response = RedirectResponse("/", status_code=303)
    drop_cookie(request, response, COOKIE)
    return response
