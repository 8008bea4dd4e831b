"""After the last item: questions about the rater, waiting, and completion."""

from __future__ import annotations

from urllib.parse import urlencode, urlsplit

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.actions.rating import current_page, finish, protocol_of, submit_about_rater
from app.design.protocol import Completion
from app.design.slot import slots_of_rater
from app.storage.assignments_view import AssignmentView
from app.storage.rating_sessions import get_platform
from app.storage.ratings import list_answers_about_rater
from app.web.deps import Db
from app.web.rater.answers import go, rater_page
from app.web.rater.deps import FormFields, Session
from app.web.rater.fields import fields_of

router = APIRouter()
PROLIFIC = "https://app.prolific.com/submissions/complete"


@router.get("/{slug}/about")
def show_about(request: Request, slug: str, db: Db, session: Session) -> Response:
    if current_page(db, session) != "about":
        return go(request, "show_current", slug=slug)
    protocol = protocol_of(db, session)
    fields = fields_of(slots_of_rater(protocol), list_answers_about_rater(db, session))
    return rater_page(request, "about.html", slug, protocol, fields=fields, session=session)


@router.post("/{slug}/about")
def submit_about(request: Request, slug: str, db: Db, session: Session, form: FormFields) -> Response:
    if current_page(db, session) != "about":
        return go(request, "show_current", slug=slug)
    answers = submit_about_rater(db, session, form)
    if not answers.wrong:
        return go(request, "show_done", slug=slug)
    protocol = protocol_of(db, session)
    fields = fields_of(slots_of_rater(protocol), form=form, wrong=answers.wrong)
    return rater_page(request, "about.html", slug, protocol, status=422, fields=fields, session=session)


@router.get("/{slug}/wait")
def show_wait(request: Request, slug: str, db: Db, session: Session) -> Response:
    now = current_page(db, session)
    if isinstance(now, AssignmentView) or now not in {"wait", "full"}:
        return go(request, "show_current", slug=slug)
    return rater_page(request, "wait.html", slug, protocol_of(db, session), is_full=now == "full")


@router.get("/{slug}/done")
def show_done(request: Request, slug: str, db: Db, session: Session) -> Response:
    if not finish(db, session):
        return go(request, "show_current", slug=slug)
    protocol = protocol_of(db, session)
    is_prolific = get_platform(db, session) == "prolific"
    address = completion_address(protocol.completion, is_prolific=is_prolific)
    return rater_page(request, "done.html", slug, protocol, address=address, is_prolific=is_prolific)


def completion_address(completion: Completion, *, is_prolific: bool) -> str | None:
    """Where a rater goes to be paid: the study's own address, else Prolific's with the code.

    >>> completion_address(Completion(code="C1"), is_prolific=True)
    'https://app.prolific.com/submissions/complete?cc=C1'
    """
    if completion.url:
        return completion.url if urlsplit(completion.url).scheme in {"https", "http"} else None
    return f"{PROLIFIC}?{urlencode({'cc': completion.code})}" if is_prolific and completion.code else None
