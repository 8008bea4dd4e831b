"""No violations of WCAG 2.2 AA on any rater page, in light, dark and forced colours."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from tests.journeys.axe import LOOKS, check, check_in
from tests.journeys.rater_steps import arrive, open_a_study
from tests.kit.builder import EMPATHY, PREFERENCE

pytestmark = pytest.mark.browser
TURNS = [{"speaker": "Ada", "text": "It died."}, {"speaker": "Bo", "text": "Oh no."}]
EVERY_KIND = [
    {**EMPATHY, "key": "mood", "target": "turn", "required": False},
    {**EMPATHY, "cannot_judge": True, "help": "Go by how it sounds."},
    {"key": "warm", "target": "response", "type": "slider", "text": "How warm?"},
    {
        "key": "does",
        "target": "response",
        "type": "category",
        "text": "Does?",
        "codes": ["asks", "tells"],
        "multiple": True,
    },
    {**PREFERENCE, "strength": True, "neither": True, "comment": True},
    {"key": "why", "target": "item", "type": "text", "text": "Why?"},
    {"key": "age", "target": "rater", "type": "slider", "text": "Your age", "min": 18, "max": 99},
]


@pytest.mark.long
def test_rater_pages_are_accessible(engine: Engine, page: Page, new_context: Callable[..., BrowserContext]) -> None:
    texts = [{"key": "i", "turns": TURNS, "content_note": "A loss.", "profile": "Ada, 40"}]
    open_a_study(
        engine, questions=EVERY_KIND, texts=texts, instructions="Read **both**.", design={"raters_per_trial": 1}
    )
    page.route("https://app.prolific.com/**", lambda route: route.fulfill(status=204))  # stays on its page
    page.goto("/s/study?PROLIFIC_PID=anna")
    check_in(LOOKS, page)
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("#rate-form")
    check_in(LOOKS, page)
    page.locator("#next").click()
    expect(page.locator("#summary")).to_be_focused()
    check_in(LOOKS, page)
    for name in ("q1r0-4", "q1r1-cannot", "q3r0-1", "q3r1-2", "q4-3"):
        page.locator(f"#{name}").check()
    for place in (0, 1):
        page.locator(f"#q2r{place}-1").fill("40")
    expect(page.locator("#save-state")).to_have_text("Saved")
    check_in(LOOKS, page)
    waiting = new_context().new_page()
    arrive_and_wait(waiting)
    check_in(LOOKS, waiting)
    page.locator("#next").click()
    expect(page.locator("h1")).to_have_text("About you")
    waiting.get_by_role("link", name="Check again now").click()
    expect(waiting.locator("h1")).to_have_text("All places are taken")
    check_in(LOOKS, waiting)
    check_in(LOOKS, page)
    page.get_by_role("button", name="Finish").click()
    expect(page.locator("#summary")).to_be_focused()
    check_in(LOOKS, page)
    page.locator("#q6-1").fill("44")
    page.get_by_role("button", name="Finish").click()
    expect(page.locator("h1")).to_have_text("You have finished. Thank you.")
    check_in(LOOKS, page)


def arrive_and_wait(page: Page) -> None:
    page.goto("/s/study?participant=ben")
    expect(page.locator("h1")).to_have_text("All places are taken right now")


def test_shortcut_help_and_refusal_pages_are_accessible(engine: Engine, page: Page) -> None:
    open_a_study(engine)
    page.goto("/s/study")
    check(page)
    page.goto("/s/study/rate")
    check(page)
    page.goto("/s/study?workerId=A&assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
    check(page)
    arrive(page)
    page.keyboard.press("?")
    check(page)
