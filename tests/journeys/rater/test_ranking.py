"""Responses can be ranked by keyboard, mouse and touch; choosing a taken rank swaps the two responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.journeys.axe import LOOKS, check_in
from tests.journeys.rater_steps import arrive, open_a_study, rows

if TYPE_CHECKING:
    from playwright.sync_api import Page
    from sqlalchemy import Engine

pytestmark = pytest.mark.browser
ORDER = {"key": "order", "type": "ranking", "text": "Rank the replies from the most to the least empathetic."}
THREE = {"person": {"kind": "human"}, "one": {"kind": "model"}, "two": {"kind": "model"}}


def open_it(engine: Engine, **settings: Any) -> None:  # noqa: ANN401 - any setting of the question
    open_a_study(engine, questions=[{**ORDER, **settings}], sources=THREE, n_items=1)


def ranks(engine: Engine) -> list[tuple[Any, ...]]:
    return sorted(rows(engine, "SELECT number, device FROM ratings"))


def order_of(page: Page) -> Any:  # noqa: ANN401 - Playwright's expectation
    return expect(page.locator(".ranking-order"))


def test_digits_rank_responses_and_enter_submits(engine: Engine, page: Page) -> None:
    open_it(engine)
    arrive(page)
    for digit in "312":
        page.keyboard.press(digit)
    order_of(page).to_have_text("Your order: Response B > Response C > Response A")
    expect(page.locator("#save-state")).to_have_text("Saved")
    assert ranks(engine) == [(1, "desktop"), (2, "desktop"), (3, "desktop")]
    page.keyboard.press("Enter")
    page.wait_for_url("**/done*")
    assert rows(engine, "SELECT count(*) FROM ratings WHERE exclude IS NULL") == [(3,)]


def test_ranking_that_is_not_complete_survives_reload_and_is_not_called_saved(engine: Engine, page: Page) -> None:
    open_it(engine)
    arrive(page)
    for digit in "12":
        page.keyboard.press(digit)
    page.wait_for_timeout(1_000)
    expect(page.locator("#save-state")).to_have_text("")
    page.reload()
    expect(page.get_by_role("group", name="Response A").get_by_label("1")).to_be_checked()
    expect(page.get_by_role("group", name="Response B").get_by_label("2")).to_be_checked()
    assert ranks(engine) == []
    page.get_by_role("group", name="Response C").get_by_label("3").check(force=True)
    expect(page.locator("#save-state")).to_have_text("Saved")
    assert [number for number, _ in ranks(engine)] == [1, 2, 3]


def test_choosing_a_taken_rank_swaps_responses(engine: Engine, page: Page) -> None:
    open_it(engine)
    arrive(page)
    for digit in "123":
        page.keyboard.press(digit)
    page.get_by_role("group", name="Response C").get_by_label("1").check(force=True)
    order_of(page).to_have_text("Your order: Response C > Response B > Response A")
    page.reload()
    order_of(page).to_have_text("Your order: Response C > Response B > Response A")


def test_equal_responses_share_rank_if_ties_allowed(engine: Engine, page: Page) -> None:
    open_it(engine, ties=True)
    arrive(page)
    for digit in "122":
        page.keyboard.press(digit)
    order_of(page).to_have_text("Your order: Response A > Response B = Response C")


def test_ranking_page_is_accessible_and_fits_phone(engine: Engine, page: Page) -> None:
    open_it(engine, ties=True, help="Think of the person who wrote.")
    arrive(page)
    check_in(LOOKS, page)
