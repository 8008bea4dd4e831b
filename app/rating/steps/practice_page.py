"""Practice: a page, then feedback on it, until the practice is passed or the attempts are used up."""

from collections.abc import Mapping
from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.base.language.language import Language, language_of
from app.base.language.message import Message
from app.base.web.deps import Db
from app.protocol.checks import is_right
from app.protocol.questions.display import Display
from app.protocol.questions.form import Form
from app.protocol.questions.slot import Slot
from app.protocol.study import Protocol
from app.rating.deps import FormFields, Session
from app.rating.http_responses import go, rater_page
from app.rating.page.sheet import Sheet, make_sheet
from app.rating.rater_path import current_step, protocol_of, slots_of
from app.rating.sessions import RatingSession
from app.rating.steps.practice import Feedback, PracticePage, feedback_on, next_practice, practice_page, submit_practice

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Line:
    """One question of a practice page: the given and the accepted answers, in the page's words.

    `given` has with each answer what it is about, such as Response A, if the page has several.
    """

    text: str
    given: tuple[tuple[Message | None, str], ...]
    accepted: tuple[str, ...]
    is_right: bool


@router.get("/{slug}/practice")
def show_practice(request: Request, slug: str, db: Db, session: Session) -> Response:
    if current_step(db, session) != "practice":
        return go(request, "show_current", slug=slug)
    return _page(request, slug, db, session, practice_page(db, session, next_practice(db, session)))


@router.post("/{slug}/practice/{number}")
def submit_practice_page(
    request: Request, slug: str, number: int, db: Db, session: Session, form: FormFields
) -> Response:
    if current_step(db, session) == "practice" and number == next_practice(db, session):
        page = practice_page(db, session, number)
        wrong = submit_practice(db, session, page, form).wrong
        if wrong:
            return _page(request, slug, db, session, page, form=form, wrong=wrong)
    return go(request, "show_feedback", slug=slug, number=number)


@router.get("/{slug}/practice/{number}")
def show_feedback(request: Request, slug: str, number: int, db: Db, session: Session) -> Response:
    """The feedback on a page; it has the address of the form, so that *back* in a browser leads to it."""
    feedback = feedback_on(db, session, number)
    if feedback is None:
        return go(request, "show_current", slug=slug)
    protocol = protocol_of(db, session)
    sheet = make_sheet(protocol, feedback.page.view, wrong={})
    lines = _lines(feedback, protocol, sheet)
    return rater_page(
        request, "feedback.html", slug, protocol, session=session, feedback=feedback, lines=lines, sheet=sheet
    )


def _page(
    request: Request,
    slug: str,
    db: Db,
    session: RatingSession,
    page: PracticePage,
    *,
    form: Form | None = None,
    wrong: Mapping[str, Message] | None = None,
) -> Response:
    protocol = protocol_of(db, session)
    sheet = make_sheet(protocol, page.view, form=form, wrong=wrong or {})
    return rater_page(
        request,
        "practice.html",
        slug,
        protocol,
        status=422 if wrong else 200,
        session=session,
        view=page.view,
        sheet=sheet,
        is_expected=bool(page.declared.expect),
    )


def _lines(feedback: Feedback, protocol: Protocol, sheet: Sheet) -> list[Line]:
    """The questions with expected answers, in the order of the page."""
    expect, language = feedback.page.declared.expect, language_of(protocol.language)
    names: dict[str, list[str]] = {}
    for slot in slots_of(protocol, feedback.page.view):
        names.setdefault(slot.question.key, []).append(slot.name)
    lines = []
    for fields in (block.rows for block in sheet.blocks if block.first.question.key in expect):
        first, key = fields[0].slot, fields[0].question.key
        given = feedback.answers.get(key, ())
        by_name = dict(zip(names[key], given, strict=False))
        answers = ((field.about, by_name.get(field.slot.name, "")) for field in fields)
        lines.append(
            Line(
                first.question.text,
                tuple((about, _words(feedback, first, value, language)) for about, value in answers if value),
                tuple(_words(feedback, first, value, language) for value in expect[key]),
                is_right(expect[key], given),
            )
        )
    return lines


def _words(feedback: Feedback, slot: Slot, value: str, language: Language) -> str:
    """An answer written as in ratings.csv, in the words of the page."""
    keys = [feedback.page.keys[response_id] for response_id in feedback.page.view.response_ids]
    return slot.question.as_read(value, keys, Display(language, slot.n_shown))
