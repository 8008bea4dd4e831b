"""A walk-through: it starts on the draft's pages, and its bar is on every page that raters see."""

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.session import SignedIn
from app.base.rendering.pages import page
from app.base.web.cookies import get_cookie, set_cookie
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError, PageError
from app.base.web.middleware.security import FRAMING_POLICY
from app.rating.deps import MAX_AGE_S, FormFields, Session, rater_cookie
from app.rating.http_responses import go
from app.rating.simulation.simulate import bring_partner
from app.rating.walk_through.walk_through import WalkThroughError, skip_to, start_walk_through
from app.studies.own_study import Own
from app.studies.walk_throughs import draft_of, is_walk_through

router = APIRouter()
raters_router = APIRouter()


class NoWalkThroughError(PageError):
    """The draft cannot be walked through."""

    status = 409
    title = "The walk-through cannot start"


@router.post("/studies/{slug}/walk-through")
def submit_walk_through(request: Request, db: Db, lead: SignedIn, study: Own, form: FormFields) -> Response:
    try:
        address, session = start_walk_through(db, study, lead, condition=next(iter(form.get("condition", ())), ""))
    except WalkThroughError as error:
        raise NoWalkThroughError(str(error)) from error
    response = go(request, "show_phone" if "phone" in form.get("view", ()) else "show_current", slug=address)
    set_cookie(request, response, rater_cookie(address), session.token, max_age=MAX_AGE_S)
    return response


@raters_router.get("/{slug}/walk-through")
def show_tried_study(request: Request, slug: str, db: Db) -> Response:
    """Lead back from the walk through to the draft."""
    return RedirectResponse(f"{request.app.url_path_for('show_study', slug=_draft(db, slug))}#run", 303)


@raters_router.get("/{slug}/walk-through/phone")
def show_phone(request: Request, slug: str, db: Db) -> Response:
    """The walk in a frame as wide as a phone, which shows the pages as a phone does."""
    _draft(db, slug)
    response = page(request, "rating/walk_through/phone.html", slug=slug)
    response.headers["Content-Security-Policy"] = FRAMING_POLICY
    return response


@raters_router.post("/{slug}/walk-through/again")
def submit_walk_through_again(request: Request, slug: str, db: Db) -> Response:
    """Start again, with the draft as it is now: the form is sent on to the draft's own address."""
    return RedirectResponse(request.app.url_path_for("submit_walk_through", slug=_draft(db, slug)), 307)


@raters_router.post("/{slug}/walk-through/skip")
def submit_skip_to(request: Request, slug: str, db: Db, session: Session, form: FormFields) -> Response:
    if not is_walk_through(slug):
        raise NotFoundError
    token = get_cookie(request, rater_cookie(slug)) or ""
    skip_to(db, slug, token, session, next(iter(form.get("to", ())), ""))
    return go(request, "show_current", slug=slug)


@raters_router.post("/{slug}/walk-through/partner")
def submit_partner(request: Request, slug: str, db: Db) -> Response:
    """Let a simulated rater write with the lead, where raters write with each other."""
    if not is_walk_through(slug):
        raise NotFoundError
    bring_partner(db, slug)
    return go(request, "show_current", slug=slug)


def _draft(db: Db, address: str) -> str:
    draft = draft_of(db, address) if is_walk_through(address) else None
    if draft is None:
        raise NotFoundError
    return draft
