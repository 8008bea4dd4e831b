"""A fixed cast requests every route of the application, and `cast_table.py` lists the response that each of them gets.

A route that is missing in the table fails the test, so that no route is added without deciding who may access it.
"""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import FastAPI
from httpx2 import Response
from starlette.routing import Route

from tests.web.cast_stage import CAST, Prepared, Stage, prepared, stage
from tests.web.cast_table import BODIES, EXPECTED, FORMS, SIGN_IN

__all__ = ["prepared", "stage"]
LEAD_PAGES = ("/studies/{}", "/studies/{}/results", "/api/v1/studies/{}")
RATER_PAGES = ("/s/{}", "/s/{}?participant=new", "/s/{}/start", "/s/{}/privacy")
OF_ANOTHER_STUDY = re.compile(r"\{(item|rater|member)\}")


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


def ask(stage: Stage, who: str, route: str, address: str) -> Response:
    """What this member of the cast is answered; leads use the API with their tokens."""
    method = route.partition(" ")[0]
    token = stage.tokens.get(who) if address.startswith("/api/") else None
    headers = {"authorization": f"Bearer {token}"} if token else {}
    return stage.browsers[who].request(method, address, data=FORMS.get(route), json=BODIES.get(route), headers=headers)


def test_access_table_covers_every_route(app: FastAPI) -> None:
    assert sorted(routes(app)) == sorted(EXPECTED)
    assert n_leaves(app.routes) == len(EXPECTED)


@pytest.mark.parametrize("route", EXPECTED)
def test_each_role_gets_expected_response_with_security_policy(prepared: Prepared, stage: Stage, route: str) -> None:
    path = route.partition(" ")[2]
    names = {**stage.words, "name": "attune.css"}
    address = path.format(**names)
    found = []
    for who in CAST:
        undo = prepared.db.begin_nested()
        answer = ask(stage, who, route, address)
        undo.rollback()
        assert "default-src 'none'" in answer.headers["content-security-policy"], who
        assert answer.headers["x-content-type-options"] == "nosniff", who
        is_sent_to_sign_in = answer.headers.get("location", "").startswith("/sign-in?") or "You are not signed in" in (
            answer.text
        )
        found.append(SIGN_IN if is_sent_to_sign_in else answer.status_code)
    assert dict(zip(CAST, found, strict=True)) == dict(zip(CAST, EXPECTED[route], strict=True))


@pytest.mark.parametrize("route", [one for one in EXPECTED if OF_ANOTHER_STUDY.search(one)])
def test_numbers_of_another_study_open_nothing_in_an_own_one(stage: Stage, route: str) -> None:
    address = route.partition(" ")[2].format(**{**stage.words, "slug": "other"})
    answer = ask(stage, "lead of another study", route, address)
    assert answer.status_code in {404, 422}


@pytest.mark.parametrize("who", CAST)
def test_missing_study_is_indistinguishable_from_forbidden_study(stage: Stage, who: str) -> None:
    """The study "other" is a draft; "small" is open, so its slug opens the pages of raters."""
    is_other = who == "lead of another study"
    forbidden = "small" if is_other else "other"
    for address in LEAD_PAGES if is_other else LEAD_PAGES + RATER_PAGES:
        none, other = (ask(stage, who, "GET", address.format(slug)) for slug in ("none", forbidden))
        assert (none.status_code, none.text) == (other.status_code, other.text.replace(forbidden, "none")), address


@pytest.mark.parametrize("route", [route for route in EXPECTED if "{slug}" in route])
def test_no_page_or_form_tells_a_draft_from_a_study_that_does_not_exist(stage: Stage, route: str) -> None:
    """Everybody but its own lead gets the same answer for the draft "other" and for no study, at every address."""
    path = route.partition(" ")[2]
    for who in ("owner", "another rater", "visitor"):
        answers = []
        for slug in ("no-study", "other"):
            answer = ask(stage, who, route, path.format(**{**stage.words, "slug": slug}))
            seen = (answer.status_code, answer.headers.get("location", ""), answer.text)
            answers.append(re.sub(rf"\b{slug}\b", "SLUG", str(seen)))
        assert answers[0] == answers[1], who


@pytest.mark.parametrize("route", [route for route in EXPECTED if route.startswith("POST")])
def test_cross_site_changes_are_refused(stage: Stage, route: str) -> None:
    path = route.partition(" ")[2].format(**stage.words)
    for who in ("owner", "rater", "visitor"):
        answer = stage.browsers[who].post(path, headers={"sec-fetch-site": "cross-site"}, data=FORMS.get(route))
        assert answer.status_code == 403
