"""The lead's pages."""

from __future__ import annotations

from fastapi import APIRouter

from app.web.lead import home, sign_in, studies, study

router = APIRouter()
for screen in (home, sign_in, studies, study):
    router.include_router(screen.router)
