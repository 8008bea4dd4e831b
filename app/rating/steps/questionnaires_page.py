"""Pages of questions about the rater: eligibility, before the trials, and after them."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.base.language.message import message
from app.base.rendering.pages import language_in
from app.base.web.deps import Db
from app.protocol.pages.steps import questionnaire_of
from app.rating.deps import FormFields, Session
from app.rating.http_responses import go, rater_page, refuse_save
from app.rating.page.fields import Field, fields_of, in_matrices
from app.rating.page.rate import answer_save
from app.rating.rater_path import current_step, protocol_of
from app.rating.sessions import NotHereError, RatingSession
from app.rating.steps.questionnaires import pass_if_empty, save_questions, shown_now, submit_questions
from app.rating.steps.rater_answers import latest_ms, list_rater_answers

router = APIRouter()


@router.get("/{slug}/questions/{step}")
def show_questions(request: Request, slug: str, step: str, db: Db, session: Session) -> Response:
    if current_step(db, session) != step:
        return go(request, "show_current", slug=slug)
    if pass_if_empty(db, session, step):
        return go(request, "show_current", slug=slug)
    # Earlier answers may have been given by someone else.
    answers = [] if session.is_moved else list_rater_answers(db, session)
    slots, asked = shown_now(db, session, step)
    return _page(request, slug, db, session, step, fields_of(slots, language_in(request), answers), asked)


@router.post("/{slug}/questions/{step}")
def submit_page_of_questions(
    request: Request, slug: str, step: str, db: Db, session: Session, form: FormFields
) -> Response:
    if current_step(db, session) != step or questionnaire_of(protocol_of(db, session), step) is None:
        return go(request, "show_current", slug=slug)
    try:
        answers = submit_questions(db, session, step, form)
    except NotHereError:
        return go(request, "show_withdraw", slug=slug)
    if not answers.wrong:
        return go(request, "show_current", slug=slug)
    slots, asked = shown_now(db, session, step, form)
    fields = fields_of(slots, language_in(request), form=form, wrong=answers.wrong)
    return _page(request, slug, db, session, step, fields, asked, status=422)


@router.post("/{slug}/questions/{step}/save")
def save_page_of_questions(
    request: Request,
    slug: str,  # noqa: ARG001 - `Session` reads it
    step: str,
    db: Db,
    session: Session,
    form: FormFields,
) -> Response:
    if current_step(db, session) != step:
        return refuse_save(request, 409, message("You have already submitted this page."))
    return answer_save(request, save_questions(db, session, step, form))


def _page(
    request: Request,
    slug: str,
    db: Db,
    session: RatingSession,
    step: str,
    fields: tuple[Field, ...],
    asked: frozenset[str],
    *,
    status: int = 200,
) -> Response:
    protocol = protocol_of(db, session)
    questionnaire = questionnaire_of(protocol, step)
    if questionnaire is None:
        return go(request, "show_current", slug=slug)
    return rater_page(
        request,
        "questions.html",
        slug,
        protocol,
        status=status,
        latest_ms=latest_ms(db, session),
        session=session,
        step=step,
        questionnaire=questionnaire,
        fields=fields,
        parts=in_matrices([(field,) for field in fields], protocol.layout),
        asked=asked,
    )
