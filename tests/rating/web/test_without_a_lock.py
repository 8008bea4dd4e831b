"""Answers are stored by one statement without a lock, and under a lock where that is not enough."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from sqlalchemy import text

from app.rating import deps
from app.rating.page import rate
from tests.kit.rater_pages import FULL, form_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlalchemy import Engine

    from tests.kit.rater_pages import Visitor

HTMX = {"hx-request": "true"}


@pytest.fixture
def locked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the requests for which the rating session was locked."""
    seen: list[str] = []

    def noted(request: Any, *rest: Any) -> Any:  # noqa: ANN401
        seen.append(request.url.path.rpartition("/")[2])
        return deps.get_own(request, *rest)

    monkeypatch.setattr(rate, "get_own", noted)
    return seen


@pytest.fixture
def anna(study: Callable[..., int], visitor: Callable[[], Visitor]) -> Visitor:
    study(n_items=6)
    return visitor()


def submit(visitor: Visitor, page: Any, fields: dict[str, str] = FULL) -> Any:  # noqa: ANN401
    return visitor.post(form_address(page), data=fields, headers=HTMX)


def save(visitor: Visitor, page: Any) -> Any:  # noqa: ANN401
    return visitor.post(f"{form_address(page)}/save", data={"slot": "q0", "q0": "right"})


def test_pages_and_saves_need_no_lock(anna: Visitor, locked: list[str]) -> None:
    page = anna.begin()
    for _ in range(3):
        assert save(anna, page).json()["saved"] == ["q0"]
        before, page = page, submit(anna, page)
        assert page.status_code == 200
        assert save(anna, before).json()["saved"] == ["q0"], "a page that was submitted can be changed"
    assert locked == []


def test_refused_page_is_refused_under_the_lock(engine: Engine, anna: Visitor, locked: list[str]) -> None:
    page = anna.begin()
    with engine.begin() as db:
        db.execute(text("UPDATE rating_sessions SET lease_expires_at = now()"))
    assert submit(anna, page, {"q0": "left"}).status_code == 422
    assert len(locked) == 1
    with engine.connect() as db:
        assert db.execute(text("SELECT lease_expires_at > now() FROM rating_sessions")).scalar_one()


def test_page_is_stored_once_if_its_session_changes_meanwhile(
    engine: Engine, anna: Visitor, locked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = anna.begin()

    def and_then_changed(*arguments: Any) -> Any:  # noqa: ANN401
        own = deps.see_own(*arguments)
        with engine.begin() as db:
            db.execute(text("UPDATE rating_sessions SET last_seen_at = now()"))
        return own

    monkeypatch.setattr(rate, "see_own", and_then_changed)
    assert submit(anna, page).status_code == 200
    assert len(locked) == 1
    with engine.connect() as db:
        assert db.execute(text("SELECT count(*) FROM ratings")).scalar_one() == len(FULL)


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE rating_sessions SET paused_at = now()",
        "UPDATE studies SET status = 'paused'",
        """
        WITH freed AS (UPDATE seats SET assignment_id = NULL WHERE assignment_id IS NOT NULL)
        UPDATE assignments SET state = 'returned' WHERE state = 'leased'
        """,
        "UPDATE trials SET purpose = 'gold'",
    ],
)
def test_what_needs_more_than_one_statement_is_done_under_the_lock(
    engine: Engine, anna: Visitor, locked: list[str], statement: str
) -> None:
    page = anna.begin()
    with engine.begin() as db:
        db.execute(text(statement))
    assert submit(anna, page).status_code in {200, 204}
    assert len(locked) == 1


def test_other_rater_is_refused(anna: Visitor, visitor: Callable[[], Visitor]) -> None:
    page, ben = anna.begin(), visitor()
    ben.begin("ben")
    assert submit(ben, page).status_code == 404
    assert submit(visitor(), page).status_code == 404
