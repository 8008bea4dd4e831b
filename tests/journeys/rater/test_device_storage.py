"""What the rater's device keeps is gone when it is not needed any more."""

import pytest
from playwright.sync_api import Page, Route, expect
from sqlalchemy import Engine

from tests.journeys.rater_steps import arrive, open_a_study, rate
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.database import rows
from tests.kit.waiting import until

pytestmark = pytest.mark.browser
KEPT = "[...Object.keys(localStorage), ...Object.keys(sessionStorage)].filter((name) => name.startsWith('attune-'))"
MOOD = {**EMPATHY, "key": "mood", "target": "rater", "text": "How are you?"}
WISH = {"key": "wish", "target": "rater", "type": "text", "text": "Anything else?"}
FLOW = {"before": [{"questions": ["mood"]}], "after": [{"questions": ["wish"]}], "debrief": {"text": "Thank you."}}


@pytest.fixture
def asked(engine: Engine, page: Page) -> Page:
    """A rater at the questions before the trials of a study that ends with questions and a debriefing."""
    open_a_study(engine, n_items=1, questions=[PREFERENCE, EMPATHY, MOOD, WISH], flow=FLOW)
    page.goto("/s/study?participant=anna")
    expect(page.locator("h1")).to_be_visible()
    return page


def expect_kept(page: Page, *names: str) -> None:
    """Wait until the scripts of the page have run, and exactly these names are kept."""
    page.wait_for_load_state()
    until(page, f"names => JSON.stringify({KEPT}.sort()) === JSON.stringify(names)", sorted(names))


def answer_unsaved(page: Page, answer: str) -> None:
    """Answer a page of questions whose answers cannot be saved before it is submitted."""
    page.route("**/save", lambda route: route.abort())
    text = page.locator("textarea")
    text.fill(answer) if text.count() else page.locator(f"input[value='{answer}']").check()
    until(page, f"({KEPT}).some((name) => name.startsWith('attune-answer:'))")
    page.locator("#next").click()


def test_submitted_questions_are_not_sent_again_and_nothing_is_said(engine: Engine, asked: Page) -> None:
    answer_unsaved(asked, "4")
    expect(asked.get_by_role("button", name="Begin")).to_be_visible()
    expect_kept(asked)
    asked.unroute_all()
    sent: list[str] = []
    asked.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    asked.get_by_role("button", name="Begin").click()
    asked.wait_for_selector("#rate-form[data-ready]")
    asked.wait_for_timeout(1000)
    expect(asked.locator("#save-state")).to_have_text("")
    assert [url for url in sent if url.endswith("/save")] == []
    assert rows(engine, "SELECT number FROM ratings") == [(4.0,)]


def test_nothing_is_kept_after_the_last_page(asked: Page) -> None:
    answer_unsaved(asked, "4")
    asked.get_by_role("button", name="Begin").click()
    asked.wait_for_selector("#rate-form[data-ready]")
    rate(asked, "a42")
    asked.keyboard.press("Enter")
    expect(asked.locator("textarea")).to_be_visible()
    answer_unsaved(asked, "No.")
    expect(asked.locator("h1")).to_have_text("What this study was about")
    expect_kept(asked)
    asked.get_by_role("button", name="Finish").click()
    expect(asked.locator("h1")).to_have_text("You have finished. Thank you.")
    expect_kept(asked)


def test_an_answer_given_before_the_scripts_have_run_is_saved(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=1, questions=[PREFERENCE, EMPATHY, MOOD, WISH], flow=FLOW)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/saving*.js", hold)
    page.goto("/s/study?participant=anna", wait_until="commit")
    page.locator("input[value='4']").check()
    expect(page.locator("#next")).to_be_visible()
    held[0].continue_()
    expect(page.locator("#save-state")).to_have_text("Saved")
    assert rows(engine, "SELECT number FROM ratings") == [(4.0,)]


@pytest.mark.parametrize("wish", ["stop", "delete"])
def test_nothing_is_kept_after_a_withdrawal(engine: Engine, page: Page, wish: str) -> None:
    open_a_study(engine, n_items=2)
    arrive(page)
    page.route("**/save", lambda route: route.abort())
    rate(page, "a4")
    until(page, f"({KEPT}).length >= 2")
    page.evaluate("localStorage.setItem('attune-answer:/s/other/rate/1/save#q0', '{}')")
    page.get_by_role("link", name="Stop taking part").click()
    page.locator(f"button[value={wish}]").click()
    expect(page.locator("#receipt")).to_be_visible()
    expect_kept(page, "attune-answer:/s/other/rate/1/save#q0")


def test_answers_that_were_not_sent_survive_a_look_at_the_instructions(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=2)
    arrive(page)
    page.route("**/save", lambda route: route.abort())
    page.locator("#q1r0-4").check()
    until(page, f"({KEPT}).some((name) => name.startsWith('attune-answer:'))")
    page.goto("/s/study/start")
    page.unroute_all()
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#q1r0-4")).to_be_checked()
    expect(page.locator("#save-state")).to_have_text("Saved")


def test_page_whose_answers_are_not_saved_keeps_no_time_away(engine: Engine, page: Page) -> None:
    trials = [{"item": "try", "expect": {"preference": "try:model"}, "feedback": "Because."}]
    open_a_study(engine, texts=[{"key": "item"}, {"key": "try"}], flow={"practice": {"trials": trials}})
    page.goto("/s/study?participant=anna")
    page.get_by_role("button", name="Begin").click()
    expect(page.locator("form[data-unsaved]")).to_be_visible()
    page.evaluate("dispatchEvent(new PageTransitionEvent('pagehide'))")
    expect_kept(page)
