"""Before the first item: the instructions, and how to answer by keyboard."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions.rating.rating import begin_rating, current_step, protocol_of
from app.actions.rating.trial_list import list_length
from app.storage.raters.rating_sessions import record_keys_off
from app.web.deps import Db
from app.web.rater.deps import FormFields, Session
from app.web.rater.http_responses import go, rater_page

router = APIRouter()


@router.get("/{slug}/start")
def show_start(request: Request, slug: str, db: Db, session: Session) -> Response:
    if session.has_ended or not (session.has_begun or current_step(db, session) == "instructions"):
        return go(request, "show_current", slug=slug)
    protocol = protocol_of(db, session)
    length = list_length(db, session, protocol)
    return rater_page(request, "start.html", slug, protocol, session=session, length=length)


@router.post("/{slug}/start")
def submit_start(request: Request, slug: str, db: Db, session: Session) -> Response:
    begin_rating(db, session)
    return go(request, "show_current", slug=slug)


@router.post("/{slug}/keys")
def submit_keys(request: Request, slug: str, db: Db, session: Session, form: FormFields) -> Response:
    """Switch the keyboard shortcuts off or on; the choice is stored."""
    record_keys_off(db, session, off="off" in form.get("keys", ()))
    return go(request, "show_current", slug=slug)
