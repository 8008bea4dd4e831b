"""Arrival: from a platform's link to an address without parameters."""

import secrets
import unicodedata
from collections.abc import Mapping, Sequence

from fastapi import APIRouter, Depends, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from app.accounts.rate_limits import arrival_limit, count
from app.base.language.message import message
from app.base.rendering.pages import use_language
from app.base.web.cookies import address_of, get_cookie, set_cookie
from app.base.web.deps import Db, turn
from app.base.web.errors import ForbiddenError, GoneError, NoStudyError, PageError, RedirectError, TooManyError
from app.protocol.study import Protocol
from app.rating.arrival import mturk
from app.rating.arrival.arrivals import ArrivalStudy, OpenedSession, get_arrival_study, has_arrived
from app.rating.deps import MAX_AGE_S, NO_LINK, NOT_YET, WITHDREW, NotOpenError, check_open, rater_cookie
from app.rating.http_responses import go, rater_page
from app.rating.rater_path import Arrival, InvitedOnlyError, arrive
from app.rating.sessions import get_rating_session
from app.studies.protocols import get_protocol

router = APIRouter()
# For each parameter with a participant ID: the platform, and the other parameters that it sends.
PLATFORMS = {
    "invite": ("invite", ()),
    "PROLIFIC_PID": ("prolific", ("STUDY_ID", "SESSION_ID")),
    "workerId": ("mturk", ("assignmentId", "hitId", "turkSubmitTo")),
    "survey_code": ("sona", ("survey_code",)),
    "participant": ("participant", ()),
}
MAX_ID = 200
AGAIN = "again"
# The parameter of a link for a later wave: such a link never starts the study for somebody new.
WAVE = "wave"


class LinkError(PageError):
    """The link does not identify the rater."""

    title = message("This link is not complete")


class LaterPartError(PageError):
    """The link is for a later wave, and nobody with this participant ID took part in the first one."""

    status = 403
    title = message("This link is for people who took part before")


class InvalidLinkError(PageError):
    """The personal link is unknown or revoked."""

    status = 403
    title = message("This link does not work")


async def count_arrival(request: Request, slug: str) -> None:
    """Limit arrivals without a cookie, so that IDs cannot be guessed. Counted before the transaction begins."""
    if get_cookie(request, rater_cookie(slug)):
        return
    state = request.app.state
    limit = arrival_limit(address_of(request), state.max_arrivals)
    async with turn(state.turns):
        wait_s = await run_in_threadpool(count, state.begin, [limit])
    if wait_s:
        raise TooManyError(message("The study is very busy. Please try again in a minute."), retry_after_s=wait_s)


@router.get("/{slug}", dependencies=[Depends(count_arrival)])
def show_arrival(request: Request, slug: str, db: Db) -> Response:
    study = get_arrival_study(db, slug)
    if study is None:
        raise NoStudyError
    protocol = get_protocol(db, study.id, study.protocol_version, study.sha256)
    if request.query_params.get("assignmentId") == mturk.PREVIEW:
        return mturk.allow_frame(rater_page(request, "preview.html", slug, protocol))
    use_language(request, protocol.language)
    arrival = read_arrival(request.query_params, list(protocol.design.quotas))
    if arrival is not None and arrival.platform == "mturk" and mturk.is_framed(request):
        address = f"?{request.url.query}"
        return mturk.allow_frame(rater_page(request, "framed.html", slug, protocol, address=address))
    if arrival is None and get_cookie(request, rater_cookie(slug)):
        return go(request, "show_current", slug=slug)
    if arrival is None and protocol.recruitment.platform == "link":
        own_id = {**request.query_params, "participant": secrets.token_hex(8)}
        arrival = read_arrival(own_id, list(protocol.design.quotas))
    if arrival is None:
        raise LinkError(
            message(
                "This link is missing your participant ID. Please go back to the page or message you came from and "
                "open the study from there again."
            )
        )
    # A personal link is looked up first: one that was revoked will not work later either.
    if study.status == "draft" and arrival.platform != "invite":
        raise NotOpenError(NOT_YET)
    if _is_new_to_later_wave(request, db, study, protocol, arrival):
        raise LaterPartError(
            message(
                "Your participant ID is not one of those from the first part, so nothing was stored. Please open this "
                "part from the account with which you took part before."
            )
        )
    rating_session = _open_session(request, slug, db, study, arrival)
    # Checked before the commit: an exception here rolls back the arrival of a new rater.
    if session := get_rating_session(db, slug, rating_session.token):
        check_open(db, slug, session)
    response = go(request, "show_current", slug=slug)
    set_cookie(request, response, rater_cookie(slug), rating_session.token, max_age=MAX_AGE_S)
    return response


def _is_new_to_later_wave(request: Request, db: Db, study: ArrivalStudy, protocol: Protocol, arrival: Arrival) -> bool:
    """Whether the link names a later wave, and its participant ID is new. Personal links are known or do not work."""
    number = request.query_params.get(WAVE, "")
    is_later = bool(protocol.waves) and number not in {"", "1"} and arrival.platform != "invite"
    return is_later and not has_arrived(db, study, arrival.platform, arrival.platform_id)


def _open_session(request: Request, slug: str, db: Db, study: ArrivalStudy, arrival: Arrival) -> OpenedSession:
    try:
        rating_session = arrive(db, study, arrival, cookie=get_cookie(request, rater_cookie(slug)))
    except InvitedOnlyError:
        raise ForbiddenError(
            message("This study is by invitation only. Please open it with the personal link you were sent.")
        ) from None
    if rating_session is None:
        raise InvalidLinkError(
            message(
                "This personal link is incomplete or no longer valid. Please use the newest link you were sent, or ask "
                "the person who sent it for a new one."
            )
        )
    if not rating_session.token:
        raise GoneError(WITHDREW)
    if rating_session.is_just_moved and AGAIN not in request.query_params:
        # The link was opened twice at once: on the next request the browser has its cookie. The move is rolled back.
        raise RedirectError(f"{request.url.path}?{request.url.query}&{AGAIN}=1", NO_LINK)
    return rating_session


def read_arrival(query: Mapping[str, str], attributes: Sequence[str]) -> Arrival | None:
    """The arriving rater, from the first parameter with a valid participant ID; None if there is none.

    Args:
        query: the link's parameters.
        attributes: attributes used in the study's quotas, kept in addition to the platform's own parameters.
    """
    for name, (platform, others) in PLATFORMS.items():
        platform_id = query.get(name, "").strip()
        if _is_id(platform_id):
            parameters = {other: query[other] for other in (*others, *attributes) if _is_id(query.get(other, ""))}
            return Arrival(platform, platform_id, parameters)
    return None


def _is_id(text: str) -> bool:
    """Whether the text can be an ID: not a placeholder that the platform left unfilled, and no invisible characters."""
    is_placeholder = text.startswith(("{{%", "%", "${"))
    return 0 < len(text) <= MAX_ID and not is_placeholder and not any(unicodedata.category(c)[0] == "C" for c in text)
