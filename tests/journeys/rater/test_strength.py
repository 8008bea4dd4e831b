"""The strength of a preference belongs to a preference: without one it can neither be chosen nor stay chosen."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Engine

from tests.journeys.rater_steps import arrive, open_a_study
from tests.kit.builder import PREFERENCE
from tests.kit.database import rows
from tests.kit.waiting import eventually

pytestmark = pytest.mark.browser


def test_strength_cannot_be_chosen_without_a_preference(engine: Engine, page: Page) -> None:
    open_a_study(engine, questions=[{**PREFERENCE, "strength": True}], n_items=2)
    arrive(page)
    strength = page.get_by_role("group", name="How strong is your preference?").get_by_role("radio").first
    expect(strength).to_be_enabled()
    page.keyboard.press("t")
    expect(strength).to_be_disabled()
    expect(page.locator("#next")).to_be_focused()
    page.keyboard.press("a")
    expect(strength).to_be_enabled()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator("#item-heading")).to_have_text("Item 2 of 2")
    expect(strength).to_be_enabled()
    assert rows(engine, "SELECT side, strength FROM ratings") == [("left", 2)]


def test_strength_is_gone_once_there_is_no_preference_as_after_a_reload_and_on_the_way_back(
    engine: Engine, page: Page
) -> None:
    question = {**PREFERENCE, "strength": True, "neither": True}
    open_a_study(engine, questions=[question], n_items=2)
    arrive(page)
    strengths = page.get_by_role("group", name="How strong is your preference?").locator(":checked")
    stored = "SELECT side, outcome, strength FROM ratings"

    def is_stored(*row: object) -> Callable[[], bool]:
        return lambda: rows(engine, stored) == [row]

    for other, outcome in (("n", "neither"), ("t", "tie")):
        for key in "a2":
            page.keyboard.press(key)
        eventually(is_stored("left", "response", 2))
        page.keyboard.press(other)
        expect(strengths).to_have_count(0)
        eventually(is_stored(None, outcome, None))
        page.reload()
        expect(page.locator(f"[value={outcome}]")).to_be_checked()
        expect(strengths).to_have_count(0)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator("#save-state")).to_have_text("Answers still missing: 1")
    page.keyboard.press("2")
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    expect(page.locator("#item-heading")).to_have_text("Item 2 of 2")
    page.keyboard.press("Backspace")
    expect(page.locator("#item-heading")).to_have_text("Item 1 of 2")
    expect(page.locator("[value=neither]")).to_be_checked()
    expect(strengths).to_have_count(0)
    assert rows(engine, stored) == [(None, "neither", None)]
