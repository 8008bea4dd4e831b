"""One application per test run (and xdist worker): building its routes and templates takes longer than most tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.main import create_app

if TYPE_CHECKING:
    from fastapi import FastAPI
    from sqlalchemy import Engine


@pytest.fixture(scope="session")
def built_app(shared_engine: Engine) -> FastAPI:
    """The application whose routes and compiled templates are kept; tests get it from `renewed`."""
    return create_app(shared_engine)


def renewed(built: FastAPI, engine: Engine) -> FastAPI:
    """Give `built` the state of a new application for this database, and return it.

    If the settings have changed what is built into the routes, return the new application itself.
    """
    fresh = create_app(engine)
    if fresh.state.max_upload_bytes != built.state.max_upload_bytes:
        return fresh
    fresh.state.pages = built.state.pages
    built.state = fresh.state
    built.middleware_stack = None
    built.dependency_overrides = {}
    return built
