"""Every view as seen by others: another rater, a rater of another study, no one, and a visitor with a forged cookie."""

import logging
import uuid
from collections.abc import Callable
from itertools import product

import pytest
from fastapi import FastAPI
from sqlalchemy import Engine, text

from tests.kit.rater_pages import FULL, Visitor, form_address

OF_ASSIGNMENT = {
    *(("GET", way) for way in ("", "/reply", "/partner")),
    *(("POST", way) for way in ("", "/save", "/skip", "/problem", "/say", "/write", "/again", "/end")),
    *(("POST", way) for way in ("/alone", "/typing")),
}
OF_SESSION = {
    ("GET", "/consent"),
    ("POST", "/consent"),
    ("GET", "/start"),
    ("POST", "/start"),
    ("POST", "/keys"),
    ("GET", "/questions/{step}"),
    ("POST", "/questions/{step}"),
    ("POST", "/questions/{step}/save"),
    ("GET", "/rate"),
    ("GET", "/wait"),
    ("GET", "/debrief"),
    ("POST", "/debrief"),
    ("GET", "/done"),
    ("GET", "/wave"),
    ("POST", "/wave"),
    ("GET", "/ended"),
    ("GET", "/pause"),
    ("POST", "/pause"),
    ("GET", "/paused"),
    ("GET", "/withdraw"),
    ("POST", "/withdraw"),
    ("GET", "/withdrawn"),
    ("GET", "/my-data.json"),
    ("GET", "/problem"),
    ("POST", "/problem"),
    ("GET", "/messages"),
    ("POST", "/messages"),
    ("GET", "/comprehension"),
    ("POST", "/comprehension/{attempt}"),
    ("GET", "/attention"),
    ("POST", "/attention"),
    ("GET", "/practice"),
    ("GET", "/practice/{number}"),
    ("POST", "/practice/{number}"),
}
# For leads who walk through their own design.
OF_WALK_THROUGH = {
    ("GET", "/walk-through"),
    ("GET", "/walk-through/phone"),
    ("POST", "/walk-through/skip"),
    ("POST", "/walk-through/partner"),
    ("POST", "/walk-through/again"),
}
STRANGERS = ["another rater", "a rater of another study", "nobody", "a made-up cookie"]


def test_cast_covers_every_rater_route(app: FastAPI) -> None:
    paths = app.openapi()["paths"].items()
    routes = {(method.upper(), path) for path, methods in paths if path.startswith("/s/") for method in methods}
    asked = {(method, f"/s/{{slug}}/rate/{{token}}{path}") for method, path in OF_ASSIGNMENT}
    asked |= {(method, f"/s/{{slug}}{path}") for method, path in OF_SESSION | OF_WALK_THROUGH}
    # The token of an image says that its page was shown.
    public = {("GET", f"/s/{{slug}}{path}") for path in ("", "/refused", "/privacy", "/images/{token}")}
    assert routes - public == asked


@pytest.fixture
def strangers(study: Callable[..., int], visitor: Callable[[], Visitor]) -> dict[str, Visitor]:
    """Everyone to whom the assignment does not belong."""
    study()
    study(slug="other")
    cast = {name: visitor() for name in STRANGERS}
    cast["another rater"].begin("ben")
    cast["a rater of another study"].begin("anna", "other")
    cast["a made-up cookie"].cookies.set("attune-rater-study", "A" * 43, domain="testserver.local", path="/")
    return cast


def test_strangers_cannot_reach_an_assignment(
    engine: Engine, strangers: dict[str, Visitor], visitor: Callable[[], Visitor], caplog: pytest.LogCaptureFixture
) -> None:
    form = form_address(visitor().begin())
    for (method, path), who in product(sorted(OF_ASSIGNMENT), STRANGERS):
        caplog.clear()
        sent = {**FULL, "slot": "q0"} if method == "POST" else None
        with caplog.at_level(logging.WARNING, "attune.web"):
            answer = strangers[who].request(method, form + path, data=sent)
        assert (who, method, path, answer.status_code) == (who, method, path, 404)
        said = [record.message for record in caplog.records]
        assert (who, said) == (who, [f"{method} /s/study/rate/*{path} answered 404"])
    with engine.connect() as db:
        assert db.execute(text("SELECT count(*) FROM ratings")).scalar() == 0


def test_visitor_without_rating_session_is_told_on_every_page(strangers: dict[str, Visitor]) -> None:
    for (method, path), who in product(sorted(OF_SESSION), ("a rater of another study", "nobody", "a made-up cookie")):
        answer = strangers[who].request(method, f"/s/study{path}")
        assert (who, method, path, answer.status_code) == (who, method, path, 403)
        assert "Please open the study with the link" in answer.text, (who, method, path)


def test_raters_and_strangers_have_no_walk_through(strangers: dict[str, Visitor]) -> None:
    for (method, path), who in product(sorted(OF_WALK_THROUGH), STRANGERS):
        # To skip needs a rating session first.
        expected = 403 if path.endswith("/skip") and who != "another rater" else 404
        assert (who, path, strangers[who].request(method, f"/s/study{path}").status_code) == (who, path, expected)


def test_invalid_assignment_token_is_not_found(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    study()
    anna = visitor()
    anna.begin()
    assert anna.get(f"/s/study/rate/{uuid.UUID(int=7)}").status_code == 404
    assert anna.get("/s/study/rate/nonsense").status_code == 422


def test_upcoming_item_is_not_shown_early(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study()
    anna = visitor()
    anna.begin()
    with engine.connect() as db:
        token = db.execute(text("SELECT token FROM assignments WHERE position = 3")).scalar_one()
    assert anna.get(f"/s/study/rate/{token}").status_code == 404
