"""The pages of raters who write with each other: whether the partner is there, and going on without one."""

from collections.abc import AsyncIterator
from typing import NamedTuple
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from app.base.web.deps import Db, turn
from app.protocol.conversation import ConversationPartner
from app.protocol.questions.form import read_page_ms
from app.rating.conversations.conversation_page import (
    HEARTBEAT_S,
    STREAM_HEADERS,
    event,
    goes_on,
    one_event,
)
from app.rating.conversations.dyads import Member, Room, record_alone, record_typing
from app.rating.conversations.rooms import LOOK_S, Rooms
from app.rating.conversations.transcripts import leave_item
from app.rating.conversations.turns import read_talk
from app.rating.deps import FormFields, Own, get_own
from app.rating.http_responses import go

router = APIRouter()


class _Place(NamedTuple):
    """Where an open page listens."""

    member: Member
    partner: ConversationPartner
    seed: int


@router.post("/{slug}/rate/{token}/alone")
def submit_alone(request: Request, slug: str, db: Db, own: Own, form: FormFields) -> Response:
    """Go on after nobody came."""
    session, view = own
    protocol = goes_on(db, own)
    talk = read_talk(db, protocol, view) if protocol and protocol.conversation else None
    if talk and talk.partner.is_person and record_alone(db, talk.partner, view):
        leave_item(db, session, view, talk.partner, read_page_ms(form))
    return go(request, "show_current", slug=slug)


@router.post("/{slug}/rate/{token}/typing", status_code=204)
def submit_typing(db: Db, own: Own) -> None:
    record_typing(db, own[1])


@router.get("/{slug}/rate/{token}/partner")
async def stream_partner(request: Request, slug: str, token: UUID, mark: str = "") -> Response:
    """Server-sent events: `typing`, whether the partner is writing, and `end` when the page has to be drawn again."""
    async with turn(request.app.state.turns):
        place = await run_in_threadpool(_place, request, slug, token)
    if place is None:
        events: AsyncIterator[str] = one_event(event("end", ""))
    else:
        rooms: Rooms = request.app.state.rooms
        events = _events(rooms.listen(*place), place, mark)
    return StreamingResponse(events, media_type="text/event-stream", headers=STREAM_HEADERS)


def _place(request: Request, slug: str, token: UUID) -> _Place | None:
    """Where the page of an assignment listens; None if it is not there for a partner any more."""
    with request.app.state.begin() as db:
        own = get_own(request, slug, token, db)
        protocol = goes_on(db, own)
        talk = read_talk(db, protocol, own[1]) if protocol and protocol.conversation else None
        if protocol is None or talk is None or talk.room is None:
            return None
        return _Place(Member(own[1].study_id, own[1].id), talk.partner, protocol.design.seed)


async def _events(rooms: AsyncIterator[Room | None], place: _Place, mark: str) -> AsyncIterator[str]:
    """The events of a page that was drawn with a mark."""
    was_typing, silent_s = False, 0.0
    async for room in rooms:
        if room is None or room.mark(place.partner) != mark:
            yield event("end", "")
            return
        silent_s += LOOK_S
        if room.is_typing != was_typing:
            was_typing, silent_s = room.is_typing, 0.0
            yield event("typing", was_typing)
        elif silent_s >= HEARTBEAT_S:
            silent_s = 0.0
            yield ": still here\n\n"
