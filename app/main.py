"""Put the web application together. uvicorn calls `create_app`; tests hand an engine over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import FastAPI

from app.settings import folder, settings
from app.storage.engine import database_url, make_engine, transactions
from app.web import errors, routes
from app.web.assets import Assets
from app.web.pages import Pages
from app.web.security import Guard

if TYPE_CHECKING:
    from sqlalchemy import Engine

MEBIBYTE = 1024 * 1024


def create_app(engine: Engine | None = None) -> FastAPI:
    """The application on one database; any number of them may run at once.

    Args:
        engine: a migrated database; None for the one that the settings name.
    """
    now = settings()
    engine = engine or make_engine(database_url(now.database_url, now.data_dir), n_connections=now.n_threads)
    app = FastAPI(title="Attune", docs_url=None, redoc_url=None, openapi_url=None, max_body_size=MEBIBYTE)
    app.state.begin = transactions(engine)
    app.state.max_upload_bytes = now.max_upload_mb * MEBIBYTE
    app.state.n_threads = now.n_threads
    app.state.data_dir = now.data_dir
    app.state.public_url = now.public_url
    assets = Assets(folder("static"))
    app.state.pages = Pages(folder("templates"), assets, app.url_path_for)
    assets.mount(app)
    routes.include(app, max_upload_bytes=app.state.max_upload_bytes)
    errors.register(app)
    app.add_middleware(Guard, public_url=now.public_url)
    return app
