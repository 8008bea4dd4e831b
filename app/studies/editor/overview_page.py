"""Overview of the design: problems to correct, the version that raters get, and publishing a new one."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.audit import record_act
from app.accounts.session import Own, SignedIn
from app.base.web.deps import Db
from app.base.web.errors import PageError
from app.protocol.opening import placeholders
from app.rating.life_cycle import OpeningError, open_study
from app.studies.editor.design_page import (
    address_of_problem,
    design_page,
    differences,
    place_in_words,
    places_of_placeholders,
)
from app.studies.editor.preview_pages import preview_pages
from app.studies.editor.protocol_edits import UnreadableEditError, get_draft, publish
from app.studies.protocols import get_protocol, list_versions

router = APIRouter()


@router.get("/studies/{slug}/design")
def show_design(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    edit = get_draft(db, study)
    versions = list_versions(db, study.id)
    older = [*(version.yaml for version in versions[1:]), None]
    known = placeholders(get_protocol(db, study.id, study.protocol_version)) if study.opened_at else ()
    changes = [
        (version, differences(before, version.yaml) if before is not None else None)
        for version, before in zip(versions, older, strict=True)
    ]
    return design_page(
        request,
        "overview.html",
        lead,
        study,
        edit,
        "overview",
        problems=[(problem, place_in_words(problem), *address_of_problem(problem)) for problem in edit.problems],
        versions=changes,
        diff=differences(edit.published, edit.yaml),
        unfilled=places_of_placeholders(edit.protocol, known) if edit.protocol and study.opened_at else [],
        pages=preview_pages(edit.protocol) if edit.protocol else [],
    )


@router.post("/studies/{slug}/design/version")
def submit_version(
    request: Request, db: Db, lead: SignedIn, study: Own, as_written: Annotated[tuple[str, ...], Form()] = ()
) -> Response:
    try:
        version = publish(db, study, as_written)
        record_act(db, lead, study, "new version", version=version)
        if study.status == "open":
            # Create the trials and seats that the new version needs.
            open_study(db, study.slug)
    except UnreadableEditError as error:
        raise PageError(" ".join(problem.sentence() for problem in error.problems[:3])) from error
    except OpeningError as error:
        raise PageError(str(error)) from error
    return RedirectResponse(request.app.url_path_for("show_design", slug=study.slug), status_code=303)
