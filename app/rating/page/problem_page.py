"""Report a problem: a note to the lead, about the item of a trial or about any other page."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.base.language.message import Message
from app.base.rendering.pages import is_htmx
from app.base.web.deps import Db
from app.protocol.questions.form import Form
from app.rating.deps import FormFields, Own, Session
from app.rating.http_responses import rater_page
from app.rating.rater_path import protocol_of
from app.rating.seats.assignment_view import AssignmentView
from app.rating.sessions import RatingSession
from app.rating.steps.reported_problems import ProblemError, report_problem

router = APIRouter()


@router.get("/{slug}/problem")
def show_problem(request: Request, slug: str, db: Db, session: Session, page: str = "") -> Response:
    """The form, in a tab of its own, for a page without one."""
    protocol = protocol_of(db, session)
    return rater_page(request, "problem_page.html", slug, protocol, session=session, view=None, problem_page=page)


@router.post("/{slug}/problem")
def submit_page_problem(request: Request, slug: str, db: Db, session: Session, form: FormFields) -> Response:
    return _answer(request, slug, db, session, form, None)


@router.post("/{slug}/rate/{token}/problem")
def submit_problem(request: Request, slug: str, db: Db, own: Own, form: FormFields) -> Response:
    """Store it. With scripts, the answer takes the place of the form; otherwise it is a page in a tab of its own."""
    return _answer(request, slug, db, own[0], form, own[1])


def _answer(
    request: Request, slug: str, db: Db, session: RatingSession, form: Form, view: AssignmentView | None
) -> Response:
    words, page = (next(iter(form.get(name, ())), "") for name in ("problem", "page"))
    error: Message | None = None
    try:
        report_problem(db, session, words, view or page)
    except ProblemError as refused:
        error = refused.words
    return rater_page(
        request,
        "problem_form.html" if is_htmx(request) else "problem_page.html",
        slug,
        protocol_of(db, session),
        status=422 if error else 200,
        session=session,
        view=view,
        problem_page=page,
        is_reported=not error,
        problem_text=words if error else "",
        problem_error=error,
    )
