"""All routers of the application."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.web import api, health, lead, metrics, rater
from app.web.help import help as help_pages
from app.web.help.topics import help_for
from app.web.rater.trial.rate import HOT_ROUTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fastapi import FastAPI

# Prefixes of the paths whose handlers read uploaded files as they arrive.
UPLOADS = ("/studies/new",)


def include(app: FastAPI, *, max_upload_bytes: int) -> None:
    """Add the routers; `max_upload_bytes` is the limit for routes that accept files."""
    app.router.routes.extend(HOT_ROUTES)
    app.include_router(health.router)
    app.include_router(metrics.router)
    app.include_router(rater.router)
    app.state.pages.environment.globals["help_for"] = help_for
    app.include_router(help_pages.router)
    api.include(app)
    lead.include(app, max_upload_bytes=max_upload_bytes)


def paths_of(routes: Iterable[Any]) -> Iterator[str]:
    """The paths of all routes, including those of included routers.

    Args:
        routes: FastAPI's routes; those of included routers have no public type.
    """
    for route in routes:
        inner = getattr(route, "original_router", None)
        if inner is not None:
            yield from paths_of(inner.routes)
        elif hasattr(route, "path"):
            yield route.path
