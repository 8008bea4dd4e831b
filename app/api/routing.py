"""What all parts of the API have in common: addresses, names of operations, and the errors that each can report."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.routing import APIRoute

from app.api.schemas import Failure

FAILURES: dict[int | str, dict[str, Any]] = {
    status: {"model": Failure, "description": words}
    for status, words in {
        400: "The request could not be read",
        401: "No token, or a wrong one",
        403: "The role of the token does not allow this, or the estimates are hidden until the study closes",
        404: "No such study for this token, or no such row",
        409: "The study cannot change like this now, or the idempotency key belongs to another request",
        422: "A field is missing or has a value that is not allowed",
        429: "Too many requests; Retry-After says how many seconds to wait",
        503: "The server cannot read or store anything right now; Retry-After says when to try again",
    }.items()
}


def api_router(tag: str) -> APIRouter:
    """A router for addresses of one study."""
    return APIRouter(
        prefix="/api/v1/studies/{slug}", tags=[tag], responses=FAILURES, generate_unique_id_function=_operation
    )


def _operation(route: APIRoute) -> str:
    """The name of an operation in OpenAPI, from which generators of clients make the name of a function."""
    return route.name.removeprefix("api_")
