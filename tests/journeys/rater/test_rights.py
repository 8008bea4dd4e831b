"""A rater's rights in a browser (skip, pause, look back, withdraw), by mouse, touch, keyboard, and without scripts."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from app.rating.life_cycle import close_study
from tests.journeys.axe import LOOKS, check_in
from tests.journeys.rater_steps import arrive, open_a_study
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.database import rows

pytestmark = pytest.mark.browser
WHO = {"key": "who", "target": "response", "type": "category", "text": "Who wrote it?", "codes": {"p": "P", "ai": "AI"}}
WHY = {"key": "why", "target": "item", "type": "text", "text": "Why?"}
REASONS = ["I would rather not read this", "I know the person"]
FLOW: dict[str, Any] = {
    "skip_reasons": REASONS,
    "revisit": ["who"],
    "debrief": {"text": "Half of it was written by a **model**.", "show_sources": True, "offer_deletion": True},
}
TEXTS = [{"key": f"item-{n}", "content_note": "A loss.", "text": f"The situation of item {n}"} for n in range(3)]


def open_it(engine: Engine, **parts: Any) -> None:  # noqa: ANN401 - parts of a protocol
    usual = {
        "questions": [PREFERENCE, EMPATHY, WHO],
        "texts": TEXTS,
        "flow": FLOW,
        "design": {"raters_per_trial": 1},
        "completion": {"code": "D0NE", "otherwise": {"withdrew": {"code": "LEFT"}, "full": {"code": "FULL"}}},
    }
    open_a_study(engine, **{**usual, **parts})


def rate(page: Page) -> None:
    for name in ("q0-1", "q1r0-4", "q1r1-2"):
        page.locator(f"#{name}").check()
    page.locator("#next").click()


def heading(page: Page, words: str) -> None:
    expect(page.locator("h1")).to_have_text(words)


def look_back(page: Page) -> None:
    """Answer the questions that are asked after the last trial, for both items."""
    heading(page, "Looking back: item 1 of 2")
    check_in(LOOKS, page)
    for number in (1, 2):
        heading(page, f"Looking back: item {number} of 2")
        page.locator("#q2r0-1").check()
        page.locator("#q2r1-2").check()
        page.locator("#next").click()


@pytest.mark.long
def test_skip_break_and_withdrawal_pages_are_accessible(
    engine: Engine, page: Page, new_context: Callable[..., BrowserContext]
) -> None:
    open_it(engine)
    arrive(page, by="PROLIFIC_PID")
    late = new_context().new_page()
    for one in (page, late):
        one.route("https://app.prolific.com/**", lambda route: route.fulfill(status=204))  # stays on its page
    _check_full_study(late)
    page.locator("#skip summary").click()
    check_in(LOOKS, page)
    page.get_by_role("button", name=REASONS[0]).click()
    heading(page, "Item 2 of 3")
    page.get_by_role("button", name="Pause").click()
    heading(page, "You are taking a break")
    check_in(LOOKS, page)
    page.get_by_role("link", name="Continue").click()
    rate(page)
    heading(page, "Item 3 of 3")
    rate(page)
    look_back(page)
    heading(page, "What this study was about")
    check_in(LOOKS, page)
    page.get_by_role("link", name="Withdraw my answers").click()
    heading(page, "Stop taking part")
    check_in(LOOKS, page)
    page.get_by_role("button", name="Stop and leave my answers").click()
    heading(page, "You have stopped taking part")
    expect(page.locator("#completion-code")).to_have_text("D0NE")
    check_in(LOOKS, page)
    page.get_by_role("button", name="Delete my answers as well").click()
    heading(page, "Your answers have been deleted")
    check_in(LOOKS, page)
    with engine.begin() as db:
        close_study(db, "study")
    late.goto("/s/study?PROLIFIC_PID=carl")
    heading(late, "No longer available")
    expect(late.locator("#completion-code")).to_have_text("FULL")
    check_in(LOOKS, late)


def _check_full_study(late: Page) -> None:
    late.goto("/s/study?PROLIFIC_PID=ben")
    heading(late, "All places are taken right now")
    check_in(LOOKS, late)
    late.goto("/s/study/privacy")
    heading(late, "Your data")
    check_in(LOOKS, late)


def test_skip_by_keyboard_moves_focus_to_next_item(engine: Engine, page: Page) -> None:
    open_it(engine)
    arrive(page)
    page.keyboard.press("s")
    expect(page.locator("#skip summary")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    heading(page, "Item 2 of 3")
    expect(page.locator("#item-heading")).to_be_focused()
    assert rows(engine, "SELECT skip_reason FROM assignments WHERE state = 'skipped'") == [(REASONS[0],)]


def test_repeated_taps_skip_one_item(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_it(engine)
    page = new_context(has_touch=True, is_mobile=True, viewport={"width": 360, "height": 740}).new_page()
    arrive(page)
    page.locator("#skip summary").tap()
    page.get_by_role("button", name=REASONS[1]).dblclick()
    heading(page, "Item 2 of 3")
    page.wait_for_load_state("networkidle")
    assert rows(engine, "SELECT state FROM assignments ORDER BY position") == [("skipped",), ("leased",), ("planned",)]
    page.go_back()
    heading(page, "Item 2 of 3")


def test_skip_break_and_withdrawal_work_without_scripts(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    open_it(engine)
    page = new_context(java_script_enabled=False).new_page()
    arrive(page)
    page.locator("#skip summary").click()
    page.get_by_role("button", name="Because of its content note").click()
    heading(page, "Item 2 of 3")
    page.get_by_role("button", name="Pause").click()
    heading(page, "You are taking a break")
    page.goto("/s/study?participant=anna")
    heading(page, "Item 2 of 3")
    page.get_by_role("link", name="Stop taking part").click()
    page.get_by_role("button", name="Stop and delete my answers").click()
    heading(page, "Your answers have been deleted")
    assert rows(engine, "SELECT count(*) FROM assignments") == rows(engine, "SELECT count(*) FROM raters") == [(0,)]


def test_text_typed_on_skipped_item_is_discarded(engine: Engine, page: Page) -> None:
    open_it(engine, questions=[WHY, EMPATHY], flow={"skip_reasons": REASONS})
    arrive(page)
    page.get_by_label("Why?").fill("Half a thought")
    page.locator("#skip summary").click()
    page.get_by_role("button", name=REASONS[0]).click()
    heading(page, "Item 2 of 3")
    page.wait_for_timeout(1000)
    assert rows(engine, "SELECT count(*) FROM ratings") == [(0,)]


def test_deleted_rater_always_reaches_receipt(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_it(engine)
    context = new_context()
    page, other = context.new_page(), context.new_page()
    arrive(page)
    rate(page)
    heading(page, "Item 2 of 3")
    other.goto("/s/study/rate")
    page.get_by_role("link", name="Stop taking part").click()
    page.get_by_role("button", name="Stop and delete my answers").dblclick()
    heading(page, "Your answers have been deleted")
    receipt = page.locator("#receipt").inner_text()
    page.go_back()
    page.reload()
    heading(page, "Your answers have been deleted")
    rate(other)
    heading(other, "Your answers have been deleted")
    for one in (page, other):
        expect(one.locator("#receipt")).to_have_text(receipt)
        expect(one.locator("#completion-code")).to_have_text("LEFT")
    for table in ("raters", "ratings", "rating_history", "assignments", "rating_sessions"):
        assert rows(engine, f"SELECT count(*) FROM {table}") == [(0,)]  # noqa: S608


def test_break_ends_on_another_device_with_same_link(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    open_it(engine)
    page, phone = new_context().new_page(), new_context(viewport={"width": 360, "height": 740}).new_page()
    arrive(page)
    page.locator("#q0-1").check()
    expect(page.locator("#save-state")).to_have_text("Saved")
    page.get_by_role("button", name="Pause").click()
    heading(page, "You are taking a break")
    phone.goto("/s/study?participant=anna")
    heading(phone, "Item 1 of 3")
    # The participant ID alone resumes at the open trial, without the answers that the first browser saved there.
    expect(phone.locator("#q0-1")).not_to_be_checked()
    kinds = [("pause",), ("session_moved",), ("resume",)]
    assert rows(engine, "SELECT kind FROM events ORDER BY id") == kinds
    page.reload()
    heading(page, "Item 1 of 3")


def press_on(page: Page, name: str) -> None:
    """Reach a link or button by the Tab key and press Enter."""
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.innerText?.trim()") == name:
            page.keyboard.press("Enter")
            return
    raise AssertionError(f"{name} cannot be reached by Tab")


def test_debriefing_by_keyboard_alone_with_a_wrong_turn_to_withdrawal(engine: Engine, page: Page) -> None:
    open_it(engine, texts=TEXTS[:1], questions=[PREFERENCE], flow={"debrief": FLOW["debrief"]})
    arrive(page)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    heading(page, "What this study was about")
    press_on(page, "Withdraw my answers")
    heading(page, "Stop taking part")
    press_on(page, "Back to where I was")
    heading(page, "What this study was about")
    press_on(page, "Finish")
    page.wait_for_url("**/done*")
    assert rows(engine, "SELECT side FROM ratings WHERE exclude IS NULL") == [("left",)]
