"""The draft as raters will see it, in a frame of the design pages. Nothing in it can be submitted."""

from types import SimpleNamespace
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse, Response

from app.base.language.language import language_of
from app.base.rendering.pages import language_in, page, use_language
from app.base.web.deps import Db
from app.base.web.middleware.security import FRAMED_POLICY
from app.protocol.pages.steps import questionnaire_of, slots_of_step
from app.protocol.study import Protocol
from app.protocol.waves import SECOND, end_step, wave_step
from app.rating.arrival.expected_minutes import expected_minutes, waiting_minutes
from app.rating.conversations.shown_writing import example_writing
from app.rating.page.fields import fields_of, in_matrices
from app.rating.page.plain_text import instructions_text, trial_text
from app.rating.page.sheet import make_sheet
from app.rating.preview.preview import example_trial, length_of
from app.rating.rater_path import today
from app.rating.steps.endings import ending_of
from app.rating.steps.last_pages import later_waves
from app.studies.editor.preview_pages import WRITING, PreviewPage, preview_pages
from app.studies.editor.protocol_edits import get_draft
from app.studies.editor.shown_draft import shown_protocol
from app.studies.own_study import Own
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow

router = APIRouter()
# A stand-in for the rating session: no links to pause or withdraw, no keyboard shortcuts.
NOBODY = SimpleNamespace(keys_off=True, session_state="withdrawn", has_begun=False, is_moved=False, sha256=None)


@router.get("/studies/{slug}/design/preview")
def show_design_preview(request: Request, db: Db, study: Own, at: str = "") -> Response:
    protocol = shown_protocol(get_draft(db, study), get_protocol(db, study.id, study.protocol_version))
    use_language(request, protocol.language)
    pages = preview_pages(protocol)
    first = next((one for one in pages if one.step == "rating"), pages[0])
    shown = next((one for one in pages if one.key == at), first)
    template, context = _page_of(request, db, study, protocol, shown)
    return framed(
        page(
            request,
            f"rating/preview/{template}",
            slug=study.slug,
            protocol=protocol,
            session=NOBODY,
            now_ms=0,
            **context,
        )
    )


def framed(response: Response) -> Response:
    """The response, which our own pages may show in a frame, and in which no form can be sent."""
    response.headers["Content-Security-Policy"] = FRAMED_POLICY.replace("form-action 'self'", "form-action 'none'")
    return response


@router.get("/studies/{slug}/design/preview/text")
def show_preview_text(db: Db, study: Own, at: str = "") -> Response:
    """The instructions and a trial as plain text, as model judges read them."""
    protocol = shown_protocol(get_draft(db, study), get_protocol(db, study.id, study.protocol_version))
    language = language_of(protocol.language)
    pages = [one for one in preview_pages(protocol) if one.step == "rating"]
    shown = next((one for one in pages if one.key == at), pages[0])
    view = example_trial(db, study.id, protocol, shown.cell)
    trial = trial_text(make_sheet(protocol, view, wrong={}), view, language) if view else "There is no trial to show."
    return PlainTextResponse(f"{instructions_text(protocol, language)}\n\n{trial}\n")


def _page_of(
    request: Request, db: Db, study: StudyRow, protocol: Protocol, shown: PreviewPage
) -> tuple[str, dict[str, Any]]:
    """The template of a page and its context."""
    if shown.step in {"rating", *WRITING}:
        view = example_trial(db, study.id, protocol, shown.cell, n_all=length_of(db, study.id, protocol))
        if view is None:
            return "nothing.html", {}
        if shown.step in WRITING:
            return example_writing(protocol, view, shown.cell)
        return "rate.html", {"view": view, "sheet": make_sheet(protocol, view, wrong={}), "skip_reasons": ()}
    if questionnaire := questionnaire_of(protocol, shown.step):
        slots = slots_of_step(protocol, shown.step)
        fields, asked = fields_of(slots, language_in(request)), {s.name for s in slots if not s.question.show_if}
        parts = in_matrices([(field,) for field in fields], protocol.layout)
        context = {"questionnaire": questionnaire, "fields": fields, "parts": parts, "asked": asked, "step": shown.step}
        return "questions.html", context
    later = wave_step(shown.step)
    wave = later.wave if later else 1
    if later and not later.part:
        return "wave.html", {"number": wave, "wave": protocol.waves[wave - SECOND], "closes": None}
    names = {"consent": "consent.html", "instructions": "start.html", "debrief": "debrief.html"}
    ending = ending_of(protocol, "completed", is_prolific=False, wave=wave)
    length = length_of(db, study.id, protocol)
    minutes, waits = expected_minutes(db, study.id, protocol, length), waiting_minutes(protocol)
    done = [end_step(number) for number in range(SECOND, wave + 1)]
    to_come = later_waves(protocol, today(), done)
    context = {"length": length, "minutes": minutes, "waits": waits, "rated": [], "ending": ending, "later": to_come}
    context |= {"is_back": False}
    return names.get(shown.step, "done.html"), context
