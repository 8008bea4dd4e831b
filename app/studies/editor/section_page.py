"""One section of the protocol as a form. Every save updates the draft, even with problems."""

from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.leads import Lead
from app.accounts.session import SignedIn
from app.base.rendering.pages import is_htmx
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError
from app.base.words import typed
from app.studies.editor.controls import Control
from app.studies.editor.design_page import DesignForm, SentForm, design_page, placed, save_section
from app.studies.editor.preview_pages import preview_pages
from app.studies.editor.primary_form import PATH as CONTRASTS
from app.studies.editor.primary_form import implied_contrast
from app.studies.editor.protocol_edits import Edit, get_draft
from app.studies.editor.section_form import ADDED, section_form, with_edited_section, with_new_entry
from app.studies.editor.sections import BY_KEY, Section
from app.studies.editor.stored_texts import stored_for
from app.studies.own_study import Own, own_study
from app.studies.studies import StudyRow

router = APIRouter()
# The pages on which a partner's model and server are chosen among those of the installation.
WRITES_WITH_MODEL = frozenset({"conversation", "draft"})
# What is redrawn as a whole, or not at all.
_WHOLE = frozenset({"sentence", "answers", "pairs"})


@router.get("/studies/{slug}/design/{part}")
def show_section(request: Request, db: Db, lead: SignedIn, study: Own, part: str, add: str = "") -> Response:
    return _page(request, db, lead, study, get_draft(db, study), _section(part), add=add)


@router.post("/studies/{slug}/design/{part}")
def submit_section(request: Request, db: Db, lead: SignedIn, study: Own, part: str, form: DesignForm) -> Response:
    section = _section(part)
    stored = stored_for(db, study, section.key)

    def apply(data: dict[str, Any]) -> dict[str, Any]:
        edited = with_edited_section(section, data, form.fields, stored)
        is_new = form.do == "add" and form.target in ADDED
        return with_new_entry(edited, form.target, stored) if is_new else edited

    edit = save_section(request, db, lead, study, form, section, apply)
    if isinstance(edit, Response):
        return edit
    if is_htmx(request):
        # The save may have changed its title and its steps.
        study = own_study(request, study.slug, lead, db)
        return _page(request, db, lead, study, edit, section, form=form)
    address = request.url.path
    if form.do == "add" and form.target not in ADDED:
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
    controls = section_form(section, edit.data, stored_for(db, study, section.key), add=add)
    controls.sort(key=lambda one: one.name != CONTRASTS)
    return design_page(
        request,
        "section.html",
        lead,
        study,
        edit,
        section.key,
        section=section,
        controls=controls,
        redrawn=[one for control in controls for one in _redrawn(control, form)] if form else [],
        placed=placed(edit, controls, section=section),
        pages=preview_pages(edit.protocol) if edit.protocol else [],
        title=section.title,
        intro=section.intro,
        implied=_implied(edit) if section.key == "analysis" else "",
        servers=request.app.state.model_servers if section.key in WRITES_WITH_MODEL else (),
    )


def _implied(edit: Edit) -> str:
    """What is tested while no contrast is declared."""
    from app.analysis.document.design_words import contrast_words

    contrast = implied_contrast(edit.data)
    return contrast_words(contrast, edit.protocol) if contrast and edit.protocol else ""


def _redrawn(control: Control, form: SentForm) -> list[Control]:
    """The fields that follow from others that were just edited, as the choice among answers does."""
    if _is_redrawn(control, form):
        return [control]
    return [] if control.shape in _WHOLE else [one for child in control.children for one in _redrawn(child, form)]


def _is_redrawn(control: Control, form: SentForm) -> bool:
    sent = [typed(value) for value in form.fields.get(control.name, ())]
    match control.shape:
        case "sentence" | "answers" | "named":
            drawn = form.fields.get(f"{control.name}:drawn")
            return drawn != [control.drawn] and (drawn is not None or control.shape != "named")
        case "pairs":
            keys = ((form.fields.get(row.key_name), [row.key]) for row in control.children)
            is_other = any(there is not None and there != key for there, key in keys)
            return f"{control.name}:drawn" in form.fields or (bool(control.options) and is_other)
        case "ticks":
            return bool(sent) and {*sent} - {""} != {*control.value.split("\n")} - {""}
        case "choice":
            return bool(sent) and sent[-1] != control.value
        case "prose":
            return control.name.startswith("checks.") and sent[-1:] != [control.value.strip()]
    return control.shape == "radios"
