"""Before the first item: the instructions, and how to answer by keyboard."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.base.web.deps import Db
from app.rating.arrival.expected_minutes import expected_minutes, waiting_minutes
from app.rating.deps import FormFields, Session
from app.rating.http_responses import go, rater_page
from app.rating.rater_path import begin_rating, current_step, protocol_of
from app.rating.seats.trial_list import list_length
from app.rating.sessions import record_keys_off

router = APIRouter()


@router.get("/{slug}/start")
def show_start(request: Request, slug: str, db: Db, session: Session) -> Response:
    if session.has_ended or not (session.has_begun or current_step(db, session) == "instructions"):
        return go(request, "show_current", slug=slug)
    protocol = protocol_of(db, session)
    length = list_length(db, session, protocol)
    minutes, waits = expected_minutes(db, session.study_id, protocol, length), waiting_minutes(protocol)
    return rater_page(
        request, "start.html", slug, protocol, session=session, length=length, minutes=minutes, waits=waits
    )


@router.post("/{slug}/start")
def submit_start(request: Request, slug: str, db: Db, session: Session) -> Response:
    begin_rating(db, session)
    return go(request, "show_current", slug=slug)


@router.post("/{slug}/keys")
def submit_keys(request: Request, slug: str, db: Db, session: Session, form: FormFields) -> Response:
    """Switch the keyboard shortcuts off or on; the choice is stored."""
    record_keys_off(db, session, off="off" in form.get("keys", ()))
    return go(request, "show_current", slug=slug)
