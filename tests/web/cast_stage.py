"""The cast of `test_cast.py`: a browser for each role, on two prepared studies."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest
from fastapi import FastAPI
from sqlalchemy import Connection, Engine, text
from starlette.testclient import TestClient

from app.accounts.lead_access import add_lead, begin_session
from app.accounts.roles import ROLES as ROLES_ASKED
from app.accounts.roles import Role
from app.rating.life_cycle import open_study
from app.studies.members.api_tokens import record_api_token
from app.studies.members.members import record_member
from tests.kit.database import rolled_back
from tests.kit.lead_studies import study_of
from tests.kit.web_app import app_on, browser_of

CAST = (*ROLES_ASKED, "lead of another study", "rater", "another rater", "visitor")


class Stage(NamedTuple):
    """The browsers of the cast, values for the parameters of addresses, and the leads' tokens for the API."""

    browsers: dict[str, TestClient]
    words: dict[str, str]
    tokens: dict[str, str]


class Prepared(NamedTuple):
    """The studies, and the cookies of each member of the cast."""

    db: Connection
    cookies: dict[str, dict[str, str]]
    words: dict[str, str]
    tokens: dict[str, str]


@pytest.fixture(scope="module")
def prepared(built_app: FastAPI, shared_engine: Engine, data_folder: Path) -> Iterator[Prepared]:
    """Prepare everything once, because it takes longer than the requests of a test."""
    with rolled_back(shared_engine) as db:
        app = app_on(db, built_app, data_folder)
        stage = prepare(db, lambda: browser_of(app))
        cookies = {name: dict(browser.cookies) for name, browser in stage.browsers.items()}
        yield Prepared(db, cookies, stage.words, stage.tokens)


@pytest.fixture
def stage(prepared: Prepared, built_app: FastAPI, data_folder: Path) -> Iterator[Stage]:
    """New browsers with the cookies, and what was prepared; the end of the test rolls back its own changes."""
    app = app_on(prepared.db, built_app, data_folder)
    browsers = {name: browser_of(app) for name in CAST}
    for name, cookies in prepared.cookies.items():
        browsers[name].cookies.update(cookies)
    with prepared.db.begin_nested() as changes:
        yield Stage(browsers, prepared.words, prepared.tokens)
        changes.rollback()


def prepare(db: Connection, visit: Callable[[], TestClient]) -> Stage:
    """Two leads' studies, one of them open, with raters who have begun."""
    leads = {name: add_lead(db, f"lead{n}@example.org") for n, name in enumerate(CAST[:5])}
    study_id = study_of(db, leads["owner"])
    for role in ROLES_ASKED:
        record_member(db, study_id, leads[role].id, role)
    other_id = study_of(db, leads["lead of another study"], slug="other")
    open_study(db, "small")
    browsers = {name: visit() for name in CAST}
    for name, lead in leads.items():
        browsers[name].cookies.set("attune-lead", begin_session(db, lead))
    for name in ("rater", "another rater"):
        browsers[name].get(f"/s/small?participant={name.replace(' ', '-')}")
    browsers["rater"].post("/s/small/start")
    # Addresses name token 1, which is no one's.
    db.execute(text("SELECT setval(pg_get_serial_sequence('api_tokens', 'id'), 1000)"))
    members: list[tuple[str, int, Role]] = [(role, study_id, role) for role in ROLES_ASKED]
    members.append(("lead of another study", other_id, "owner"))
    tokens = {who: f"token of {who}" for who, _, _ in members}
    for who, of, role in members:
        record_api_token(db, of, leads[who].id, token=tokens[who], name="test", role=role, valid=timedelta(days=1))
    return Stage(browsers, words_of(db, browsers, study_id, leads["editor"].id), tokens)


def words_of(db: Connection, browsers: Mapping[str, TestClient], study_id: int, editor_id: int) -> dict[str, str]:
    """Values for the parameters of addresses."""
    form = re.search(r'action="/s/small/rate/([^"]+)"', browsers["rater"].get("/s/small/rate").text)
    asset = re.search(r'href="/static/([^/]+)/(attune\.css)"', browsers["visitor"].get("/").text)
    assert asset is not None
    assert form is not None
    words = {"slug": "small", "token": form[1], "digest": asset[1], "picture": "svg", "key": "none", "step": "about"}
    words |= {"number": "1", "attempt": "1", "part": "study", "member": str(editor_id), "file_format": "html"}
    words |= {"file": "wide.csv", "script": "models.py", "change": "test", "page_name": "tutorial", "text": "1"}
    words["item"] = str(db.execute(text("SELECT min(id) FROM items WHERE study_id = :s"), {"s": study_id}).scalar_one())
    words["rater"] = str(db.execute(text("SELECT min(id) FROM raters")).scalar_one())
    return words
