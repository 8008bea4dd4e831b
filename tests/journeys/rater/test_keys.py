"""Forty pairs rated with the keyboard only, and a dozen over a slow network."""

import re
import sys
from collections.abc import Callable
from statistics import median

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from tests.journeys.rater_steps import all_is_well, arrive, open_a_study, rate
from tests.kit.database import rows

pytestmark = pytest.mark.browser
N_PAIRS = 40


def at_item(page: Page, n: int, of: int = N_PAIRS) -> None:
    expect(page.locator("h1")).to_have_text(f"Item {n} of {of}")
    expect(page).to_have_title(re.compile(rf"^Item {n} of {of}"))


@pytest.mark.long
def test_forty_pairs_by_keyboard_with_reload_and_change(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=N_PAIRS)
    page.goto("/s/study?participant=anna")
    expect(page).to_have_url(re.compile(r"/s/study/start$"))
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    at_item(page, 1)
    rate(page, "a4524")
    expect(page.locator("#next")).to_be_focused()
    expect(page.locator("#save-state")).to_have_text("Saved")
    page.keyboard.press("Enter")
    at_item(page, 2)
    expect(page.locator("#item-heading")).to_be_focused()
    rate(page, "b1")
    expect(page.locator("#save-state")).to_have_text("Saved")
    page.reload()
    at_item(page, 2)
    assert page.locator(".asks :checked").count() == 2
    rate(page, "524")
    page.keyboard.press("Enter")
    at_item(page, 3)
    page.keyboard.press("Backspace")
    at_item(page, 2)
    page.keyboard.press("t")
    page.keyboard.press("Enter")
    for n in range(3, N_PAIRS + 1):
        at_item(page, n)
        rate(page, "a3333")
        page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("You have finished. Thank you.")
    expect(page.locator("#completion-code")).to_have_text("C0DE42")
    assert all_is_well(engine, N_PAIRS, 5)
    second = "SELECT r.outcome, h.side FROM ratings r JOIN rating_history h ON h.rating_id = r.id WHERE r.position = 2"
    assert rows(engine, second) == [("tie", "right")]


ANSWER_AND_SUBMIT = """() => document.addEventListener("htmx:afterSwap", () => setTimeout(() => {
  const form = document.getElementById("rate-form");
  const radios = [...form.querySelectorAll("[data-slot] input[type=radio]")];
  const names = new Set(radios.map(({ name }) => name));
  for (const one of names) radios.find(({ name }) => name === one).click();
  form.requestSubmit(document.getElementById("next"));
}), { once: true })"""


def test_next_pressed_in_the_moment_after_a_swap_does_not_load_the_page(engine: Engine, page: Page) -> None:
    """Until htmx knows the new form, the browser would submit it by itself, without times and devices."""
    open_a_study(engine, n_items=N_PAIRS)
    arrive(page)
    page.evaluate(ANSWER_AND_SUBMIT)
    loads: list[str] = []
    page.on("load", lambda loaded: loads.append(loaded.url))
    rate(page, "a3333")
    page.keyboard.press("Enter")
    at_item(page, 3)
    assert loads == []


SLOW_MS = 400
N_SLOW = 12
SINCE_ENTER = """() => {
  addEventListener("keydown", ({ key }) => { if (key === "Enter") window.enteredAt = performance.now(); }, true);
  window.waits = [];
  document.addEventListener("htmx:afterSettle", () => window.waits.push(performance.now() - window.enteredAt));
}"""


def test_pairs_by_keyboard_at_400_ms_latency(engine: Engine, page: Page) -> None:
    """Print the time from Enter to the next item. No answer is lost, whatever is still on its way at Enter."""
    open_a_study(engine, n_items=N_SLOW)
    arrive(page)
    network = page.context.new_cdp_session(page)
    slow = {"offline": False, "latency": SLOW_MS, "downloadThroughput": -1, "uploadThroughput": -1}
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", slow)
    page.evaluate(SINCE_ENTER)
    for n in range(1, N_SLOW):
        at_item(page, n, N_SLOW)
        rate(page, "a3333")
        page.keyboard.press("Enter")
    at_item(page, N_SLOW, N_SLOW)
    waits = sorted(page.evaluate("window.waits"))
    rate(page, "a3333")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("You have finished. Thank you.")
    line = f"Enter to the next item at {SLOW_MS} ms latency: median {median(waits):.0f} ms, longest {waits[-1]:.0f} ms"
    sys.stdout.write(f"{line}\n")
    assert len(waits) == N_SLOW - 1
    assert all(wait >= SLOW_MS for wait in waits), "the network was slow"
    assert all_is_well(engine, N_SLOW, 5)


