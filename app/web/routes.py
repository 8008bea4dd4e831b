"""Every router of the application."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.web import health, lead, rater
from app.web.rater.trial.rate import HOT_ROUTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fastapi import FastAPI

# The beginnings of paths whose handlers read files as they arrive.
UPLOADS = ("/studies/new",)


def include(app: FastAPI, *, max_upload_bytes: int) -> None:
    """Add the routers; `max_upload_bytes` bounds the routes that take files."""
    app.router.routes.extend(HOT_ROUTES)
    app.include_router(health.router)
    app.include_router(rater.router)
    lead.include(app, max_upload_bytes=max_upload_bytes)


def paths_of(routes: Iterable[Any]) -> Iterator[str]:
    """The path of every route, those of included routers among them.

    Args:
        routes: FastAPI's, whose included routers have no public type.
    """
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from paths_of(inner.routes)
        elif hasattr(route, "path"):
            yield route.path
