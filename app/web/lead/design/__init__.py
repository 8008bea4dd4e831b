"""The pages on which a lead edits a study's protocol."""

from __future__ import annotations

from fastapi import APIRouter

from app.web.lead.design import overview, preregistration, preview, questions, section, text

router = APIRouter()
# Fixed addresses come before the address with the name of a section.
for screen in (overview, preregistration, preview, text, questions, section):
    router.include_router(screen.router)
