"""Health check of this process for Docker Compose, proxies and people."""

from __future__ import annotations

from fastapi import APIRouter

from app.storage.database.engine import is_alive
from app.web.deps import Db

router = APIRouter()


@router.get("/health")
def show_health(db: Db) -> dict[str, str]:
    return {"status": "ok" if is_alive(db) else "no database"}
