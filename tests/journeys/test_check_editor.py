"""Checks in a browser: one click adds one, and its right answer is clicked."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine, text

from tests.journeys.axe import LIGHT_AND_DARK_PHONE, check_in
from tests.journeys.lead_steps import a_lead, sign_in
from tests.kit.waiting import eventually

pytestmark = pytest.mark.browser

QUESTIONS = "/studies/rated/design/questions"


def attention(engine: Engine) -> list[Any]:
    with engine.begin() as db:
        words = "SELECT document -> 'checks' -> 'attention' FROM protocols ORDER BY version DESC"
        found: list[Any] = db.execute(text(words)).scalar_one()
    return found


def test_a_check_is_added_and_its_right_answer_clicked(engine: Engine, page: Page) -> None:
    sign_in(page, a_lead(engine))
    page.goto(QUESTIONS)
    page.get_by_role("button", name="Add attention check").click()
    words = page.get_by_label("Text", exact=True)
    expect(words).to_have_value("This question checks your attention. Please choose “Often”.")
    page.get_by_role("radio", name="Never").check()
    expect(words).to_have_value("This question checks your attention. Please choose “Never”.")
    expect(page.get_by_role("radio", name="Never")).to_be_focused()
    page.get_by_label("Answers").fill("Never\nRarely\nOften\nVery often")
    expect(page.get_by_role("radio", name="Very often")).to_be_visible()
    expect(page.get_by_role("radio", name="Never")).to_be_checked()
    page.get_by_label("Asked after this many trials").fill("3")
    expect(page.get_by_label("Flag raters who fail at least").locator("option")).to_have_count(2)
    # Left before it is saved by itself.
    page.reload()
    eventually(lambda: attention(engine)[0]["after"] == 3)
    page.reload()
    expect(page.get_by_label("Asked after this many trials")).to_have_value("3")
    (check,) = attention(engine)
    assert (list(check["codes"].values()), check["correct"], check["after"]) == (
        ["Never", "Rarely", "Often", "Very often"],
        "1",
        3,
    )
    check_in(LIGHT_AND_DARK_PHONE, page)


def test_without_scripts_a_check_is_a_form_and_keys_suffice(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    sign_in(page, a_lead(engine))
    page.goto("/studies/rated/design/checks")
    page.get_by_role("button", name="Add one").first.press("Enter")
    page.get_by_role("radio", name="Often").focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="Always")).to_be_checked()
    page.get_by_role("button", name="Save", exact=True).press("Enter")
    expect(page.get_by_label("Text", exact=True)).to_have_value(
        "This question checks your attention. Please choose “Always”."
    )
