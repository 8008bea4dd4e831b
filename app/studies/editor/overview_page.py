"""Overview of the design: problems to correct, and the version that raters get."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.accounts.session import SignedIn
from app.base.web.deps import Db
from app.protocol.opening import placeholders
from app.studies.editor.changes import changes, kept_together
from app.studies.editor.design_page import (
    address_of_problem,
    design_page,
    place_in_words,
    places_of_placeholders,
)
from app.studies.editor.preview_pages import preview_pages
from app.studies.editor.problem_words import problem_words
from app.studies.editor.protocol_edits import get_draft
from app.studies.own_study import Own
from app.studies.protocols import answered_questions, get_protocol, list_versions, used_sources

router = APIRouter()


@router.get("/studies/{slug}/design")
def show_design(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    edit = get_draft(db, study)
    versions = list_versions(db, study.id)
    older = [*(version.yaml for version in versions[1:]), None]
    now = get_protocol(db, study.id, study.protocol_version)
    known = placeholders(now) if study.opened_at else ()
    together: list[str] = []
    if study.opened_at and edit.protocol:
        stored = {"answered": answered_questions(db, study.id), "used": used_sources(db, study.id)}
        together = kept_together(now, edit.protocol, **stored)
    history = [
        (version, changes(before, version.yaml) if before is not None else None)
        for version, before in zip(versions, older, strict=True)
    ]
    return design_page(
        request,
        "overview.html",
        lead,
        study,
        edit,
        "overview",
        problems=[
            (problem_words(one, edit.data), place_in_words(one, edit.data), *address_of_problem(one))
            for one in edit.problems
        ],
        versions=history,
        together=together,
        diff=changes(edit.published, edit.yaml),
        unfilled=places_of_placeholders(edit.protocol, known) if edit.protocol and study.opened_at else [],
        pages=preview_pages(edit.protocol) if edit.protocol else [],
    )
