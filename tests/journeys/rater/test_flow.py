"""The steps before and after the trials in a browser: accessible, usable by keyboard, and saved along the way."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from tests.journeys.axe import LOOKS, check_in
from tests.journeys.rater_steps import open_a_study
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.database import rows

pytestmark = pytest.mark.browser
OFTEN = {1: "never", 2: "seldom", 3: "often", 4: "always"}
ADULT = {"key": "adult", "target": "rater", "type": "category", "text": "Are you 18 or older?", "codes": ["yes", "no"]}
MOOD = {"key": "mood", "target": "rater", "type": "slider", "text": "How do you feel now?", "max_words": "Good"}
CARE = [
    {"key": f"care-{n}", "target": "rater", "type": "rating", "text": words, "scale": OFTEN}
    for n, words in enumerate(("I notice when somebody is sad.", "I find it hard to listen.", "I ask how others are."))
]
FLOW: dict[str, Any] = {
    "consent": {
        "version": "1",
        "text": "You read messages and replies.\n\n- It takes **ten minutes**.\n- You may stop.",
    },
    "eligibility": {"accept": {"adult": "yes"}, "text": "This study is for adults."},
    "before": [{"title": "About you", "text": "How often is it so?", "questions": [q["key"] for q in CARE]}],
    "after": [{"title": "Before you go", "questions": ["mood"]}],
    "debrief": {"text": "Half of the replies were written by a **model**.", "show_sources": True},
    "help": "If a message stays with you, talk to somebody you trust.",
}


def open_with_flow(engine: Engine, **parts: Any) -> None:  # noqa: ANN401 - parts of a protocol
    open_a_study(
        engine,
        n_items=1,
        questions=[PREFERENCE, EMPATHY, ADULT, MOOD, *CARE],
        flow=FLOW,
        instructions="Read **both** replies to the end.",
        **parts,
    )


def test_pages_before_and_after_trials_are_accessible(engine: Engine, page: Page) -> None:
    open_with_flow(engine)
    page.goto("/s/study?PROLIFIC_PID=anna")
    check_in(LOOKS, page)
    page.get_by_role("button", name="I do not agree").click()
    expect(page.locator("h1")).to_have_text("You are not taking part")
    check_in(LOOKS, page)
    page.goto("/s/study?PROLIFIC_PID=anna")
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#summary")).to_be_focused()
    check_in(LOOKS, page)
    page.get_by_label("yes").check()
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("h1")).to_have_text("About you")
    page.get_by_text("Help and support").click()
    check_in(LOOKS, page)
    for question in page.locator(".question .slot").all():
        question.get_by_label("often").check()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("#rate-form")
    for name in ("q0-1", "q1r0-4", "q1r1-2"):
        page.locator(f"#{name}").check()
    page.locator("#next").click()
    expect(page.locator("h1")).to_have_text("Before you go")
    check_in(LOOKS, page)
    page.locator("#q3-1").fill("60")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("h1")).to_have_text("What this study was about")
    check_in(LOOKS, page)
    page.get_by_role("button", name="Finish").click()
    expect(page.locator("h1")).to_have_text("You have finished. Thank you.")


def test_questionnaire_by_keyboard_survives_reload(engine: Engine, page: Page) -> None:
    open_with_flow(engine)
    page.goto("/s/study?participant=anna")
    page.get_by_role("button", name="I agree").press("Enter")
    page.wait_for_selector("#questions")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("About you")
    page.keyboard.press("3")
    page.keyboard.press("4")
    expect(page.locator("#save-state")).to_have_text("Saved")
    page.reload()
    assert page.locator("#questions :checked").count() == 2
    page.locator("#q6-1").focus()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Begin")).to_be_visible()
    assert rows(engine, "SELECT question, number, exclude FROM ratings WHERE number IS NOT NULL ORDER BY question") == [
        ("care-0", 3.0, None),
        ("care-1", 4.0, None),
        ("care-2", 2.0, None),
    ]


def test_back_button_and_second_tab_return_to_current_step(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    open_with_flow(engine)
    context = new_context()
    page, other = context.new_page(), context.new_page()
    page.goto("/s/study?participant=anna")
    other.goto("/s/study?participant=anna")
    page.get_by_role("button", name="I agree").click()
    expect(page.locator("h1")).to_have_text("Before you begin")
    other.get_by_role("button", name="I do not agree").click()
    expect(other.locator("h1")).to_have_text("Before you begin")
    page.get_by_label("yes").check()
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("h1")).to_have_text("About you")
    page.go_back()
    expect(page.locator("h1")).to_have_text("About you")
    other.get_by_label("no").check()
    other.get_by_role("button", name="Continue").click()
    expect(other.locator("h1")).to_have_text("About you")
    assert rows(engine, "SELECT codes FROM ratings WHERE question = 'adult'") == [(["yes"],)]


def test_whole_flow_works_without_scripts(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_with_flow(engine)
    page = new_context(java_script_enabled=False).new_page()
    page.goto("/s/study?participant=anna")
    page.get_by_role("button", name="I agree").click()
    page.get_by_label("yes").check()
    page.get_by_role("button", name="Continue").click()
    for question in page.locator(".question .slot").all():
        question.get_by_label("never").check()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Begin").click()
    for name in ("q0-1", "q1r0-4", "q1r1-2"):
        page.locator(f"#{name}").check()
    page.locator("#next").click()
    page.locator("#q3-1").fill("60")
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Finish").click()
    expect(page.locator("h1")).to_have_text("You have finished. Thank you.")
