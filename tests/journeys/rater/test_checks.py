"""Practice, comprehension questions, attention checks and gold trials in a browser, with and without scripts."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from tests.journeys.axe import LOOKS, check_in
from tests.journeys.rater_steps import arrive, open_a_study
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.database import rows

pytestmark = pytest.mark.browser

FOUR = {"a": "Never", "b": "Rarely", "c": "Often", "d": "Always"}
WHAT = "To show that you read this, please choose Often."
LOOK = {"key": "look", "text": WHAT, "codes": FOUR, "correct": "c", "after": 1}
TASK = {
    "key": "task",
    "text": "What do you judge?",
    "codes": {"p": "The person", "r": "The reply"},
    "correct": "r",
    "explanation": "Judge the reply, whatever you think of the person.",
}
CLOSE = {"key": "close", "target": "item", "type": "slider", "text": "How close is it?", "min": 0, "max": 10}
TRY = {"item": "try", "expect": {"preference": "tie", "empathy": [4, 5]}, "feedback": "Both name the *feeling*."}
SURE = {"item": "sure", "expect": {"preference": "tie"}}
ENDING = {"code": "D0NE", "otherwise": {"failed_checks": {"code": "FA1L", "text": "Thank you for trying."}}}
CHECKS = "SELECT detail ->> 'check', detail -> 'is_passed' FROM events WHERE kind = 'check' ORDER BY id"


def open_with_checks(engine: Engine, **practice: Any) -> None:  # noqa: ANN401 - settings of the practice
    """Open a study with one trial, one practice trial, one gold trial, and one check of each kind."""
    open_a_study(
        engine,
        questions=[PREFERENCE, EMPATHY, CLOSE],
        texts=[{"key": key} for key in ("item", "try", "sure")],
        instructions="Judge the **reply**.",
        completion=ENDING,
        design={"trials": "pairs"},
        checks={"attention": [LOOK], "comprehension": [TASK], "gold": [SURE]},
        flow={"practice": {"trials": [TRY], "text": "One to practise.", "pass_share": 1, **practice}},
    )


def come(page: Page) -> None:
    page.goto("/s/study?PROLIFIC_PID=anna&STUDY_ID=s&SESSION_ID=x")
    page.get_by_role("button", name="Begin").click()


def answer(page: Page, choice: str = "tie", points: str = "45") -> None:
    """Fill in the page of a trial without the keyboard, and submit it."""
    page.locator(f'input[name="q0"][value="{choice}"]').check()
    for name, point in zip(("q1r0", "q1r1"), points, strict=True):
        page.locator(f'input[name="{name}"][value="{point}"]').check()
    page.locator('input[name="q2"]').fill("7")
    page.locator("#next").click()


def test_failing_practice_by_keyboard_ends_with_its_code(engine: Engine, page: Page) -> None:
    open_with_checks(engine, on_fail="end", attempts=2)
    come(page)
    page.locator("#c1-2").check()
    page.locator("#next").click()
    for attempt in (1, 2):
        expect(page.locator("h1")).to_have_text("Practice 1 of 1")
        page.locator("#item-heading").click()
        page.keyboard.press("a")
        page.keyboard.press("1")
        page.keyboard.press("1")
        page.keyboard.type("7")
        page.keyboard.press("Tab")
        page.locator("#next").focus()
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text("Practice 1 of 1: feedback")
        expect(page.get_by_text("0 of 2 practice answers match ours.")).to_be_visible()
        assert "FA1L" not in page.content()
        page.get_by_role("link", name="Try again" if attempt == 1 else "Continue").press("Enter")
    expect(page.locator("#completion-code")).to_have_text("FA1L")
    expect(page.locator("#completion-link")).to_have_attribute(
        "href", "https://app.prolific.com/submissions/complete?cc=FA1L"
    )
    assert rows(engine, "SELECT count(*) FROM ratings") == [(0,)]
    assert rows(engine, "SELECT state FROM rating_sessions") == [("failed_checks",)]
    page.go_back()
    page.go_back()
    page.goto("/s/study/practice")
    expect(page.locator("#completion-code")).to_have_text("FA1L")


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_corrected_checks_lead_through_practice_and_gold_to_end(
    engine: Engine,
    new_context: Callable[..., BrowserContext],
    scripts: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    open_with_checks(engine)
    page = new_context(java_script_enabled=scripts).new_page()
    come(page)
    page.locator("#c1-1").check()
    page.locator("#next").click()
    expect(page.get_by_text("Some answers are not correct yet.")).to_be_visible()
    expect(page.get_by_text("Judge the reply, whatever")).to_be_visible()
    page.locator("#c1-2").check()
    page.locator("#next").click()
    answer(page)
    expect(page.locator("em", has_text="feeling")).to_be_visible()
    page.get_by_role("link", name="Continue").click()
    expect(page.locator("h1")).to_have_text("Item 1 of 2")
    answer(page)
    expect(page.locator("h1")).to_have_text("A quick question")
    page.locator("#c1-3").check()
    page.locator("#next").click()
    expect(page.locator("h1")).to_have_text("Item 2 of 2")
    answer(page)
    expect(page.locator("#completion-code")).to_have_text("D0NE")
    assert sorted(rows(engine, CHECKS)) == [("look", True), ("sure", True), ("task", False), ("task", True)]
    assert rows(engine, "SELECT count(*) FROM ratings WHERE exclude IS NULL") == [(4,)]
    assert rows(engine, "SELECT count(*) FROM ratings WHERE exclude = 'gold'") == [(4,)]


def test_attention_check_appears_once_despite_tabs_and_back(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    open_a_study(engine, questions=[PREFERENCE], n_items=2, checks={"attention": [LOOK]})
    context = new_context()
    page = context.new_page()
    arrive(page)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("A quick question")
    other = context.new_page()
    other.goto("/s/study?participant=anna")
    expect(other.locator("h1")).to_have_text("A quick question")
    for tab in (page, other):
        tab.keyboard.press("3")
        tab.keyboard.press("Enter")
        expect(tab.locator("h1")).to_have_text("Item 2 of 2")
    page.go_back()
    page.reload()
    expect(page.locator("h1")).to_have_text("Item 2 of 2")
    assert rows(engine, CHECKS) == [("look", True)]


def test_check_and_practice_pages_are_accessible(engine: Engine, page: Page) -> None:
    open_with_checks(engine, attempts=1)
    come(page)
    for words in ("Please check 1 answer", "Some answers are not correct yet.", "The correct answers"):
        if words != "Please check 1 answer":
            page.locator("#c1-1").check()
        page.locator("#next").click()
        expect(page.get_by_text(words)).to_be_visible()
        check_in(LOOKS, page)
    page.locator("#next").click()
    expect(page.locator("h1")).to_have_text("Practice 1 of 1")
    page.locator("#next").click()
    expect(page.locator("#summary")).to_be_focused()
    check_in(LOOKS, page)
    answer(page, points="14")
    expect(page.get_by_text("1 of 2 practice answers")).to_be_visible()
    check_in(LOOKS, page)
    page.locator("#next").click()
    answer(page)
    expect(page.locator("h1")).to_have_text("A quick question")
    check_in(LOOKS, page)
