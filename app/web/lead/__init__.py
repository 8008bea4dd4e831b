"""The lead's pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.web.lead import design, home, new_study, raters, settings, sign_in, studies, study, texts
from app.web.lead.results import charts, exports, results

if TYPE_CHECKING:
    from fastapi import FastAPI


def include(app: FastAPI, *, max_upload_bytes: int) -> None:
    """Add the lead's routers. Those that accept files have their own limit and precede those with a study's slug."""
    app.include_router(new_study.router, max_body_size=max_upload_bytes)
    app.include_router(texts.router, max_body_size=max_upload_bytes)
    for screen in (home, sign_in, studies, study, design, raters, settings, results, charts, exports):
        app.include_router(screen.router)
