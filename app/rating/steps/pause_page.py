"""Breaks: between two blocks of trials, and whenever a rater takes one."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.base.web.deps import Db
from app.rating.deps import AnySession, Session, check_going_on
from app.rating.http_responses import go, rater_page
from app.rating.rater_path import protocol_of
from app.rating.steps.pauses import pause_now, record_pause

router = APIRouter()


@router.get("/{slug}/pause")
def show_pause(request: Request, slug: str, db: Db, session: Session) -> Response:
    protocol = protocol_of(db, session)
    now = pause_now(db, session, protocol)
    if now is None:
        return go(request, "show_current", slug=slug)
    return rater_page(request, "pause.html", slug, protocol, session=session, n_done=now[0], n_all=now[1])


@router.post("/{slug}/pause")
def submit_pause(request: Request, slug: str, db: Db, session: AnySession) -> Response:
    check_going_on(request, db, slug, session)
    if session.has_begun and not session.has_ended:
        record_pause(db, session)
    return go(request, "show_paused", slug=slug)


@router.get("/{slug}/paused")
def show_paused(request: Request, slug: str, db: Db, session: AnySession) -> Response:
    check_going_on(request, db, slug, session)
    if not session.is_paused:
        return go(request, "show_current", slug=slug)
    return rater_page(request, "paused.html", slug, protocol_of(db, session), session=session)
