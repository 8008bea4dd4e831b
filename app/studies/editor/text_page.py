"""The text of study.yaml, and its differences from the version that raters get."""

from fastapi import APIRouter, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response

from app.accounts.session import SignedIn
from app.base.web.deps import Db
from app.studies.editor.design_page import DesignForm, conflict_page, design_page, differences
from app.studies.editor.protocol_edits import EditConflictError, UnreadableEditError, get_draft, save_text
from app.studies.own_study import Own

router = APIRouter()


@router.get("/studies/{slug}/design/text")
def show_text(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    edit = get_draft(db, study)
    diff = differences(edit.published, edit.yaml)
    return design_page(request, "text.html", lead, study, edit, "text", yaml=edit.yaml, diff=diff, unreadable=[])


@router.post("/studies/{slug}/design/text")
def submit_text(request: Request, db: Db, lead: SignedIn, study: Own, form: DesignForm) -> Response:
    yaml = next(iter(form.fields.get("yaml", ())), "").replace("\r\n", "\n")
    try:
        save_text(db, study, lead, form.number, yaml)
    except EditConflictError as error:
        return conflict_page(request, lead, study, get_draft(db, study), error, form, None)
    except UnreadableEditError as error:
        edit = get_draft(db, study)
        diff = differences(edit.published, yaml)
        return design_page(
            request,
            "text.html",
            lead,
            study,
            edit,
            "text",
            status=422,
            yaml=yaml,
            diff=diff,
            unreadable=error.problems,
        )
    return RedirectResponse(f"{request.url.path}?saved=1", status_code=303)


@router.get("/studies/{slug}/design/study.yaml")
def export_text(db: Db, study: Own) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{study.slug}-study.yaml"'}
    return PlainTextResponse(get_draft(db, study).yaml, headers=headers)
