"""Probes for Docker Compose, proxies and monitoring: is the process alive, and can it take answers?"""

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse

from app.base.health_checks import problems_of
from app.base.web.deps import Db

router = APIRouter()


@router.get("/healthz")
async def show_liveness() -> dict[str, str]:
    """The process responds. The database is not asked: restarting this process would not repair it."""
    return {"status": "ok"}


@router.get("/readyz")
def show_readiness(request: Request, db: Db) -> JSONResponse:
    """200 if the server can take answers, else 503 with the problems; without a database 503 as on every page."""
    state = request.app.state
    problems = problems_of(db, state.migrations, state.data_dir)
    status = "not ready" if problems else "ready"
    return JSONResponse({"status": status, "problems": problems}, status_code=503 if problems else 200)
