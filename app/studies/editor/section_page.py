"""One section of the protocol as a form. Every save updates the draft, even with problems."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.leads import Lead
from app.accounts.session import SignedIn
from app.base.rendering.pages import is_htmx
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError
from app.studies.editor.check_form import KINDS as CHECKS
from app.studies.editor.check_form import with_checks_that_fit, with_new_check
from app.studies.editor.controls import Control
from app.studies.editor.design_page import DesignForm, SentForm, design_page, placed, save_section
from app.studies.editor.named_choices import item_options, with_choices, with_items
from app.studies.editor.preview_pages import preview_pages
from app.studies.editor.primary_form import PATH as CONTRASTS
from app.studies.editor.primary_form import implied_contrast, with_new_contrast, with_parts_that_fit, with_sentences
from app.studies.editor.protocol_edits import Edit, get_draft
from app.studies.editor.sections import BY_KEY, Section, section_controls, with_section
from app.studies.own_study import Own
from app.studies.studies import StudyRow

router = APIRouter()
# The pages that name items.
_WITH_ITEMS = frozenset({"checks", "practice"})
# What is added ready to use, not as an empty entry.
_ADDED = frozenset({*CHECKS, CONTRASTS})


@router.get("/studies/{slug}/design/{part}")
def show_section(request: Request, db: Db, lead: SignedIn, study: Own, part: str, add: str = "") -> Response:
    return _page(request, db, lead, study, get_draft(db, study), _section(part), add=add)


@router.post("/studies/{slug}/design/{part}")
def submit_section(request: Request, db: Db, lead: SignedIn, study: Own, part: str, form: DesignForm) -> Response:
    section = _section(part)

    def apply(data: dict[str, Any]) -> dict[str, Any]:
        edited = with_parts_that_fit(data, with_checks_that_fit(data, with_section(section, data, form.fields)))
        if form.do != "add" or form.target not in _ADDED:
            return edited
        return with_new_check(edited, form.target) if form.target in CHECKS else with_new_contrast(edited)

    edit = save_section(request, db, lead, study, form, section, apply)
    if isinstance(edit, Response):
        return edit
    if is_htmx(request):
        return _page(request, db, lead, study, edit, section, form=form)
    address = request.url.path
    if form.do == "add" and form.target not in _ADDED:
        return RedirectResponse(f"{address}?add={form.target}#{form.target}", 303)
    return RedirectResponse(f"{address}#{form.target}" if form.do == "add" else f"{address}?saved=1", 303)


def _section(part: str) -> Section:
    if part not in BY_KEY:
        raise NotFoundError
    return BY_KEY[part]


def _page(
    request: Request,
    db: Db,
    lead: Lead,
    study: StudyRow,
    edit: Edit,
    section: Section,
    *,
    add: str = "",
    form: SentForm | None = None,
) -> Response:
    controls = [
        with_sentences(with_choices(one, edit.data), edit.data) for one in section_controls(section, edit.data, add=add)
    ]
    controls.sort(key=lambda one: one.name != CONTRASTS)
    if section.key in _WITH_ITEMS:
        items = item_options(db, study.id)
        controls = [with_items(one, items) for one in controls]
    return design_page(
        request,
        "section.html",
        lead,
        study,
        edit,
        section.key,
        section=section,
        controls=controls,
        redrawn=[one for control in controls for one in control.all if form and _is_redrawn(one, form)],
        placed=placed(edit.problems, controls),
        pages=preview_pages(edit.protocol) if edit.protocol else [],
        title=section.title,
        intro=section.intro,
        implied=_implied(edit) if section.key == "analysis" else "",
    )


def _implied(edit: Edit) -> str:
    """What is tested while no contrast is declared."""
    from app.analysis.document.design_words import contrast_words

    contrast = implied_contrast(edit.data)
    return contrast_words(contrast, edit.protocol) if contrast and edit.protocol else ""


def _is_redrawn(control: Control, form: SentForm) -> bool:
    """Whether a field follows from others that were just edited, as the choice among answers does."""
    if control.shape == "sentence":
        return form.fields.get(f"{control.name}:drawn") != [control.key]
    sent = form.fields.get(control.name, [""])[-1].replace("\r\n", "\n").strip()
    return control.shape == "radios" or (
        control.shape == "prose" and control.name.startswith("checks.") and sent != control.value.strip()
    )