def test_digit_rates_focused_question_and_moves_on(engine: Engine, page: Page) -> None:
    open_a_study(engine)
    arrive(page)
    page.locator("#q2r0-1").focus()
    page.keyboard.press("2")
    expect(page.locator("#q2r0-2")).to_be_checked()
    expect(page.locator("#q2r1-1")).to_be_focused()
    expect(page.locator("#q2r1-1")).not_to_be_checked()


def test_enter_on_incomplete_page_focuses_missing_answer(engine: Engine, page: Page) -> None:
    open_a_study(engine)
    arrive(page)
    rate(page, "a333")
    page.locator("#item-heading").focus()
    expect(page.locator("#save-state")).to_have_text("Saved")
    page.keyboard.press("Enter")
    expect(page.locator("#save-state")).to_have_text("Answers still missing: 1")
    expect(page.locator("#q2r1-1")).to_be_focused()
    assert page.locator("h1").inner_text() == "Item 1 of 3"


def test_shortcuts_are_ignored_with_modifiers_and_in_text_fields(engine: Engine, page: Page) -> None:
    why = {"key": "why", "target": "item", "type": "text", "text": "Why?"}
    choice = {"key": "p", "target": "pair", "type": "choice", "text": "Which?", "tie": True}
    open_a_study(engine, questions=[choice, why])
    arrive(page)
    for combination in ("Control+b", "Alt+b", "Meta+b"):
        page.keyboard.press(combination)
    page.get_by_label("Why?").fill("")
    page.get_by_label("Why?").press_sequentially("a b t 0 ? ")
    page.keyboard.press("Backspace")
    assert page.get_by_label("Why?").input_value() == "a b t 0 ?"
    assert page.locator(".asks :checked").count() == 0
    assert page.locator("h1").inner_text() == "Item 1 of 3"


def test_shortcuts_can_be_disabled_permanently(
    engine: Engine, page: Page, new_context: Callable[..., BrowserContext]
) -> None:
    open_a_study(engine)
    arrive(page)
    page.keyboard.press("?")
    page.get_by_role("button", name="Turn shortcuts off").click()
    expect(page.locator("#rate")).to_have_attribute("data-keys", "off")
    page.keyboard.press("a")
    assert page.locator(".asks :checked").count() == 0
    expect(page.locator(".point kbd").first).to_be_hidden()
    elsewhere = new_context().new_page()
    elsewhere.goto("/s/study?participant=anna")
    elsewhere.keyboard.press("a")
    assert elsewhere.locator(".asks :checked").count() == 0


def test_tab_arrows_space_and_enter_work_without_shortcuts(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=1, instructions="Read **both** responses first.")
    arrive(page)
    reopened = page.locator("#instructions .bar-panel")
    page.locator("#instructions summary").press("Enter")
    expect(reopened).to_have_text("Read both responses first.")
    expect(reopened).to_be_in_viewport()
    page.keyboard.press("Escape")
    expect(reopened).to_be_hidden()
    expect(page.locator("#instructions summary")).to_be_focused()
    page.locator("#keys-help summary").click()
    page.get_by_role("button", name="Turn shortcuts off").click()
    expect(page.locator("#rate")).to_have_attribute("data-keys", "off")
    page.locator("#q0-1").focus()
    page.keyboard.press("Space")
    for _ in range(4):
        page.keyboard.press("Tab")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
    assert page.locator(".asks :checked").count() == 5
    page.keyboard.press("Tab")
    expect(page.locator("#next")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("You have finished. Thank you.")
    assert all_is_well(engine, 1, 5)


def test_enter_on_practice_page_names_missing_answers(engine: Engine, page: Page) -> None:
    texts = [{"key": "one"}, {"key": "practice"}]
    open_a_study(engine, texts=texts, flow={"practice": {"trials": [{"item": "practice", "expect": {"empathy": 4}}]}})
    page.goto("/s/study?participant=anna")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("h1")).to_have_text("Practice 1 of 1")
    rate(page, "a333")
    page.locator("h1").focus()
    page.locator("body").press("Enter")
    expect(page.locator("#save-state")).to_have_text("Answers still missing: 1")
    expect(page.locator("#q2r1-1")).to_be_focused()
