"""Messages of the lead: a rater reads them before the next page, and confirms it."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.base.web.deps import Db
from app.rating.deps import FormFields, Session
from app.rating.http_responses import go, rater_page
from app.rating.rater_path import protocol_of
from app.rating.steps.messages import list_unread, record_read

router = APIRouter()
MAX_DIGITS = 18  # of an ID in PostgreSQL


@router.get("/{slug}/messages")
def show_unread(request: Request, slug: str, db: Db, session: Session) -> Response:
    unread = list_unread(db, session)
    if not unread:
        return go(request, "show_current", slug=slug)
    return rater_page(request, "messages.html", slug, protocol_of(db, session), session=session, unread=unread)


@router.post("/{slug}/messages")
def submit_read(request: Request, slug: str, db: Db, session: Session, form: FormFields) -> Response:
    last = next(iter(form.get("last", ())), "")
    if last.isascii() and last.isdigit() and len(last) <= MAX_DIGITS:
        record_read(db, session, int(last))
    return go(request, "show_current", slug=slug)
