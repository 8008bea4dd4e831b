"""The programming interface for leads: JSON below /api/v1, with tokens instead of cookies."""

from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI
from fastapi.openapi.utils import get_openapi
from starlette.responses import JSONResponse, Response

from app.api import estimates, files, rater_decisions, studies, tables, webhooks
from app.api.schemas import Problem

router = APIRouter(prefix="/api/v1")
DESCRIPTION = """
Makes a study, adds items and ratings, reads its design, progress, texts, ratings and estimates, opens, closes and
deletes it, decides about raters, makes personal links and adds webhooks. Every request needs a token, made on the page
*API* of the study's settings:
`Authorization: Bearer attune_...`. A token belongs to one study and has at most the rights of the lead who made it.

Lists come in pages: pass `next` of one page as `cursor` to get the following one. Requests that list it may carry
an `Idempotency-Key`: a request that is repeated with the same key within seven days is not carried out again.
What is read has an `ETag`; sent back as `If-None-Match`, it is answered with 304 as long as nothing has changed.
Errors are problem documents (RFC 9457): `{"status": 404, "title": ..., "detail": ...}`.
"""


def include(app: FastAPI, *, max_upload_bytes: int) -> None:
    """Add the routers; `max_upload_bytes` is the limit for those that accept files."""
    for one in (router, studies.router, tables.router, estimates.router, rater_decisions.router, webhooks.router):
        app.include_router(one)
    app.include_router(files.router, max_body_size=max_upload_bytes)


@router.get("/openapi.json")
def show_openapi() -> Response:
    """The description of the interface in OpenAPI 3.1; it needs no token."""
    return JSONResponse(openapi())


@cache
def openapi() -> dict[str, Any]:
    """The description of the interface."""
    parts = (studies, files, tables, estimates, rater_decisions, webhooks)
    routes = [route for part in parts for route in part.router.routes]
    document = get_openapi(title="Attune", version="1", description=DESCRIPTION.strip(), routes=routes)
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    document["components"]["schemas"] |= {**problem.pop("$defs"), "Problem": problem}
    return document
