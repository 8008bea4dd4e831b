"""One rater's pages as the rater saw them, with the answers given on each."""

from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.accounts.session import SignedIn
from app.base.rendering.pages import page, use_language
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError
from app.base.web.middleware.security import FRAMING_POLICY
from app.protocol.pages.reveal import Stage
from app.rating.conversations.shown_writing import shown_writing
from app.rating.conversations.transcripts import read_writing
from app.rating.conversations.turns import is_writing
from app.rating.page.sheet import make_sheet
from app.rating.preview.preview_page import NOBODY, framed
from app.rating.rater_path import slots_of
from app.rating.review.exclusions import get_rater_key
from app.rating.review.seen_trials import SeenTrial, get_seen_page, list_seen_trials
from app.rating.seats.assignment_view import to_show
from app.studies.own_study import Own
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

router = APIRouter()


@router.get("/studies/{slug}/raters/{rater}/answers")
def show_rater_answers(request: Request, db: Db, lead: SignedIn, study: Own, rater: int, at: int = 0) -> Response:
    trials, shown, key = _found(db, study, rater, at)
    place = trials.index(shown)
    response = page(
        request,
        "rating/review/seen_trials.html",
        lead=lead,
        study=study,
        rater=rater,
        rater_key=key,
        trials=trials,
        shown=shown,
        place=place,
        before=trials[place - 1] if place else None,
        after=trials[place + 1] if place + 1 < len(trials) else None,
        labels=get_protocol(db, study.id, study.protocol_version).labels,
    )
    response.headers["Content-Security-Policy"] = FRAMING_POLICY
    return response


@router.get("/studies/{slug}/raters/{rater}/answers/page")
def show_rater_page(request: Request, db: Db, study: Own, rater: int, at: int = 0) -> Response:
    _, shown, _ = _found(db, study, rater, at)
    version, view = get_seen_page(db, study.id, rater, shown)
    protocol = get_protocol(db, study.id, version)
    use_language(request, protocol.language)
    if is_writing(protocol, view):
        view = to_show(db, replace(view, id=shown.id))
        template, written = shown_writing(protocol, view, read_writing(db, protocol, view))
        written |= {"session": NOBODY, "now_ms": 0}
        return framed(page(request, f"rating/preview/{template}", slug=study.slug, protocol=protocol, **written))
    # Questions of a later visit are below those of the first, although the rater saw them on a page of their own.
    asked = (*slots_of(protocol, view), *slots_of(protocol, replace(view, is_revisit=True)))
    view = replace(view, place=shown.position, n_all=shown.position)
    sheet = make_sheet(protocol, view, asked=(Stage(), asked), wrong={})
    context: dict[str, Any] = {"view": view, "sheet": sheet, "skip_reasons": (), "session": NOBODY, "now_ms": 0}
    return framed(page(request, "rating/preview/seen.html", slug=study.slug, protocol=protocol, **context))


def _found(db: Db, study: StudyRow, rater: int, at: int) -> tuple[list[SeenTrial], SeenTrial, str]:
    """The rater's trials, the one with this ID, otherwise the first, and the pseudonym.

    Raises:
        NotFoundError: no such rater, no trial that they were shown, or the trial of another rater.
    """
    key, trials = get_rater_key(db, study.id, rater), list_seen_trials(db, study.id, rater)
    shown = next((one for one in trials if one.id == at or not at), None)
    if key is None or shown is None:
        raise NotFoundError
    return trials, shown, key
