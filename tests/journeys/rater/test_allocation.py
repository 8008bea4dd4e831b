"""Points can be shared by keyboard, mouse and touch; the page says how many are left."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Engine

from tests.journeys.axe import LOOKS, check_in
from tests.journeys.rater_steps import arrive, open_a_study
from tests.kit.database import rows

pytestmark = pytest.mark.browser
SHARES = {"key": "shares", "type": "allocation", "text": "Share the points by how empathetic each reply is."}
THREE = {"person": {"kind": "human"}, "one": {"kind": "model"}, "two": {"kind": "model"}}


def open_it(engine: Engine, **settings: Any) -> None:  # noqa: ANN401 - any setting of the question
    open_a_study(engine, questions=[{**SHARES, **settings}], sources=THREE, n_items=1)


def points(engine: Engine) -> list[tuple[Any, ...]]:
    return sorted(rows(engine, "SELECT number, device FROM ratings"))


def test_keyboard_shares_points_and_the_sum_is_read_back(engine: Engine, page: Page) -> None:
    open_it(engine)
    arrive(page)
    line, end = page.locator(".allocation-sum"), page.locator("#next").bounding_box()
    expect(line).to_have_text("Points shared: 0 / 100 · Points left: 100")
    page.get_by_label("Points for Response A").focus()
    page.keyboard.type("60")
    expect(line).to_have_text("Points shared: 60 / 100 · Points left: 40")
    assert page.locator("#next").bounding_box() == end
    for number in ("50", "0"):
        page.keyboard.press("Tab")
        while not page.evaluate("document.activeElement.matches('input[type=number]')"):
            page.keyboard.press("Tab")
        page.keyboard.type(number)
    expect(line).to_have_text("Points shared: 110 / 100 · Points too many: 10")
    page.wait_for_timeout(1_000)
    assert points(engine) == []
    page.get_by_label("Points for Response B").fill("40")
    expect(line).to_have_text("Points shared: 100 / 100 · Points left: 0")
    expect(page.locator("#save-state")).to_have_text("Saved")
    assert points(engine) == [(0, "desktop"), (40, "desktop"), (60, "desktop")]
    page.locator("#next").click()
    page.wait_for_url("**/done*")


def test_buttons_change_points_in_portions_up_to_the_total(engine: Engine, page: Page) -> None:
    open_it(engine, points=10)
    arrive(page)
    more = page.get_by_role("button", name="More points: Response A")
    for _ in range(12):
        more.click()
    expect(page.get_by_label("Points for Response A")).to_have_value("10")
    page.get_by_role("button", name="Fewer points: Response A").click()
    expect(page.locator(".allocation-sum")).to_have_text("Points shared: 9 / 10 · Points left: 1")


def test_wrong_sum_is_refused_with_a_link_to_the_first_number(engine: Engine, page: Page) -> None:
    open_it(engine)
    arrive(page)
    for letter, number in zip("ABC", ("60", "20", "10"), strict=True):
        page.get_by_label(f"Points for Response {letter}").fill(number)
    page.locator("#next").click()
    expect(page.locator("#summary")).to_contain_text("The points must add up to 100. Yours add up to 90.")
    page.locator("#summary a").click()
    expect(page.get_by_label("Points for Response A")).to_be_focused()
    check_in(LOOKS, page)
    assert points(engine) == []


def test_allocation_page_is_accessible_and_fits_phone(engine: Engine, page: Page) -> None:
    open_it(engine, help="Think of the person who wrote.")
    arrive(page)
    page.get_by_label("Points for Response A").fill("60")
    check_in(LOOKS, page)
