"""The rating page: show an item, save an answer, submit the page."""

from collections.abc import Callable, Collection
from uuid import UUID

from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from app.base.database.engine import Connection
from app.base.language.message import Message, message
from app.base.rendering.pages import is_htmx, language_in
from app.base.web.deps import Db, turn
from app.protocol.questions.form import Form
from app.protocol.questions.saves import UNKNOWN, Save
from app.protocol.study import Protocol
from app.rating.answers.skips import reasons_at
from app.rating.conversations.conversation_page import conversation_page
from app.rating.conversations.draft_page import draft_page
from app.rating.conversations.turns import is_writing
from app.rating.deps import Own, OwnTrial, Session, get_form, get_own
from app.rating.http_responses import go, go_to_step, rater_page, refuse_save
from app.rating.page.sheet import make_sheet
from app.rating.rater_path import current_page, is_end, may_rate, protocol_of, save_answers, submit_rating
from app.rating.seats.assignment_view import AssignmentView, next_assignment, next_revisit, to_show
from app.rating.sessions import RatingSession
from app.rating.steps.attention import attention_now
from app.rating.steps.pauses import pause_now, resume

Handler = Callable[[Request, Connection, OwnTrial, Form], Response]
# The response to the script of a page that saves answers while the rater continues.


def answer_save(request: Request, save: Save, older: Collection[str] = ()) -> Response:
    """Which answers are stored, which were too old, and which were rejected, each with its reason.

    A save is rejected if none of its answers can be stored.
    """
    language = language_in(request)
    refused = {name: language.say(words) for name, words in save.refused.items()}
    if not save.taken:
        return refuse_save(request, 422, next(iter(save.refused.values()), UNKNOWN), refused)
    return JSONResponse(
        {
            "saved": [name for name in save.taken if name not in older],
            "older": list(older),
            "refused": refused,
        }
    )


router = APIRouter()


@router.get("/{slug}/rate")
def show_current(request: Request, slug: str, db: Db, session: Session) -> Response:
    resume(db, session)
    if session.has_message:
        return go(request, "show_unread", slug=slug)
    now = current_page(db, session)
    if isinstance(now, AssignmentView):
        return _page(request, slug, db, session, now)
    return go_to_step(request, slug, now)


@router.get("/{slug}/rate/{token}")  # noqa: FAST003 - `Own` reads it
def show_rate(request: Request, slug: str, db: Db, own: Own) -> Response:
    session, view = own
    resume(db, session)
    if view.state in {"returned", "skipped"} or not may_rate(db, session, view):
        return go(request, "show_current", slug=slug)
    return _page(request, slug, db, session, to_show(db, view))


@router.post("/{slug}/rate/{token}")
async def submit_rate(request: Request, slug: str, token: UUID) -> Response:
    return await _in_one_thread(_submit, request, slug, token)


@router.post("/{slug}/rate/{token}/save")
async def submit_answers(request: Request, slug: str, token: UUID) -> Response:
    return await _in_one_thread(_save, request, slug, token)


async def _in_one_thread(handle: Handler, request: Request, slug: str, token: UUID) -> Response:
    """Handle a request in one of the turns for saves and submits, from beginning to end in one thread."""
    form = await get_form(request)
    async with turn(request.app.state.hot_turns):
        return await run_in_threadpool(_stored, handle, request, slug, token, form)


def _stored(handle: Handler, request: Request, slug: str, token: UUID, form: Form) -> Response:
    """The response to what a rater sends for a page; it is committed before that is sent."""
    with request.app.state.begin() as db:
        return handle(request, db, get_own(request, slug, token, db), form)


def _submit(request: Request, db: Connection, own: OwnTrial, form: Form) -> Response:
    (session, view), slug = own, request.path_params["slug"]
    resume(db, session)
    if not may_rate(db, session, view) or is_writing(protocol_of(db, session), view):
        return go(request, "show_current", slug=slug)
    submission = submit_rating(db, session, view, form, goes_on=True)
    if submission.answers.wrong:
        protocol, wrong = protocol_of(db, session), submission.answers.wrong
        return _sheet(request, slug, protocol, session, to_show(db, view), form=form, wrong=wrong)
    if submission.following:
        return _next(request, slug, protocol_of(db, session), session, submission.following)
    return follow(request, slug, db, session, view) if submission.is_stored else go(request, "show_current", slug=slug)


def _save(request: Request, db: Connection, own: OwnTrial, form: Form) -> Response:
    session, view = own
    if not may_rate(db, session, view) or is_writing(protocol_of(db, session), view):
        return refuse_save(request, 409, message("You can no longer change your ratings."))
    if saved := save_answers(db, session, view, form):
        return answer_save(request, saved.save, saved.older)
    was_skipped = view.state == "skipped"
    words = (
        message("You skipped this item.") if was_skipped else message("This item has been assigned to another rater.")
    )
    return refuse_save(request, 409, words)


def follow(request: Request, slug: str, db: Db, session: RatingSession, view: AssignmentView) -> Response:
    """The response after an item is completed or skipped."""
    if session.has_message:
        return go(request, "show_unread", slug=slug)
    if attention_now(db, session, protocol_of(db, session)):
        return go(request, "show_attention", slug=slug)
    if pause_now(db, session, protocol_of(db, session)):
        return go(request, "show_pause", slug=slug)
    following = next_revisit(db, session) if view.is_revisit else next_assignment(db, session)
    if following is None:
        return go(request, "show_current", slug=slug)
    return _next(request, slug, protocol_of(db, session), session, following)


def _next(request: Request, slug: str, protocol: Protocol, session: RatingSession, view: AssignmentView) -> Response:
    """The next item in place of this one; without htmx by a redirect, so that *back* in a browser works."""
    if not is_htmx(request) or is_writing(protocol, view):
        return go(request, "show_rate", slug=slug, token=view.token)
    response = _sheet(request, slug, protocol, session, view)
    response.headers["HX-Push-Url"] = request.app.url_path_for("show_rate", slug=slug, token=view.token)
    return response


def _page(request: Request, slug: str, db: Connection, session: RatingSession, view: AssignmentView) -> Response:
    """The page of an assignment: its questions, after what its rater writes first in studies of that."""
    protocol = protocol_of(db, session)
    if is_writing(protocol, view):
        show = conversation_page if protocol.conversation else draft_page
        return show(request, slug, db, protocol, session, view)
    return _sheet(request, slug, protocol, session, view)


def _sheet(
    request: Request,
    slug: str,
    protocol: Protocol,
    session: RatingSession,
    view: AssignmentView,
    *,
    form: Form | None = None,
    wrong: dict[str, Message] | None = None,
) -> Response:
    return rater_page(
        request,
        "rate.html",
        slug,
        protocol,
        status=422 if wrong else 200,
        latest_ms=view.latest_ms,
        session=session,
        view=view,
        sheet=make_sheet(protocol, view, form=form, wrong=wrong or {}),
        skip_reasons=reasons_at(protocol, view),
        is_end=view.place == view.n_all and is_end(protocol, session, view),
    )
