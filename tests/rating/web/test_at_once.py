"""Requests for the page that a rater saw last are handled in one statement; all others as if there were none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from app.rating.answers import hot_routes
from app.rating.page import shown_pages
from tests.kit.rater_pages import FULL, form_address

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request
    from starlette.responses import Response

    from tests.kit.rater_pages import Visitor

HTMX = {"hx-request": "true"}
SAVE = {"slot": "q0", "q0": "right"}


@pytest.fixture
def read_again(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The last part of the address of each request for which everything was read again."""
    seen: list[str] = []
    in_transaction = hot_routes._in_transaction

    def noted(request: Request, *rest: Any) -> Response:  # noqa: ANN401
        seen.append("save" if request.url.path.endswith("/save") else "submit")
        return in_transaction(request, *rest)

    monkeypatch.setattr(hot_routes, "_in_transaction", noted)
    return seen


@pytest.fixture
def anna(study: Callable[..., int], visitor: Callable[[], Visitor]) -> Visitor:
    study(n_items=6)
    return visitor()


def save(visitor: Visitor, page: Any) -> Any:  # noqa: ANN401
    return visitor.post(f"{form_address(page)}/save", data=SAVE)


def next_page(visitor: Visitor, page: Any) -> Any:  # noqa: ANN401
    """Submit a page as its script does."""
    return visitor.post(form_address(page), data=FULL, headers=HTMX)


def test_pages_after_the_first_are_stored_at_once(anna: Visitor, read_again: list[str]) -> None:
    page = next_page(anna, anna.begin())
    read_again.clear()  # the first page was served by the request that gave the rater their trials
    for _ in range(3):
        assert save(anna, page).json()["saved"] == ["q0"]
        page = next_page(anna, page)
        assert page.status_code == 200
    assert read_again == []


def test_save_in_a_transaction_renews_what_is_known(anna: Visitor, read_again: list[str]) -> None:
    page = anna.begin()
    assert [save(anna, page).status_code for _ in range(3)] == [200] * 3
    assert next_page(anna, page).status_code == 200
    assert read_again == ["save"]


def test_page_seen_before_is_read_again(anna: Visitor, read_again: list[str]) -> None:
    first = next_page(anna, anna.begin())
    next_page(anna, first)
    read_again.clear()
    assert save(anna, first).json()["saved"] == ["q0"]
    assert read_again == ["save"]


def test_page_without_all_answers_is_shown_again(anna: Visitor, read_again: list[str]) -> None:
    page = next_page(anna, anna.begin())
    read_again.clear()
    assert anna.post(form_address(page), data={"q0": "left"}, headers=HTMX).status_code == 422
    assert next_page(anna, page).status_code == 200
    assert read_again == ["submit"]


def test_other_rater_with_the_address_is_refused(anna: Visitor, visitor: Callable[[], Visitor]) -> None:
    page, ben = next_page(anna, anna.begin()), visitor()
    ben.begin("ben")
    assert next_page(ben, page).status_code == 404
    assert next_page(visitor(), page).status_code == 404


def test_as_many_pages_are_kept_as_allowed(
    anna: Visitor, visitor: Callable[[], Visitor], monkeypatch: pytest.MonkeyPatch, read_again: list[str]
) -> None:
    monkeypatch.setattr(shown_pages, "MAX_KEPT", 1)
    page, ben = next_page(anna, anna.begin()), visitor()
    next_page(ben, ben.begin("ben"))
    read_again.clear()
    assert next_page(anna, page).status_code == 200
    assert read_again == ["submit"]
