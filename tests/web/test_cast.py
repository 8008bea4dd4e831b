"""A fixed cast requests every route of the application, and the table lists the response that each of them gets.

A route that is missing in the table fails the test, so that no route is added without deciding who may access it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from sqlalchemy import text
from starlette.routing import Route

from app.actions.lead_access import add_lead, begin_session
from app.actions.studies.life_cycle import open_study
from tests.web.lead.build import study_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fastapi import FastAPI
    from sqlalchemy import Connection
    from starlette.testclient import TestClient

CAST = ("lead", "lead of another study", "rater", "another rater", "visitor")
SIGN_IN = "to sign in"
OWN_PAGE = (200, 404, SIGN_IN, SIGN_IN, SIGN_IN)
OWN_CHANGE = (303, 404, SIGN_IN, SIGN_IN, SIGN_IN)
ANYBODY = (200, 200, 200, 200, 200)
SENT_ON = (303, 303, 303, 303, 303)

# The response for each member of the cast, in the order of CAST. Addresses are the rater's and the lead's study's.
EXPECTED: dict[str, tuple[object, ...]] = {
    "GET /": ANYBODY,
    "GET /health": ANYBODY,
    "GET /static/{digest}/{name}": ANYBODY,
    "GET /sign-in": (303, 303, 200, 200, 200),
    "POST /sign-in": (422, 422, 422, 422, 422),
    "GET /sign-in/{token}": ANYBODY,
    "POST /sign-in/{token}": (410, 410, 410, 410, 410),
    "POST /sign-out": SENT_ON,
    "GET /studies": (200, 200, SIGN_IN, SIGN_IN, SIGN_IN),
    "GET /studies/new": (200, 200, SIGN_IN, SIGN_IN, SIGN_IN),
    "POST /studies/new": (422, 422, SIGN_IN, SIGN_IN, SIGN_IN),
    "GET /studies/new/template": (303, 303, SIGN_IN, SIGN_IN, SIGN_IN),
    "POST /studies/new/template": (422, 422, SIGN_IN, SIGN_IN, SIGN_IN),
    "GET /studies/new/spreadsheet": (303, 303, SIGN_IN, SIGN_IN, SIGN_IN),
    "POST /studies/new/spreadsheet": (422, 422, SIGN_IN, SIGN_IN, SIGN_IN),
    "GET /studies/new/{slug}/texts": OWN_PAGE,
    "POST /studies/new/{slug}/texts": (422, 404, SIGN_IN, SIGN_IN, SIGN_IN),
    "POST /studies/new/{slug}/columns": OWN_CHANGE,
    "GET /studies/{slug}": OWN_PAGE,
    "GET /studies/{slug}/coverage": OWN_CHANGE,
    "POST /studies/{slug}/status": OWN_CHANGE,
    "GET /studies/{slug}/raters": OWN_PAGE,
    "POST /studies/{slug}/raters/{rater}/exclusion": OWN_CHANGE,
    "POST /studies/{slug}/raters/{rater}/release": OWN_CHANGE,
    "POST /studies/{slug}/raters/{rater}/identity": OWN_PAGE,
    "POST /studies/{slug}/raters/prolific.csv": OWN_PAGE,
    "POST /studies/{slug}/raters/bonus.csv": OWN_PAGE,
    "GET /studies/{slug}/settings": OWN_PAGE,
    "POST /studies/{slug}/settings/title": OWN_CHANGE,
    "POST /studies/{slug}/settings/copy": OWN_CHANGE,
    "POST /studies/{slug}/settings/archive": OWN_CHANGE,
    "POST /studies/{slug}/settings/delete": (422, 404, SIGN_IN, SIGN_IN, SIGN_IN),
    "GET /studies/{slug}/settings/log.csv": OWN_PAGE,
    # Only the lead who deleted a study has its receipt.
    "GET /deleted-studies/{number}": (404, 404, SIGN_IN, SIGN_IN, SIGN_IN),
    "GET /studies/{slug}/design": OWN_PAGE,
    "POST /studies/{slug}/design/version": OWN_CHANGE,
    "GET /studies/{slug}/design/preview": OWN_PAGE,
    "GET /studies/{slug}/design/text": OWN_PAGE,
    "POST /studies/{slug}/design/text": (422, 404, SIGN_IN, SIGN_IN, SIGN_IN),
    "GET /studies/{slug}/design/study.yaml": OWN_PAGE,
    "GET /studies/{slug}/design/questions": OWN_PAGE,
    "POST /studies/{slug}/design/questions": OWN_CHANGE,
    "GET /studies/{slug}/design/questions/{number}": OWN_PAGE,
    "POST /studies/{slug}/design/questions/{number}": OWN_CHANGE,
    "GET /studies/{slug}/design/{part}": OWN_PAGE,
    "POST /studies/{slug}/design/{part}": OWN_CHANGE,
    "GET /studies/{slug}/results": OWN_PAGE,
    "GET /studies/{slug}/results/{part}": OWN_PAGE,
    "GET /studies/{slug}/results.json": OWN_PAGE,
    "GET /studies/{slug}/results.csv": OWN_PAGE,
    "GET /studies/{slug}/charts.json": OWN_PAGE,
    "GET /studies/{slug}/drawings/{key}.svg": (404, 404, SIGN_IN, SIGN_IN, SIGN_IN),
    "GET /studies/{slug}/charts/{key}.json": (404, 404, SIGN_IN, SIGN_IN, SIGN_IN),
    "GET /studies/{slug}/charts/{key}.{picture}": (404, 404, SIGN_IN, SIGN_IN, SIGN_IN),
    "GET /studies/{slug}/ratings.csv": OWN_PAGE,
    "GET /studies/{slug}/export.zip": OWN_PAGE,
    # Without an ID in the link no rater is created; raters with a session are redirected to it.
    "GET /s/{slug}": (400, 400, 303, 303, 400),
    "GET /s/{slug}/start": (403, 403, 200, 200, 403),
    "POST /s/{slug}/start": (403, 403, 303, 303, 403),
    "POST /s/{slug}/keys": (403, 403, 303, 303, 403),
    "GET /s/{slug}/rate": (403, 403, 200, 303, 403),
    "GET /s/{slug}/rate/{token}": (404, 404, 200, 404, 404),
    "POST /s/{slug}/rate/{token}": (404, 404, 422, 404, 404),
    "POST /s/{slug}/rate/{token}/save": (404, 404, 422, 404, 404),
    "POST /s/{slug}/rate/{token}/skip": (404, 404, 422, 404, 404),
    "GET /s/{slug}/pause": (403, 403, 303, 303, 403),
    "POST /s/{slug}/pause": (403, 403, 303, 303, 403),
    "GET /s/{slug}/paused": (403, 403, 303, 303, 403),
    "GET /s/{slug}/consent": (403, 403, 303, 303, 403),
    "POST /s/{slug}/consent": (403, 403, 303, 303, 403),
    # Only a browser that has just declined can see it.
    "GET /s/{slug}/refused": (404, 404, 404, 404, 404),
    "GET /s/{slug}/questions/{step}": (403, 403, 303, 303, 403),
    "POST /s/{slug}/questions/{step}": (403, 403, 303, 303, 403),
    "POST /s/{slug}/questions/{step}/save": (403, 403, 409, 409, 403),
    "GET /s/{slug}/comprehension": (403, 403, 303, 303, 403),
    "POST /s/{slug}/comprehension/{attempt}": (403, 403, 303, 303, 403),
    "GET /s/{slug}/attention": (403, 403, 303, 303, 403),
    "POST /s/{slug}/attention": (403, 403, 303, 303, 403),
    "GET /s/{slug}/practice": (403, 403, 303, 303, 403),
    "GET /s/{slug}/practice/{number}": (403, 403, 303, 303, 403),
    "POST /s/{slug}/practice/{number}": (403, 403, 303, 303, 403),
    "GET /s/{slug}/debrief": (403, 403, 303, 303, 403),
    "POST /s/{slug}/debrief": (403, 403, 303, 303, 403),
    "GET /s/{slug}/ended": (403, 403, 303, 303, 403),
    "GET /s/{slug}/withdraw": (403, 403, 200, 200, 403),
    "POST /s/{slug}/withdraw": (403, 403, 303, 303, 403),
    # Only raters who have withdrawn have a receipt.
    "GET /s/{slug}/withdrawn": (403, 403, 403, 403, 403),
    "GET /s/{slug}/wait": (403, 403, 303, 303, 403),
    "GET /s/{slug}/done": (403, 403, 303, 303, 403),
}
FORMS: dict[str, dict[str, str]] = {
    "POST /sign-in": {"email": "nobody@example.org", "password": "a guess at it"},
    "POST /studies/{slug}/status": {"status": "paused"},
    "POST /studies/{slug}/raters/{rater}/exclusion": {"reason": "asked to", "exclude": "true"},
    "POST /studies/{slug}/settings/title": {"title": "Another"},
    "POST /studies/{slug}/settings/copy": {"title": "Copy", "slug": "copy"},
}


class Stage(NamedTuple):
    """The browsers of the cast, and values for the parameters of addresses."""

    browsers: dict[str, TestClient]
    words: dict[str, str]


@pytest.fixture
def stage(db: Connection, visit: Callable[[], TestClient]) -> Stage:
    leads = {name: add_lead(db, f"lead{n}@example.org") for n, name in enumerate(CAST[:2])}
    study_of(db, leads["lead"])
    study_of(db, leads["lead of another study"], slug="other")
    open_study(db, "small")
    browsers = {name: visit() for name in CAST}
    for name, lead in leads.items():
        browsers[name].cookies.set("attune-lead", begin_session(db, lead))
    for name in ("rater", "another rater"):
        browsers[name].get(f"/s/small?participant={name.replace(' ', '-')}")
    browsers["rater"].post("/s/small/start")
    form = re.search(r'action="/s/small/rate/([^"]+)"', browsers["rater"].get("/s/small/rate").text)
    asset = re.search(r'href="/static/([^/]+)/(attune\.css)"', browsers["visitor"].get("/").text)
    assert asset is not None
    assert form is not None
    words = {"slug": "small", "token": form[1], "digest": asset[1], "picture": "svg", "key": "none", "step": "about"}
    words |= {"number": "1", "attempt": "1", "part": "study"}
    words["rater"] = str(db.execute(text("SELECT min(id) FROM raters")).scalar_one())
    return Stage(browsers, words)


def routes(app: FastAPI) -> Iterator[str]:
    """Every method and path, including routes that are hidden from the schema."""
    for path, methods in app.openapi()["paths"].items():
        yield from (f"{method.upper()} {path}" for method in methods)
    for route in app.routes:
        if isinstance(route, Route):
            yield from (f"{method} {route.path}" for method in (route.methods or set()) - {"HEAD"})


def n_leaves(some: Any) -> int:  # noqa: ANN401 - FastAPI's included routers have no public type
    """Number of methods that the routes accept, including those of included routers."""
    total = 0
    for route in some:
        inner = getattr(route, "original_router", None)
        total += n_leaves(inner.routes) if inner else len(route.methods - {"HEAD"})
    return total


def test_the_table_has_every_route(app: FastAPI) -> None:
    assert sorted(routes(app)) == sorted(EXPECTED)
    assert n_leaves(app.routes) == len(EXPECTED)


@pytest.mark.parametrize("route", EXPECTED)
def test_everybody_gets_what_is_theirs(db: Connection, stage: Stage, route: str) -> None:
    method, _, path = route.partition(" ")
    names = {**stage.words, "name": "attune.css"}
    address = path.format(**names)
    found = []
    for who in CAST:
        undo = db.begin_nested()
        answer = stage.browsers[who].request(method, address, data=FORMS.get(route))
        undo.rollback()
        is_sent_to_sign_in = answer.headers.get("location", "").startswith("/sign-in?")
        found.append(SIGN_IN if is_sent_to_sign_in else answer.status_code)
    assert dict(zip(CAST, found, strict=True)) == dict(zip(CAST, EXPECTED[route], strict=True))


@pytest.mark.parametrize("who", CAST)
def test_a_study_that_is_not_there_looks_like_one_that_is_anothers(stage: Stage, who: str) -> None:
    browser = stage.browsers[who]
    none, others = browser.get("/studies/none"), browser.get("/studies/other" if who == "lead" else "/studies/small")
    if who != "lead of another study":
        assert none.status_code == others.status_code
    assert "A small study" not in none.text


@pytest.mark.parametrize("route", [route for route in EXPECTED if route.startswith("POST")])
def test_no_change_is_taken_from_another_site(stage: Stage, route: str) -> None:
    path = route.partition(" ")[2].format(**stage.words)
    for who in CAST:
        answer = stage.browsers[who].post(path, headers={"sec-fetch-site": "cross-site"}, data=FORMS.get(route))
        assert answer.status_code == 403


@pytest.mark.parametrize("route", EXPECTED)
def test_every_answer_carries_the_policy(stage: Stage, route: str) -> None:
    method, _, path = route.partition(" ")
    address = path.format(**stage.words, name="attune.css")
    answer = stage.browsers["lead"].request(method, address, data=FORMS.get(route))
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
