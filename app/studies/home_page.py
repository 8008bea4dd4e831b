"""The home page."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from app.accounts.session import MaybeLead
from app.base.rendering.pages import page
from app.base.web.deps import Db
from app.studies import coverage

router = APIRouter()


@router.get("/")
def show_home(request: Request, db: Db, lead: MaybeLead) -> Response:
    return page(request, "studies/home.html", lead=lead, demos=coverage.list_open_demos(db))
