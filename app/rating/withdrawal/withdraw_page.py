"""Withdrawal: as easy as consenting, at any time, with a receipt."""

from datetime import UTC
from typing import Literal, cast

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.base.web.cookies import get_cookie
from app.base.web.deps import Db
from app.base.web.errors import ForbiddenError, GoneError
from app.protocol.completion import Outcome
from app.rating.arrival.mturk import allow_submission
from app.rating.deps import (
    NO_LINK,
    WITHDREW,
    AnySession,
    FormFields,
    keep_link,
    kept_link,
    rater_cookie,
    use_language_of_study,
)
from app.rating.http_responses import go, rater_page
from app.rating.rater_path import protocol_of
from app.rating.sessions import get_origin, get_rating_session
from app.rating.steps.endings import ending_of, with_link
from app.rating.withdrawal.deletions import deletion_of_rater
from app.rating.withdrawal.withdraw import get_withdrawal, outcome_of, withdraw
from app.studies.protocols import get_protocol

router = APIRouter()


@router.get("/{slug}/withdraw")
def show_withdraw(request: Request, slug: str, db: Db, session: AnySession) -> Response:
    if session.session_state == "withdrawn":
        return go(request, "show_receipt", slug=slug)
    has_done_all = outcome_of(db, session) == "completed"
    return rater_page(
        request, "withdraw.html", slug, protocol_of(db, session), session=session, has_done_all=has_done_all
    )


@router.post("/{slug}/withdraw")
def submit_withdraw(request: Request, slug: str, db: Db, session: AnySession, form: FormFields) -> Response:
    wish = next(iter(form.get("withdraw", ())), "")
    is_possible = wish == "delete" or (wish == "stop" and not session.has_ended)
    if session.is_moved or not is_possible:
        return go(request, "show_withdraw", slug=slug)
    _, parameters = get_origin(db, session)
    receipt = withdraw(db, session, is_deletion=wish == "delete")
    response = go(request, "show_receipt", slug=slug)
    if wish == "delete":
        request.app.state.deletions.add(deletion_of_rater(db, session.study_id, receipt))
        keep_link(request, response, slug, parameters)
    return response


@router.get("/{slug}/withdrawn")
def show_receipt(request: Request, slug: str, db: Db) -> Response:
    token = get_cookie(request, rater_cookie(slug))
    found = get_withdrawal(db, slug, token) if token else None
    session = get_rating_session(db, slug, token) if token else None
    if found is None:
        use_language_of_study(request, slug, db)
        if session and session.session_state == "withdrawn":
            raise GoneError(WITHDREW)
        raise ForbiddenError(NO_LINK)
    protocol = get_protocol(db, found.study_id, found.protocol_version, found.sha256)
    outcome = cast("Outcome | Literal['completed']", found.outcome)
    parameters = get_origin(db, session)[1] if session else kept_link(request, slug)
    ending = ending_of(protocol, outcome, is_prolific=found.platform == "prolific")
    ending = with_link(ending, outcome, found.platform, parameters)
    at = (found.deleted_at or found.withdrew_at).astimezone(UTC)
    response = rater_page(request, "receipt.html", slug, protocol, withdrawal=found, at=at, ending=ending)
    return allow_submission(response) if ending.submission else response
