"""How an answer is typed and pasted, counted in a real browser where the consent form says so."""

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Engine

from tests.journeys.rater_steps import open_a_study
from tests.kit.database import rows

pytestmark = pytest.mark.browser
WHY = {"key": "why", "target": "item", "type": "text", "text": "Why?", "typing_rhythm": True}
CONSENT = {"consent": {"version": "1", "text": "We count your keystrokes.", "records_typing": True}}
COUNTS = "SELECT text, n_keystrokes, n_pasted, typing_ms FROM ratings WHERE question = 'why'"


def test_typed_and_pasted_characters_are_counted(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=1, questions=[WHY], flow=CONSENT)
    page.goto("/s/study?participant=anna")
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Begin").click()
    answer = page.get_by_role("textbox", name="Why?")
    answer.press_sequentially("Warm and calm.", delay=20)
    expect(page.locator("#save-state")).to_have_text("Saved")
    page.reload()
    answer.press("End")
    answer.press_sequentially(" Kind")
    for keys in ("Control+a", "Control+x", "Control+v", "Control+v"):
        answer.press(keys)
    page.locator("#next").click()
    expect(page.locator("h1")).to_have_text("You have finished. Thank you.")
    ((stored, n_keystrokes, n_pasted, typing_ms),) = rows(engine, COUNTS)
    assert stored == "Warm and calm. Kind" * 2
    # A key for each character, and one that cut them out.
    assert n_keystrokes == len("Warm and calm. Kind") + 1
    assert n_pasted == len("Warm and calm. Kind") * 2
    # 13 pauses of 20 ms at least.
    assert typing_ms >= 13 * 20
