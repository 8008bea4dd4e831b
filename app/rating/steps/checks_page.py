"""Checks: questions about the instructions before the trials, and attention checks between trials."""

from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.base.language.language import language_of
from app.base.language.message import Message
from app.base.web.deps import Db
from app.protocol.checks import AttentionCheck, slot_of_check
from app.protocol.questions.form import Form
from app.rating.deps import FormFields, Session
from app.rating.http_responses import go, rater_page
from app.rating.page.fields import fields_of
from app.rating.rater_path import current_step, protocol_of
from app.rating.sessions import RatingSession
from app.rating.steps.attention import attention_now, submit_attention
from app.rating.steps.comprehension import Comprehension, comprehension_now, submit_comprehension
from app.rating.steps.pauses import pause_now

router = APIRouter()


@router.get("/{slug}/comprehension")
def show_comprehension(request: Request, slug: str, db: Db, session: Session) -> Response:
    if current_step(db, session) != "comprehension":
        return go(request, "show_current", slug=slug)
    return _comprehension(request, slug, db, session, comprehension_now(db, session))


@router.post("/{slug}/comprehension/{attempt}")
def submit_comprehension_page(
    request: Request, slug: str, attempt: int, db: Db, session: Session, form: FormFields
) -> Response:
    """The number of the attempt is in the address, so that submitting a page twice counts as one attempt."""
    if current_step(db, session) == "comprehension":
        now = comprehension_now(db, session)
        if attempt == now.n_attempts + 1 and (wrong := submit_comprehension(db, session, now, form).wrong):
            return _comprehension(request, slug, db, session, now, form=form, wrong=wrong)
    return go(request, "show_current", slug=slug)


@router.get("/{slug}/attention")
def show_attention(request: Request, slug: str, db: Db, session: Session) -> Response:
    check = _attention(db, session)
    if check is None:
        return go(request, "show_current", slug=slug)
    return _attention_page(request, slug, db, session, check)


@router.post("/{slug}/attention")
def submit_attention_page(request: Request, slug: str, db: Db, session: Session, form: FormFields) -> Response:
    check = _attention(db, session)
    if check is None or check.key not in form.get("check", ()):
        return go(request, "show_current", slug=slug)
    wrong = submit_attention(db, session, check, form).wrong
    if wrong:
        return _attention_page(request, slug, db, session, check, form=form, wrong=wrong)
    is_pause = pause_now(db, session, protocol_of(db, session)) is not None
    return go(request, "show_pause" if is_pause else "show_current", slug=slug)


def _attention(db: Db, session: RatingSession) -> AttentionCheck | None:
    return attention_now(db, session, protocol_of(db, session)) if current_step(db, session) == "rating" else None


def _comprehension(
    request: Request,
    slug: str,
    db: Db,
    session: RatingSession,
    now: Comprehension,
    *,
    form: Form | None = None,
    wrong: Mapping[str, Message] | None = None,
) -> Response:
    protocol = protocol_of(db, session)
    fields = fields_of(now.slots, language_of(protocol.language), form=form, wrong=wrong)
    return rater_page(
        request,
        "comprehension.html",
        slug,
        protocol,
        status=422 if wrong else 200,
        session=session,
        now=now,
        fields=fields,
    )


def _attention_page(
    request: Request,
    slug: str,
    db: Db,
    session: RatingSession,
    check: AttentionCheck,
    *,
    form: Form | None = None,
    wrong: Mapping[str, Message] | None = None,
) -> Response:
    protocol = protocol_of(db, session)
    fields = fields_of([slot_of_check(check)], language_of(protocol.language), form=form, wrong=wrong)
    return rater_page(
        request,
        "attention.html",
        slug,
        protocol,
        status=422 if wrong else 200,
        session=session,
        check=check,
        fields=fields,
    )
