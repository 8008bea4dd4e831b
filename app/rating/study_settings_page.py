"""Settings of a study: rename, copy, archive, delete with a receipt; and the audit log."""

import csv
import io
import json
from datetime import UTC, date, datetime
from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from app.accounts.leads import Lead
from app.accounts.session import SignedIn
from app.base.files.protected_text import protected
from app.base.problem import InvalidInputError
from app.base.rendering.pages import page
from app.base.web.deps import Db
from app.base.web.errors import NotFoundError
from app.protocol.study_parts import control_character
from app.rating.recruitment.recruitment import with_own_codes
from app.rating.withdrawal.deletions import deletion_of_study
from app.studies.audit import get_receipt, list_acts, record_act
from app.studies.editor.protocol_edits import Change, EditConflictError, get_draft, publish, save_change
from app.studies.own_study import Own, OwnForLong
from app.studies.protocols import get_protocol
from app.studies.studies import StudyRow, count_contents, delete_study, record_archived, record_keep_until

router = APIRouter()
MAX_ACTS = 50
Title = Annotated[str, Form(max_length=500)]


@router.get("/studies/{slug}/settings")
def show_settings(request: Request, db: Db, lead: SignedIn, study: Own) -> Response:
    return _page(request, db, lead, study)


@router.post("/studies/{slug}/settings/title")
def submit_title(request: Request, db: Db, lead: SignedIn, study: Own, title: Title = "") -> Response:
    if not title.strip():
        return _page(request, db, lead, study, "Enter a title.", title=title)
    if odd := control_character(title.strip()):
        problem = f"The title has the control character {odd}. Remove it, and write the title on one line."
        return _page(request, db, lead, study, problem, title=title)
    draft = get_draft(db, study)
    change = Change(lambda data: data.get("title"), lambda data: {**data, "title": title.strip()})
    try:
        edit = save_change(db, study, lead, draft.number, change)
    except EditConflictError:
        return _to(request, "show_settings", study)
    if study.opened_at is not None and edit.protocol is not None and not draft.is_changed:
        publish(db, study)
    record_act(db, lead, study, "study renamed", title=title.strip())
    return _to(request, "show_settings", study)


@router.post("/studies/{slug}/settings/keep-until")
def submit_keep_until(
    request: Request, db: Db, lead: SignedIn, study: Own, keep_until: Annotated[str, Form(max_length=10)] = ""
) -> Response:
    try:
        day = date.fromisoformat(keep_until) if keep_until else None
    except ValueError:
        problem = f"“{keep_until}” is not a date. Write it as 2031-12-31."
        return _page(request, db, lead, study, problem)
    record_keep_until(db, study.id, day)
    record_act(db, lead, study, "retention date set", until=day.isoformat() if day else "none")
    return _to(request, "show_settings", study)


@router.post("/studies/{slug}/settings/copy")
def submit_copy(
    request: Request, own: OwnForLong, title: Title = "", name: Annotated[str, Form(alias="slug", max_length=64)] = ""
) -> Response:
    from app.studies.creation.copy_study import copy_study

    try:
        with request.app.state.begin() as db:
            slug = copy_study(db, own.study, own.lead, name.strip(), title.strip(), with_own_codes)
            record_act(db, own.lead, own.study, "study copied", to=slug)
    except InvalidInputError as error:
        with request.app.state.begin() as db:
            problem = error.problems[0].sentence()
            return _page(request, db, own.lead, own.study, problem, copy_title=title, copy_slug=name)
    address = request.app.url_path_for("show_texts", slug=slug)
    return RedirectResponse(f"{address}?copied=1", status_code=303)


@router.post("/studies/{slug}/settings/archive")
def submit_archive(
    request: Request, db: Db, lead: SignedIn, study: Own, *, archive: Annotated[bool, Form()] = True
) -> Response:
    record_archived(db, study.id, is_archived=archive)
    record_act(db, lead, study, "study archived" if archive else "study taken out of the archive")
    return _to(request, "show_settings", study)


@router.post("/studies/{slug}/settings/delete")
def submit_delete(
    request: Request, db: Db, lead: SignedIn, study: Own, confirm: Annotated[str, Form(max_length=64)] = ""
) -> Response:
    if study.status in {"open", "paused"}:
        problem = f"The study is {study.status}. Close it on the overview before you delete it."
        return _page(request, db, lead, study, problem)
    if confirm.strip() != study.slug:
        return _page(
            request, db, lead, study, f"Nothing was deleted. To delete the study, type {study.slug}.", confirm=confirm
        )
    counts = count_contents(db, study.id)
    request.app.state.deletions.add(deletion_of_study(db, study.id))
    delete_study(db, study.id)
    number = record_act(db, lead, study, "study deleted", title=study.title, **counts)
    return RedirectResponse(request.app.url_path_for("show_deletion", number=number), status_code=303)


@router.get("/deleted-studies/{number}")
def show_deletion(request: Request, db: Db, lead: SignedIn, number: int) -> Response:
    receipt = get_receipt(db, lead.id, number)
    if receipt is None:
        raise NotFoundError
    return page(request, "rating/withdrawal/deletion.html", lead=lead, receipt=receipt)


@router.get("/studies/{slug}/settings/log.csv")
def export_log(db: Db, study: Own) -> Response:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(("happened_at", "lead", "action", "detail"))
    for act in list_acts(db, study.id):
        detail = json.dumps(act.detail, ensure_ascii=False)
        cells = (act.happened_at.isoformat(timespec="seconds"), act.email or "", act.action, detail)
        writer.writerow([protected(cell) for cell in cells])
    headers = {"Content-Disposition": f'attachment; filename="{study.slug}-log.csv"'}
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def _to(request: Request, handler: str, study: StudyRow) -> Response:
    return RedirectResponse(request.app.url_path_for(handler, slug=study.slug), status_code=303)


def _page(request: Request, db: Db, lead: Lead, study: StudyRow, problem: str = "", **typed: str) -> Response:
    """The settings, with what was typed where it was not taken."""
    acts = list_acts(db, study.id)
    texts = {
        "title": get_draft(db, study).data.get("title", study.title),
        "copy_title": f"Copy of {study.title}",
        "copy_slug": f"{study.slug[:59]}-copy",
        "confirm": "",
    }
    return page(
        request,
        "rating/withdrawal/settings.html",
        status=422 if problem else 200,
        lead=lead,
        study=study,
        problem=problem,
        **{**texts, **typed},
        contents=count_contents(db, study.id),
        deletes_itself=get_protocol(db, study.id, study.protocol_version).privacy.delete_at_retention,
        is_over=study.keep_until is not None and study.keep_until < datetime.now(UTC).date(),
        acts=acts[:MAX_ACTS],
        n_acts=len(acts),
    )
