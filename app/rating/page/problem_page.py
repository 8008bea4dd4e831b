"""Report a problem with an item: a note to the lead, from the page of a trial."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.base.language.message import Message
from app.base.rendering.pages import is_htmx
from app.base.web.deps import Db
from app.rating.deps import FormFields, Own
from app.rating.http_responses import rater_page
from app.rating.rater_path import protocol_of
from app.rating.steps.reported_problems import ProblemError, report_problem

router = APIRouter()


@router.post("/{slug}/rate/{token}/problem")
def submit_problem(request: Request, slug: str, db: Db, own: Own, form: FormFields) -> Response:
    """Store it. With scripts, the answer takes the place of the form; otherwise it is a page in a tab of its own."""
    session, view = own
    words = next(iter(form.get("problem", ())), "")
    error: Message | None = None
    try:
        report_problem(db, view, words)
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
        is_reported=not error,
        problem_text=words if error else "",
        problem_error=error,
    )
