"""Between two blocks of trials: a pause."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions.pauses import pause_now
from app.actions.rating import protocol_of
from app.web.deps import Db
from app.web.rater.answers import go, rater_page
from app.web.rater.deps import Session

router = APIRouter()


@router.get("/{slug}/pause")
def show_pause(request: Request, slug: str, db: Db, session: Session) -> Response:
    protocol = protocol_of(db, session)
    now = pause_now(db, session, protocol)
    if now is None:
        return go(request, "show_current", slug=slug)
    return rater_page(request, "pause.html", slug, protocol, session=session, n_done=now[0], n_all=now[1])
