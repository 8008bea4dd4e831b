"""After the last item: waiting, debriefing, completion, and other endings."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal, cast

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.base.web.deps import Db
from app.protocol.completion import Outcome
from app.protocol.study import Protocol
from app.protocol.waves import SECOND, days_of, end_step, last_done, numbered, welcome_step
from app.rating.arrival.mturk import allow_submission
from app.rating.deps import Session
from app.rating.http_responses import go, rater_page
from app.rating.rater_path import (
    begin_wave,
    current_page,
    current_step,
    finish,
    finished_on,
    protocol_of,
    today,
    wave_now,
)
from app.rating.seats.assignment_view import AssignmentView
from app.rating.sessions import RatingSession, get_origin, how_ended
from app.rating.steps.debriefing import list_rated_responses
from app.rating.steps.endings import PageEnding, ending_of, with_link
from app.rating.steps.questionnaires import pass_debrief
from app.studies.walk_throughs import end_walk_through, is_walk_through

router = APIRouter()
OUTCOMES = {"screened_out": "screened_out", "failed_checks": "failed_checks"}


@router.get("/{slug}/wait")
def show_wait(request: Request, slug: str, db: Db, session: Session) -> Response:
    now = current_page(db, session)
    if isinstance(now, AssignmentView) or now not in {"wait", "full"}:
        return go(request, "show_current", slug=slug)
    protocol, is_full = protocol_of(db, session), now == "full"
    ending = _ending(db, session, "full") if is_full else None
    return _ending_page(request, "wait.html", slug, protocol, session=session, is_full=is_full, ending=ending)


@router.get("/{slug}/debrief")
def show_debrief(request: Request, slug: str, db: Db, session: Session) -> Response:
    if current_step(db, session) != "debrief":
        return go(request, "show_current", slug=slug)
    protocol = protocol_of(db, session)
    shows = protocol.flow.debrief and protocol.flow.debrief.show_sources
    rated = list_rated_responses(db, session, protocol) if shows else []
    return rater_page(request, "debrief.html", slug, protocol, session=session, rated=rated)


@router.post("/{slug}/debrief")
def submit_debrief(request: Request, slug: str, db: Db, session: Session) -> Response:
    pass_debrief(db, session)
    return go(request, "show_current", slug=slug)


@router.get("/{slug}/done")
def show_done(request: Request, slug: str, db: Db, session: Session) -> Response:
    if not finish(db, session):
        return go(request, "show_current", slug=slug)
    protocol = protocol_of(db, session)
    wave = last_done(protocol.waves, session.passed)
    if is_walk_through(slug) and wave > len(protocol.waves):
        end_walk_through(db, session.study_id)
    is_fresh, is_here = how_ended(db, session, end_step(wave))
    finished = replace(session, session_state="finished")
    ending = _ending(db, session, "completed", wave=wave, is_here=is_here)
    later = Later() if session.status == "closed" else later_waves(protocol, finished_on(session), session.passed)
    return _ending_page(
        request,
        "done.html",
        slug,
        protocol,
        session=finished,
        ending=ending,
        later=later,
        # Who comes back early or late reads when to come, or that it is over, and is not sent to the platform again.
        is_back=not is_fresh and (later.number or later.missed) is not None,
    )


@dataclass(frozen=True, slots=True)
class Later:
    """What a rater who has finished a wave reads about the next ones: the wave that opens next, from when until when;
    and the one that they have missed, if any.
    """

    number: int | None = None
    opens: date | None = None
    closes: date | None = None
    missed: int | None = None
    closed: date | None = None


def later_waves(protocol: Protocol, finished: date, passed: Collection[str]) -> Later:
    """The later waves of a rater who finished the first one on a date."""
    later = Later()
    for number, _ in numbered(protocol.waves):
        opens, closes = days_of(protocol.waves, number, finished)
        if end_step(number) in passed:
            later = Later()
        elif today() < opens:
            return replace(later, number=number, opens=opens, closes=closes)
        elif closes is not None:
            later = Later(missed=number, closed=closes)
    return later


@router.get("/{slug}/wave")
def show_wave(request: Request, slug: str, db: Db, session: Session) -> Response:
    """The page with which a rater begins a later wave."""
    wave = wave_now(db, session)
    if wave is None or current_step(db, session) != welcome_step(wave):
        return go(request, "show_current", slug=slug)
    protocol = protocol_of(db, session)
    declared = protocol.waves[wave - SECOND]
    _, closes = days_of(protocol.waves, wave, finished_on(session))
    return rater_page(request, "wave.html", slug, protocol, session=session, number=wave, wave=declared, closes=closes)


@router.post("/{slug}/wave")
def submit_wave(request: Request, slug: str, db: Db, session: Session) -> Response:
    begin_wave(db, session)
    return go(request, "show_current", slug=slug)


@router.get("/{slug}/ended")
def show_ended(request: Request, slug: str, db: Db, session: Session) -> Response:
    outcome = OUTCOMES.get(session.session_state)
    if outcome is None:
        return go(request, "show_current", slug=slug)
    ending = _ending(db, session, cast("Outcome", outcome))
    return _ending_page(
        request, "ended.html", slug, protocol_of(db, session), session=session, outcome=outcome, ending=ending
    )


def _ending(
    db: Db,
    session: RatingSession,
    outcome: Outcome | Literal["completed"],
    *,
    wave: int = 1,
    is_here: bool = False,
) -> PageEnding:
    """The code, address and message at the end.

    A browser that only has an ID gets the code of a later wave that was answered there (`is_here`).
    """
    platform, parameters = get_origin(db, session)
    is_elsewhere = session.is_moved and not is_here
    is_prolific = platform == "prolific"
    ending = ending_of(protocol_of(db, session), outcome, is_prolific=is_prolific, is_moved=is_elsewhere, wave=wave)
    return with_link(ending, outcome, platform, parameters)


def _ending_page(
    request: Request,
    template: str,
    slug: str,
    protocol: Protocol,
    *,
    ending: PageEnding | None,
    **context: Any,  # noqa: ANN401 - a template takes anything
) -> Response:
    response = rater_page(request, template, slug, protocol, ending=ending, **context)
    return allow_submission(response) if ending and ending.submission else response
