"""The page of a conversation: the rater writes, the partner's reply appears as it is written, the rater ends it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any
from typing import Protocol as Interface
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from app.base.database.engine import Connection
from app.base.language.language import language_of
from app.base.language.message import Message
from app.base.rendering.markdown import response_markdown
from app.base.web.deps import Db, turn
from app.protocol.questions.form import read_page_ms
from app.protocol.study import Protocol
from app.rating.answers.skips import reasons_at
from app.rating.conversations.help_lines import help_by_country
from app.rating.conversations.rooms import Rooms
from app.rating.conversations.transcripts import end, leave_item, read_writing
from app.rating.conversations.turns import (
    NOT_ADDED,
    NOT_SENT,
    Exchange,
    Talk,
    end_for_both,
    is_writing,
    say,
    talk_of,
    try_again,
)
from app.rating.deps import FormFields, Own, get_own
from app.rating.http_responses import go, rater_page
from app.rating.page.sheet import reading_sheet
from app.rating.rater_path import may_rate, protocol_of
from app.rating.seats.assignment_view import AssignmentView, to_show
from app.rating.sessions import RatingSession

router = APIRouter()
# A proxy ends a connection on which nothing is sent for a minute or less.
HEARTBEAT_S = 15.0
# The number of the last turn that an open page has already: its script asks for what came after it.
AFTER, MAX_DIGITS = "attune-after", 9
# Proxies must not keep the pieces of a reply until it is whole.
STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


class Heard(Interface):
    """What has come of a reply so far; `state` is `awaited` until it is whole."""

    @property
    def text(self) -> str: ...
    @property
    def state(self) -> str: ...


class Replies(Interface):
    """Who makes the replies of models: `app.state.replies`."""

    def ensure(self, study_id: int, turn_id: int) -> None:
        """Make a reply, unless it is being made."""

    def prepare(self) -> None:
        """Load what the first reply needs, before there is a message to reply to."""

    def listen(self, study_id: int, turn_id: int) -> AsyncIterator[Heard]:
        """Yield what has come of a reply, each time that there is more, and last what became of it."""


def conversation_page(
    request: Request,
    slug: str,
    db: Connection,
    protocol: Protocol,
    session: RatingSession,
    view: AssignmentView,
    *,
    words: str = "",
    problem: Message | None = None,
) -> Response:
    """The conversation as far as it is; a reply that is awaited is being made from now on at the latest."""
    talk = talk_of(db, protocol, view)
    if talk.room and not talk.room.is_at(view):
        return go(request, "show_current", slug=slug)
    ensure_reply(request, view, talk)
    return rater_page(
        request,
        "converse.html" if talk.room is None or talk.room.is_paired else "waiting_room.html",
        slug,
        protocol,
        status=422 if problem else 200,
        latest_ms=view.latest_ms,
        session=session,
        **conversation_context(protocol, view, talk)
        | {
            "words": words,
            "problem": problem,
            "skip_reasons": reasons_at(protocol, view),
            "after": _after(request),
        },
    )


def ensure_reply(request: Request, view: AssignmentView, written: Exchange[Any, Any]) -> None:
    """Have the reply made that is awaited, if one is; before the first, load what it needs."""
    replies: Replies = request.app.state.replies
    if written.awaited:
        replies.ensure(view.study_id, written.awaited.id)
    elif written.partner.replies == "model" and len(written.turns) <= 1:
        replies.prepare()


def _after(request: Request) -> int:
    """The number of the last turn that the page has, as its script says; 0 without one, and for what is no number."""
    said = request.headers.get(AFTER, "")
    return int(said) if said.isdecimal() and len(said) <= MAX_DIGITS else 0


def conversation_context(protocol: Protocol, view: AssignmentView, talk: Talk) -> dict[str, Any]:
    """What the template of a conversation draws, where nothing can be sent."""
    render = response_markdown if protocol.render == "markdown" else None
    texts = {"view": view, "sheet": reading_sheet(protocol, view), "render": render, "talk": talk}
    help_lines = help_by_country(talk.bounds.help_lines, language_of(protocol.language))
    return {**texts, "help_lines": help_lines, "words": "", "problem": None, "skip_reasons": (), "after": 0}


@router.post("/{slug}/rate/{token}/say")
def submit_message(request: Request, slug: str, db: Db, own: Own, form: FormFields) -> Response:
    session, view, talk = _open(db, own)
    if talk is None:
        return go(request, "show_current", slug=slug)
    words = next(iter(form.get("message", ())), "")
    if problem := say(db, view, talk, next(iter(form.get("number", ())), ""), words):
        protocol = protocol_of(db, session)
        shown = to_show(db, view)
        return conversation_page(request, slug, db, protocol, session, shown, words=words, problem=problem)
    return telling_partner(request, talk, go(request, "show_rate", slug=slug, token=view.token))


@router.post("/{slug}/rate/{token}/again")
def submit_again(request: Request, slug: str, db: Db, own: Own) -> Response:
    _, view, talk = _open(db, own)
    if talk is None:
        return go(request, "show_current", slug=slug)
    try_again(db, view, talk)
    return go(request, "show_rate", slug=slug, token=view.token)


@router.post("/{slug}/rate/{token}/end")
def submit_end(request: Request, slug: str, db: Db, own: Own, form: FormFields) -> Response:
    session, view, talk = _open(db, own)
    if talk is None:
        return go(request, "show_current", slug=slug)
    words = next(iter(form.get("message", ())), "")
    if words.strip() and talk.may_write and not talk.has_left:
        problem = NOT_ADDED if talk.partner.is_diary else NOT_SENT
        return conversation_page(
            request, slug, db, protocol_of(db, session), session, to_show(db, view), words=words, problem=problem
        )
    if talk.may_end and talk.turns:
        end(db, protocol_of(db, session), view, talk)
    elif talk.may_end:
        # Two raters of whom neither has written a word.
        end_for_both(db, talk)
        leave_item(db, session, view, talk.partner, read_page_ms(form))
        return telling_partner(request, talk, go(request, "show_current", slug=slug))
    return telling_partner(request, talk, go(request, "show_rate", slug=slug, token=view.token))


def telling_partner(request: Request, talk: Talk, response: Response) -> Response:
    """The response, after which the page of another rater is drawn again, if one is the partner."""
    if talk.room and talk.room.dyad_id is not None:
        rooms: Rooms = request.app.state.rooms
        response.background = BackgroundTask(rooms.tell, talk.room.study_id, talk.room.dyad_id)
    return response


def goes_on(db: Connection, own: Own) -> Protocol | None:
    """The study of an assignment whose rater still writes; None if they do not."""
    session, view = own
    protocol = protocol_of(db, session)
    may_write = view.state == "leased" and may_rate(db, session, view) and is_writing(protocol, view)
    return protocol if may_write else None


def _open(db: Connection, own: Own) -> tuple[RatingSession, AssignmentView, Talk | None]:
    """The conversation of an assignment, if it goes on."""
    session, view = own
    protocol = goes_on(db, own)
    return session, view, talk_of(db, protocol, view) if protocol and protocol.conversation else None


@router.get("/{slug}/rate/{token}/reply")
async def stream_reply(request: Request, slug: str, token: UUID) -> Response:
    """The awaited reply as server-sent events: `text` so far, each time that there is more; `end` with its state."""
    async with turn(request.app.state.turns):
        found = await run_in_threadpool(_awaited, request, slug, token)
    if found is None:
        # The reply is there, or none is awaited: the browser reads the page again.
        return StreamingResponse(
            one_event(event("end", "said")), media_type="text/event-stream", headers=STREAM_HEADERS
        )
    replies: Replies = request.app.state.replies
    study_id, turn_id, is_whole = found
    events = _events(replies.listen(study_id, turn_id), is_whole=is_whole)
    return StreamingResponse(events, media_type="text/event-stream", headers=STREAM_HEADERS)


def _awaited(request: Request, slug: str, token: UUID) -> tuple[int, int, bool] | None:
    """Study and ID of the awaited turn, and whether replies are shown whole."""
    with request.app.state.begin() as db:
        own = get_own(request, slug, token, db)
        protocol, view = goes_on(db, own), own[1]
        written = read_writing(db, protocol, view) if protocol else None
        if written is None or written.awaited is None:
            return None
        return view.study_id, written.awaited.id, not written.bounds.shows_pieces


async def _events(heard: AsyncIterator[Heard], *, is_whole: bool) -> AsyncIterator[str]:
    """The events of a reply, with a comment where nothing comes for a while."""
    pending: asyncio.Future[Heard] | None = None
    sent = ""
    try:
        while True:
            pending = pending or asyncio.ensure_future(anext(heard))
            done, _ = await asyncio.wait({pending}, timeout=HEARTBEAT_S)
            if not done:
                yield ": still here\n\n"
                continue
            found, pending = pending.result(), None
            if found.state != "awaited":
                yield event("end", found.state)
                return
            if not is_whole and found.text != sent:
                sent = found.text
                yield event("text", sent)
    except StopAsyncIteration:
        yield event("end", "said")
    finally:
        if pending:
            pending.cancel()
            with suppress(asyncio.CancelledError, StopAsyncIteration):
                await pending


async def one_event(words: str) -> AsyncIterator[str]:
    """The only event of a stream."""
    yield words


def event(name: str, data: object) -> str:
    r"""An event whose data are JSON, on one line.

    >>> event("text", "Hi\nthere")
    'event: text\ndata: "Hi\\nthere"\n\n'
    """
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
