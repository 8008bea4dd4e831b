"""The home page, and the lead's list of studies."""

from datetime import UTC, datetime

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.accounts.session import MaybeLead, SignedIn
from app.base.rendering.pages import page
from app.base.web.deps import Db
from app.studies.coverage import get_counts, list_open_demos
from app.studies.studies import list_studies

router = APIRouter()


@router.get("/")
def show_home(request: Request, db: Db, lead: MaybeLead) -> Response:
    return page(request, "studies/home.html", lead=lead, demos=list_open_demos(db))


@router.get("/studies")
def show_studies(request: Request, db: Db, lead: SignedIn) -> Response:
    found = [(study, get_counts(db, study.id)) for study in list_studies(db, lead.id)]
    studies = [pair for pair in found if pair[0].archived_at is None]
    archived = [pair for pair in found if pair[0].archived_at is not None]
    limit = {"max_upload_bytes": request.app.state.max_upload_bytes}
    today = datetime.now(UTC).date()
    return page(request, "studies/studies.html", lead=lead, studies=studies, archived=archived, today=today, **limit)
