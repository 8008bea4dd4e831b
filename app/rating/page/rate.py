"""The rating page: show an item, save an answer, submit the page."""

from __future__ import annotations

from collections.abc import Collection

from fastapi import APIRouter, Request
from starlette.responses import JSONResponse, Response

from app.base.language.message import Message, message
from app.base.rendering.pages import is_htmx, language_in
from app.base.web.deps import Db
from app.protocol.questions.saves import UNKNOWN, Save
from app.rating.answers import at_once_page as at_once
from app.rating.answers.at_once_page import ShownPage
from app.rating.answers.hot_routes import hot_route
from app.rating.answers.skips import reasons_at
from app.rating.deps import Form, Own, OwnTrial, Session
from app.rating.http_responses import go, go_to_step, rater_page, refuse_save
from app.rating.page.sheet import make_sheet
from app.rating.rating import current_page, may_rate, protocol_of, save_answers, submit_rating
from app.rating.seats.assignment_view import AssignmentView, next_assignment, next_revisit, to_show
from app.rating.sessions import RatingSession
from app.rating.steps.attention import attention_now
from app.rating.steps.pauses import pause_now, resume

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
        return _sheet(request, slug, ShownPage.of(protocol_of(db, session), session, now))
    return go_to_step(request, slug, now)


@router.get("/{slug}/rate/{token}")  # noqa: FAST003 - `Own` reads it
def show_rate(request: Request, slug: str, db: Db, own: Own) -> Response:
    session, view = own
    resume(db, session)
    if view.state in {"returned", "skipped"} or not may_rate(db, session, view):
        return go(request, "show_current", slug=slug)
    return _sheet(request, slug, ShownPage.of(protocol_of(db, session), session, to_show(db, view)))


def submit_rate(request: Request, db: Db, own: OwnTrial, form: Form) -> Response:
    (session, view), slug = own, request.path_params["slug"]
    resume(db, session)
    if not may_rate(db, session, view):
        return go(request, "show_current", slug=slug)
    submission = submit_rating(db, session, view, form, goes_on=True)
    if submission.answers.wrong:
        page = ShownPage.of(protocol_of(db, session), session, to_show(db, view))
        return _sheet(request, slug, page, form=form, wrong=submission.answers.wrong)
    if submission.following:
        return _next(request, slug, ShownPage.of(protocol_of(db, session), session, submission.following))
    return follow(request, slug, db, session, view) if submission.is_stored else go(request, "show_current", slug=slug)


def submit_answers(request: Request, db: Db, own: OwnTrial, form: Form) -> Response:
    session, view = own
    if not may_rate(db, session, view):
        return refuse_save(request, 409, message("You can no longer change your ratings."))
    if saved := save_answers(db, session, view, form):
        request.app.state.shown_pages.read_again(request, session, view)
        return answer_save(request, saved.save, saved.older)
    was_skipped = view.state == "skipped"
    words = (
        message("You skipped this item.") if was_skipped else message("This item has been assigned to another rater.")
    )
    return refuse_save(request, 409, words)


async def submit_at_once(request: Request, page: ShownPage, form: Form) -> Response | None:
    following = await at_once.submit_at_once(request.app.state.hot_connections, page, form)
    return None if following is None else _next(request, request.path_params["slug"], following)


async def save_at_once(request: Request, page: ShownPage, form: Form) -> Response | None:
    saved = await at_once.save_at_once(request.app.state.hot_connections, page, form)
    if saved is None:
        return None
    request.app.state.shown_pages.keep(request, saved[0])
    return answer_save(request, saved[1].save, saved[1].older)


HOT_ROUTES = (
    hot_route("/s/{slug}/rate/{token}", submit_rate, submit_at_once),
    hot_route("/s/{slug}/rate/{token}/save", submit_answers, save_at_once),
)


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
    return _next(request, slug, ShownPage.of(protocol_of(db, session), session, following))


def _next(request: Request, slug: str, page: ShownPage) -> Response:
    """The next item in place of this one; without htmx by a redirect, so that *back* in a browser works."""
    token = page.view.token
    if not is_htmx(request):
        return go(request, "show_rate", slug=slug, token=token)
    response = _sheet(request, slug, page)
    response.headers["HX-Push-Url"] = request.app.url_path_for("show_rate", slug=slug, token=token)
    return response


def _sheet(
    request: Request,
    slug: str,
    page: ShownPage,
    *,
    form: Form | None = None,
    wrong: dict[str, Message] | None = None,
) -> Response:
    protocol, view = page.protocol, page.view
    request.app.state.shown_pages.keep(request, page)
    return rater_page(
        request,
        "rate.html",
        slug,
        protocol,
        status=422 if wrong else 200,
        latest_ms=view.latest_ms,
        session=page.session,
        view=view,
        sheet=make_sheet(protocol, view, asked=(page.stage, page.slots), form=form, wrong=wrong or {}),
        skip_reasons=reasons_at(protocol, view),
    )
