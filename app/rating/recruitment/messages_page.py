"""Write to raters, and see who has read what."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import Response

from app.accounts.leads import Lead
from app.accounts.session import SignedIn
from app.base.rendering.pages import page
from app.base.web.cookies import after_showing, redirect_showing, shown_once
from app.base.web.deps import Db
from app.rating.steps.messages import LONGEST_MESSAGE, MessageError, count_open_raters, list_sent, send_message
from app.studies.own_study import Own
from app.studies.studies import StudyRow

router = APIRouter()
MAX_SHOWN = 50


@router.get("/studies/{slug}/raters/messages")
def show_messages(
    request: Request, db: Db, lead: SignedIn, study: Own, rater: Annotated[str, Query(max_length=200)] = ""
) -> Response:
    return _page(request, db, lead, study, rater=rater)


@router.post("/studies/{slug}/raters/messages")
def submit_message(
    request: Request,
    db: Db,
    lead: SignedIn,
    study: Own,
    text: Annotated[str, Form(max_length=10_000)] = "",
    rater: Annotated[str, Form(max_length=200)] = "",
) -> Response:
    try:
        n_sent = send_message(db, study, lead, text, rater=rater)
    except MessageError as error:
        return _page(request, db, lead, study, rater=rater, text=text, problem=str(error))
    return redirect_showing(request, str(request.app.url_path_for("show_messages", slug=study.slug)), str(n_sent))


def _page(
    request: Request,
    db: Db,
    lead: Lead,
    study: StudyRow,
    *,
    rater: str = "",
    text: str = "",
    problem: str = "",
) -> Response:
    n_sent = shown_once(request)
    response = page(
        request,
        "rating/recruitment/messages.html",
        status=422 if problem else 200,
        lead=lead,
        study=study,
        rater=rater,
        text=text,
        problem=problem,
        n_sent=int(n_sent) if n_sent.isdecimal() else 0,
        n_open=count_open_raters(db, study.id),
        sent=list_sent(db, study.id, MAX_SHOWN),
        longest=LONGEST_MESSAGE,
    )
    return after_showing(request, response)
