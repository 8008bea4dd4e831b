"""Keys reach every code and *cannot judge*, and do not skip text that is to be highlighted."""

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Engine

from tests.journeys.rater_steps import arrive, open_a_study
from tests.kit.builder import EMPATHY
from tests.kit.database import rows

pytestmark = pytest.mark.browser
DOES = {
    "key": "does",
    "target": "response",
    "type": "category",
    "text": "What does it do?",
    "multiple": True,
    "codes": {
        "asks": "Asks about the feeling",
        "tells": "Tells of itself",
        "solves": "Solves the problem",
        "none": "None of these",
    },
    "exclusive": ["none"],
}


def test_multiple_codes_by_keyboard_respect_exclusive_code(engine: Engine, page: Page) -> None:
    open_a_study(engine, questions=[DOES, EMPATHY], design={"trials": "single"})
    arrive(page)
    boxes = page.locator("[data-slot=q0r0] input[type=checkbox]")
    for key in "13":
        page.keyboard.press(key)
    assert [box.is_checked() for box in boxes.all()] == [True, False, True, False]
    page.keyboard.press("4")
    assert [box.is_checked() for box in boxes.all()] == [False, False, False, True]
    page.keyboard.press("2")
    assert [box.is_checked() for box in boxes.all()] == [False, True, False, False]
    page.keyboard.press("Enter")
    expect(page.locator("#q1r0-1")).to_be_focused()


def test_codes_and_cannot_judge_have_visible_shortcuts(engine: Engine, page: Page) -> None:
    letters = {"key": "which", "target": "item", "type": "category", "text": "Which?", "codes": list("ABCD")}
    asks = {"key": "asks", "target": "item", "type": "category", "text": "Does it ask?", "codes": ["No", "Yes"]}
    judge = {**EMPATHY, "target": "item", "cannot_judge": True}
    open_a_study(engine, questions=[letters, asks, judge], design={"trials": "dialogue"})
    arrive(page)
    expect(page.locator("[data-slot=q1] kbd")).to_have_text(["1", "2"])
    for key in "c2c":
        page.keyboard.press(key)
    expect(page.locator("#q0-3")).to_be_checked()
    expect(page.locator("#q1-2")).to_be_checked()
    expect(page.locator("#q2-cannot")).to_be_checked()
    expect(page.locator("#next")).to_be_focused()


def test_digit_shortcut_does_not_skip_highlighting(engine: Engine, page: Page) -> None:
    mark = {"key": "mark", "target": "response", "type": "highlight", "text": "Mark the warm words."}
    texts = [{"key": "i", "text": "Hm", "responses": {"person": "I am so sorry for you."}}]
    open_a_study(engine, n_items=1, questions=[EMPATHY, mark], design={"trials": "single"}, texts=texts)
    arrive(page)
    page.keyboard.press("4")
    expect(page.locator("[data-mark]")).to_be_focused()
    page.evaluate("""() => {
      const node = document.querySelector("[data-text=r0]").firstChild;
      getSelection().setBaseAndExtent(node, 6, node, 11);
    }""")
    page.keyboard.press("m")
    expect(page.locator("q")).to_have_text("so sorry")
    expect(page.locator("#save-state")).to_have_text("Saved")
    assert rows(engine, "SELECT text FROM ratings WHERE question = 'mark'") == [("5-13",)]
