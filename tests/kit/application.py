"""One application per test run (and xdist worker): building its routes and templates takes longer than most tests."""

import pytest
from fastapi import FastAPI
from jinja2 import FileSystemBytecodeCache
from sqlalchemy import Engine

from app.main import MEBIBYTE, create_app, set_state
from app.settings import settings


@pytest.fixture(scope="session")
def built_app(shared_engine: Engine, pytestconfig: pytest.Config) -> FastAPI:
    """The application whose routes and compiled templates are kept; tests get it from `renewed`.

    One worker compiles a template for all, and for the journeys: Jinja compares a template with what it was made of.
    """
    app = create_app(shared_engine)
    if cache := getattr(pytestconfig, "cache", None):  # which `-p no:cacheprovider` switches off
        app.state.pages.environment.bytecode_cache = FileSystemBytecodeCache(str(cache.mkdir("templates")))
    return app


def renewed(built: FastAPI, engine: Engine) -> FastAPI:
    """Give `built` the state of a new application for this database, and return it.

    If the settings have changed what is built into the routes, return the new application itself.
    """
    if settings().max_upload_mb * MEBIBYTE != built.state.max_upload_bytes:
        return create_app(engine)
    set_state(built, engine)
    built.middleware_stack = None
    built.dependency_overrides = {}
    return built
