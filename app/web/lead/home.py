"""The home page."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.storage.results import coverage
from app.web.deps import Db
from app.web.lead.session import MaybeLead
from app.web.rendering.pages import page

router = APIRouter()


@router.get("/")
def show_home(request: Request, db: Db, lead: MaybeLead) -> Response:
    return page(request, "lead/home.html", lead=lead, demos=coverage.list_open_demos(db))
