"""Passages can be marked by mouse, touch and keyboard, and are stored as character offsets of the text."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from tests.journeys.axe import LOOKS, check_in
from tests.journeys.rater_steps import arrive, open_a_study
from tests.kit.database import rows

pytestmark = pytest.mark.browser
WARM = {"key": "warm", "target": "response", "type": "highlight", "text": "Mark the warm words."}
ASKS = {"key": "asks", "target": "response", "type": "highlight", "text": "Mark what is asked."}
REPLY = "I am so sorry \U0001f642 for you. How are you?"
ITEM = [{"key": "item-0", "text": "My cat died.", "responses": {"person": REPLY}}]
DIALOGUE = [{"speaker": "A", "text": "It died."}, {"speaker": "B", "text": "Oh no."}]


def open_it(engine: Engine, **parts: Any) -> None:  # noqa: ANN401
    open_a_study(
        engine, **{"questions": [WARM, ASKS], "design": {"trials": "single"}, "texts": ITEM, "n_items": 1, **parts}
    )


def drag(page: Page, text: str, first: int, end: int) -> None:
    """Select characters of a text with the mouse: press at the first, release after the last."""
    box = page.evaluate(
        """([text, first, end]) => {
          const range = document.createRange(), node = document.querySelector(text).firstChild;
          range.setStart(node, first); range.setEnd(node, end);
          const all = [...range.getClientRects()], [a, b] = [all[0], all.at(-1)];
          return [a.left, a.top + a.height / 2, b.right, b.top + b.height / 2];
        }""",
        [text, first, end],
    )
    page.mouse.move(box[0] + 1, box[1])
    page.mouse.down()
    page.mouse.move(box[2] - 1, box[3], steps=5)
    page.mouse.up()


def saved(page: Page) -> None:
    expect(page.locator("#save-state")).to_have_text("Saved")


def marked(engine: Engine, question: str = "warm") -> str:
    return str(rows(engine, f"SELECT text FROM ratings WHERE question = '{question}'")[0][0])  # noqa: S608


def mark(page: Page, first: int, end: int) -> None:
    drag(page, "[data-text=r0]", first, end)
    page.locator("[data-slot=q0r0]").get_by_role("button", name="Mark the selected words").click()


def test_marks_made_in_two_tabs_are_shown_in_both_and_the_later_ones_count(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    open_it(engine)
    context = new_context()
    first, second = context.new_page(), context.new_page()
    arrive(first)
    second.goto("/s/study")
    quotes = [one.locator("[data-slot=q0r0] q") for one in (first, second)]
    mark(first, 5, 13)
    saved(first)
    expect(quotes[1]).to_have_text(["so sorry"])
    expect(second.locator("#save-state")).to_contain_text("Changed in another tab")
    mark(second, 26, 38)
    saved(second)
    expect(quotes[0]).to_have_text(["so sorry", "How are you?"])
    expect(first.locator("#save-state")).to_contain_text("Changed in another tab")
    assert marked(engine) == "5-13|25-37"
    first.locator("[data-slot=q0r0]").get_by_role("button", name="Remove: so sorry").click()
    saved(first)
    expect(quotes[1]).to_have_text(["How are you?"])
    assert marked(engine) == "25-37"
    first.reload()
    expect(quotes[0]).to_have_text(["How are you?"])


def test_passages_are_marked_by_mouse_and_survive_reload(engine: Engine, page: Page) -> None:
    open_it(engine)
    arrive(page)
    warm = page.locator("[data-slot=q0r0]")
    # Half of each word is selected: marks end at word boundaries.
    drag(page, "[data-text=r0]", 6, 11)
    warm.get_by_role("button", name="Mark the selected words").click()
    saved(page)
    # The emoji is one character, although JavaScript counts two.
    drag(page, "[data-text=r0]", 26, 38)
    page.locator("[data-slot=q1r0]").get_by_role("button", name="Mark the selected words").click()
    expect(page.locator("[data-slot=q1r0] q")).to_have_text("How are you?")
    saved(page)
    assert REPLY[5:13] == "so sorry"
    page.reload()
    expect(warm.locator("q")).to_have_text("so sorry")
    # Beside the selected words is a button for each question; a click on marked words removes their mark.
    for _ in range(2):
        drag(page, "[data-text=r0]", 0, 4)
        page.locator(".mark-here").get_by_text("Mark the warm words.").click()
        expect(warm.locator("q")).to_have_text(["I am", "so sorry"])
        expect(page.locator(".mark-here")).to_be_hidden()
        page.locator("[data-text=r0]").click(position={"x": 4, "y": 10})
        expect(warm.locator("q")).to_have_text(["so sorry"])
    drag(page, "[data-text=r0]", 0, 4)
    warm.get_by_role("button", name="Mark the selected words").click()
    expect(warm.locator("q")).to_have_text(["I am", "so sorry"])
    warm.get_by_role("button", name="Remove: I am").click()
    expect(warm.locator("q")).to_have_text(["so sorry"])
    page.locator("#next").click()
    expect(page.locator("h1")).to_have_text("You have finished. Thank you.")
    assert marked(engine) == "5-13"
    start, end = map(int, marked(engine, "asks").split("-"))
    assert REPLY[start:end] == "How are you?"
    assert rows(engine, "SELECT DISTINCT exclude FROM ratings") == [(None,)]


def test_passages_are_marked_by_keyboard(engine: Engine, page: Page) -> None:
    open_it(engine, questions=[WARM])
    arrive(page)
    text = page.get_by_role("textbox", name="Response")
    while not text.evaluate("node => node === document.activeElement"):
        page.keyboard.press("Tab")
    for key in ("ArrowRight", "ArrowRight", "ArrowRight", "Shift+ArrowRight", "Enter"):
        page.keyboard.press(key)
    saved(page)
    for key in ("ArrowRight", "Tab"):
        page.keyboard.press(key)
    expect(page.locator("[data-mark]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("q")).to_have_text(["so sorry", "for"])
    saved(page)
    assert marked(engine) == "5-13|16-19"


def finger(page: Page, offset: int) -> None:
    """Put a finger on a character of the response and lift it: the events of a real screen.

    A long press, whose handles select words on phones, selects nothing in a browser without a window.
    """
    x, y = page.evaluate(
        """(offset) => {
          const range = document.createRange(), node = document.querySelector("[data-text=r0]").firstChild;
          range.setStart(node, offset); range.setEnd(node, offset + 1);
          const box = range.getBoundingClientRect();
          return [box.left + box.width / 2, box.top + box.height / 2];
        }""",
        offset,
    )
    screen = page.context.new_cdp_session(page)
    screen.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    screen.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


def test_passages_are_marked_by_touch(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_it(engine, questions=[WARM])
    page = new_context(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True).new_page()
    arrive(page)
    # Two taps choose all words between them, in either order.
    finger(page, 11)
    assert page.evaluate("String(getSelection())") == "sorry"
    finger(page, 6)
    page.locator("[data-mark]").tap()
    expect(page.locator("q")).to_have_text("so sorry")
    finger(page, 17)
    page.locator("[data-mark]").tap()
    expect(page.locator("q")).to_have_text(["so sorry", "for"])
    saved(page)
    assert marked(engine) == "5-13|16-19"


def test_selection_across_turns_marks_a_passage_in_each(engine: Engine, page: Page) -> None:
    open_it(engine, questions=[{**WARM, "target": "item"}], texts=[{**ITEM[0], "text": None, "turns": DIALOGUE}])
    arrive(page)
    page.evaluate("""() => {
      const [a, b] = [...document.querySelectorAll("[data-text=item]")].map((text) => text.firstChild);
      getSelection().setBaseAndExtent(a, 3, b, 2);
    }""")
    page.locator("[data-mark]").click()
    expect(page.locator("q")).to_have_text(["died.", "Oh"])
    saved(page)
    assert marked(engine) == "1:3-8|2:0-2"


def test_empty_selection_shows_message_and_saves_nothing(engine: Engine, page: Page) -> None:
    open_it(engine, questions=[WARM])
    arrive(page)
    page.locator("[data-mark]").click()
    expect(page.locator("[data-slot=q0r0] [role=status]")).to_have_text("No words are selected in this text.")
    assert rows(engine, "SELECT count(*) FROM ratings") == [(0,)]


def test_highlight_page_is_accessible(engine: Engine, page: Page) -> None:
    open_it(engine)
    arrive(page)
    page.evaluate("""() => {
      const node = document.querySelector("[data-text=r0]").firstChild;
      getSelection().setBaseAndExtent(node, 5, node, 13);
    }""")
    page.locator("[data-slot=q0r0] [data-mark]").click()
    expect(page.locator("q")).to_have_text("so sorry")
    check_in(LOOKS, page)
