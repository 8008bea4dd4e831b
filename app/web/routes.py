"""Every router of the application."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.web import health, lead, rater

if TYPE_CHECKING:
    from fastapi import FastAPI


def include(app: FastAPI, *, max_upload_bytes: int) -> None:
    """Add the routers; `max_upload_bytes` bounds the routes that take files."""
    app.include_router(health.router)
    app.include_router(rater.router)
    lead.include(app, max_upload_bytes=max_upload_bytes)
