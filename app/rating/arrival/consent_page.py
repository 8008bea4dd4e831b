"""Consent: agree, or decline without leaving any data behind."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.base.rendering.pages import use_language
from app.base.web.cookies import drop_cookie, get_cookie, set_cookie
from app.base.web.deps import Db
from app.base.web.errors import ForbiddenError, NotFoundError
from app.rating.arrival.arrivals import get_arrival_study
from app.rating.arrival.consent import agree, refuse
from app.rating.arrival.mturk import allow_submission
from app.rating.deps import (
    LINK_KEPT_FOR_S,
    NO_LINK,
    FormFields,
    Session,
    check_going_on,
    keep_link,
    kept_link,
    rater_cookie,
    use_language_of_study,
)
from app.rating.http_responses import go, rater_page
from app.rating.rater_path import current_step, protocol_of
from app.rating.sessions import NotHereError, get_origin, get_rating_session
from app.rating.steps.endings import ending_of, with_link
from app.studies.protocols import get_protocol

router = APIRouter()


def refused_cookie(slug: str) -> str:
    """Name of a cookie that identifies no one: it says that this browser declined, and its platform."""
    return f"refused-{slug}"


@router.get("/{slug}/consent")
def show_consent(request: Request, slug: str, db: Db, session: Session) -> Response:
    if current_step(db, session) != "consent":
        return go(request, "show_current", slug=slug)
    # Before consent, a page has no session to pause or to withdraw from.
    return rater_page(request, "consent.html", slug, protocol_of(db, session), condition=session.condition)


@router.post("/{slug}/consent")
def submit_consent(request: Request, slug: str, db: Db, form: FormFields) -> Response:
    token = get_cookie(request, rater_cookie(slug))
    session = get_rating_session(db, slug, token) if token else None
    if session is None and get_cookie(request, refused_cookie(slug)):
        return go(request, "show_refused", slug=slug)
    if session is None:
        use_language_of_study(request, slug, db)
        raise ForbiddenError(NO_LINK)
    use_language(request, protocol_of(db, session).language)
    check_going_on(request, db, slug, session)
    if "refuse" not in form.get("consent", ()):
        if "agree" in form.get("consent", ()):
            agree(db, session)
        return go(request, "show_current", slug=slug)
    platform, parameters = get_origin(db, session)
    try:
        if not refuse(db, session):
            return go(request, "show_current", slug=slug)
    except NotHereError:
        return go(request, "show_withdraw", slug=slug)
    response = go(request, "show_refused", slug=slug)
    drop_cookie(request, response, rater_cookie(slug))
    set_cookie(request, response, refused_cookie(slug), platform or "none", max_age=LINK_KEPT_FOR_S)
    keep_link(request, response, slug, parameters)
    return response


@router.get("/{slug}/refused")
def show_refused(request: Request, slug: str, db: Db) -> Response:
    study = get_arrival_study(db, slug)
    platform = get_cookie(request, refused_cookie(slug))
    if study is None or platform is None:
        raise NotFoundError
    protocol = get_protocol(db, study.id, study.protocol_version, study.sha256)
    ending = ending_of(protocol, "no_consent", is_prolific=platform == "prolific")
    ending = with_link(ending, "no_consent", platform, kept_link(request, slug))
    response = rater_page(request, "ended.html", slug, protocol, outcome="no_consent", ending=ending)
    return allow_submission(response) if ending.submission else response
