"""Paste your methods in a browser: read, confirm one by one, and see the study that came of it."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from tests.journeys.axe import LIGHT_AND_DARK_PHONE, check_in
from tests.journeys.lead_steps import a_lead, draft, sign_in
from tests.studies.methods.paraphrases import GERMAN, PREREGISTRATION

pytestmark = pytest.mark.browser


def test_a_preregistration_is_confirmed_guess_by_guess(engine: Engine, page: Page) -> None:
    sign_in(page, a_lead(engine))
    page.goto("/studies/rated/design/questions")
    page.get_by_role("link", name="Paste your methods").first.click()
    words = page.get_by_label("Methods section or preregistration")
    words.fill(GERMAN)
    page.get_by_role("button", name="Read the text").click()
    expect(page.get_by_role("alert")).to_contain_text("This text is in German.")
    words.fill(PREREGISTRATION)
    page.get_by_role("button", name="Read the text").click()
    asked = page.get_by_role("group", name="Question on a scale")
    expect(asked.locator("q")).to_contain_text("on a 7-point Likert scale from 1 (not at all) to 7 (extremely)")
    asked.get_by_label("Short name").fill("Empathy felt")
    asked.get_by_label("Accept").check()
    page.get_by_role("group", name="Raters per trial").get_by_label("Leave out").check()
    contrast = page.get_by_role("group", name="Primary contrast")
    contrast.get_by_label("Accept").check()
    check_in(LIGHT_AND_DARK_PHONE, page)
    page.get_by_role("button", name="Use what is accepted").click()
    expect(page.get_by_role("status").first).to_contain_text("Question on a scale: Empathy felt")
    expect(contrast.get_by_role("alert")).to_contain_text("There is no question How empathetic is this response yet.")
    expect(page.get_by_role("group", name="Raters per trial")).to_have_count(0)
    assert draft(engine)["questions"][-1]["label"] == "Empathy felt"
    contrast.get_by_label("Question or score").fill("Empathy felt")
    for source in page.get_by_role("group", name="Source of responses").all():
        source.get_by_label("Accept").check()
    page.get_by_role("button", name="Use what is accepted").click()
    expect(contrast).to_have_count(0)
    assert draft(engine)["analysis"]["primary"][-1]["test"] == "t_paired"
    page.get_by_role("link", name="See the page that raters see").click()
    expect(page.locator("#asked-3")).to_contain_text("How empathetic is this response?")
    page.go_back()
    expect(words).to_have_value(PREREGISTRATION)
    page.get_by_role("button", name="Read the text").click()
    expect(page.get_by_text("of the guesses are in the study already.")).to_be_visible()
    expect(page.get_by_role("group", name="Source of responses")).to_have_count(0)
    page.reload()
    expect(words).to_have_value(PREREGISTRATION)


def test_without_scripts_and_with_keys_only_a_guess_is_accepted(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    sign_in(page, a_lead(engine))
    page.goto("/studies/rated/methods")
    page.get_by_label("Methods section or preregistration").fill(PREREGISTRATION)
    page.get_by_role("button", name="Read the text").press("Enter")
    page.get_by_role("group", name="Trials per rater").get_by_label("Accept").press("Space")
    page.get_by_role("button", name="Use what is accepted").press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Trials per rater: 12")
    assert draft(engine)["design"]["trials_per_rater"] == 12
