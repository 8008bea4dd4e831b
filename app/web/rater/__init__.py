"""The rater's pages: arrival, start, rating, completion."""

from __future__ import annotations

from fastapi import APIRouter

from app.web.rater import (
    arrival,
    checks,
    consent,
    last_pages,
    messages_from_lead,
    pause,
    privacy,
    questionnaires,
    start,
    withdraw,
)
from app.web.rater.trial import practice, rate, skip

router = APIRouter(prefix="/s")
router.include_router(arrival.router)
router.include_router(consent.router)
router.include_router(questionnaires.router)
router.include_router(start.router)
router.include_router(checks.router)
router.include_router(practice.router)
router.include_router(rate.router)
router.include_router(skip.router)
router.include_router(messages_from_lead.router)
router.include_router(pause.router)
router.include_router(last_pages.router)
router.include_router(withdraw.router)
router.include_router(privacy.router)
