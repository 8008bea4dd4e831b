"""The lead's pages."""

from __future__ import annotations

from fastapi import APIRouter

from app.web.lead import analytics, charts, home, sign_in, studies, study

router = APIRouter()
for screen in (home, sign_in, studies, study, analytics, charts):
    router.include_router(screen.router)
