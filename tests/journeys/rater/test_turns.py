"""A dialogue turn by turn in a browser: by keyboard, after a reload, with a double click, and without scripts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from tests.journeys.axe import LOOKS, check_in
from tests.journeys.rater_steps import arrive, open_a_study
from tests.kit.builder import EMPATHY
from tests.kit.database import rows

pytestmark = pytest.mark.browser
NOW = {"key": "now", "type": "rating", "target": "turn", "text": "How is it now?", "scale": {1: "bad", 2: "good"}}
SAID = [{"speaker": "AB"[n % 2], "text": f"This is said in turn {n + 1}."} for n in range(3)]
ITEMS = [{"key": f"item-{n}", "responses": {"person": SAID}} for n in range(2)]
STORED = "SELECT turn, number FROM ratings WHERE exclude IS NULL ORDER BY item_id, turn"


def open_it(engine: Engine) -> None:
    open_a_study(engine, questions=[NOW, EMPATHY], design={"trials": "single", "reveal": "turns"}, texts=ITEMS)


def turns(page: Page) -> int:
    return page.locator(".turn").count()


def test_dialogue_by_keyboard_survives_reload(engine: Engine, page: Page) -> None:
    open_it(engine)
    arrive(page)
    for turn in (1, 2, 3):
        expect(page.locator("h1")).to_have_text(f"Item 1 of 2 · Turn {turn} of 3")
        assert turns(page) == turn
        if turn > 1:
            expect(page.locator(".turn-now")).to_be_focused()
        if turn == 2:
            page.reload()
            assert turns(page) == 2
        page.keyboard.press("2")
        expect(page.locator("#next")).to_be_focused()
        page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Item 1 of 2")
    expect(page.locator("#item-heading")).to_be_focused()
    assert turns(page) == 3
    page.keyboard.press("4")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Item 2 of 2 · Turn 1 of 3")
    assert rows(engine, STORED) == [(1, 2), (2, 2), (3, 2), (None, 4)]


def test_double_click_advances_one_turn(engine: Engine, page: Page) -> None:
    open_it(engine)
    arrive(page)
    page.locator("#q0r0t1-1").check()
    page.locator("#next").dblclick()
    expect(page.locator("h1")).to_have_text("Item 1 of 2 · Turn 2 of 3")
    assert turns(page) == 2


def test_dialogue_works_without_scripts(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_it(engine)
    page = new_context(java_script_enabled=False).new_page()
    arrive(page)
    for _ in range(2):
        for turn in (1, 2, 3):
            expect(page.locator(".turn")).to_have_count(turn)
            page.locator(f"#q0r0t{turn}-1").check()
            page.locator("#next").click()
        page.locator("#q1r0-3").check()
        page.locator("#next").click()
    expect(page.locator("h1")).to_have_text("You have finished. Thank you.")
    assert rows(engine, STORED) == [(1, 1), (2, 1), (3, 1), (None, 3)] * 2


def test_dialogue_turn_layout_is_accessible(engine: Engine, page: Page) -> None:
    open_it(engine)
    arrive(page)
    page.locator("#q0r0t1-1").check()
    page.locator("#next").click()
    expect(page.locator("h1")).to_have_text("Item 1 of 2 · Turn 2 of 3")
    check_in(LOOKS, page)
    for width in (320, 390):
        page.set_viewport_size({"width": width, "height": 640})
        assert page.locator(".sheet-bar").evaluate("bar => bar.offsetHeight") < 54, "a bar of one line"
