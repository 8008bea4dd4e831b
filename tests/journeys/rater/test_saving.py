"""Answers are saved in batches, submitted with their page, and survive sessions, closed tabs and busy servers."""

import re
import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect
from sqlalchemy import Engine

from tests.journeys.rater_steps import arrive, open_a_study, rate
from tests.kit.database import rows
from tests.kit.waiting import eventually, until

pytestmark = pytest.mark.browser
SUBMIT = re.compile(r"/rate/[^/]+$")
CHOSEN = "SELECT question, number, side FROM ratings WHERE position = 1 ORDER BY question, side"


def posts(page: Page) -> list[str]:
    """Return a list that collects the addresses of all POST requests from now on."""
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url) if request.method == "POST" else None)
    return sent


def hold(page: Page, address: str | re.Pattern[str]) -> list[Route]:
    """Hold requests to an address until the test continues them; return the list of held requests.

    It seems to begin a moment later: a request that is made at once can pass, and then nobody hears of it.
    """
    held: list[Route] = []

    def keep(route: Route) -> None:
        held.append(route)

    page.route(address, keep)
    return held


def test_five_answers_take_at_most_three_requests(engine: Engine, page: Page) -> None:
    open_a_study(engine)
    page.clock.install()
    arrive(page)
    sent = posts(page)
    for pause, heading in ((1500, "Item 2 of 3"), (1000, "Item 3 of 3"), (0, "You have finished. Thank you.")):
        sent.clear()
        page.clock.pause_at(page.evaluate("Date.now() / 1000 + 1"))
        for key in "a4524":
            page.keyboard.press(key)
            page.clock.run_for(pause)
        page.keyboard.press("Enter")
        page.clock.resume()
        expect(page.locator("h1")).to_have_text(heading)
        assert 1 <= len(sent) <= 3, sent
    assert rows(engine, "SELECT count(*), count(*) FILTER (WHERE exclude IS NULL) FROM ratings") == [(15, 15)]


def test_a_thousand_changes_in_a_minute_are_few_requests_and_the_last_one_counts(engine: Engine, page: Page) -> None:
    open_a_study(engine)
    page.clock.install()
    arrive(page)
    sent = posts(page)
    for _ in range(20):
        page.evaluate("for (let n = 0; n < 50; n += 1) document.querySelector(`#q1r0-${n % 5 + 1}`).click()")
        page.clock.run_for(3000)
    page.clock.resume()
    expect(page.locator("#save-state")).to_have_text("Saved")
    assert 1 <= len(sent) <= 21
    assert rows(engine, "SELECT number FROM ratings") == [(5.0,)]


def test_next_does_not_wait_for_save(engine: Engine, page: Page) -> None:
    open_a_study(engine)
    arrive(page)
    held = hold(page, "**/save")
    with page.expect_request("**/save"):
        rate(page, "a")
    rate(page, "4524")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Item 2 of 3")
    assert len(held) == 1
    held[0].continue_()
    expect(page.locator("#save-state")).not_to_have_attribute("data-state", "waiting")
    assert rows(engine, "SELECT count(*), (SELECT count(*) FROM rating_history) FROM ratings") == [(5, 0)]


def test_answers_of_the_last_page_do_not_stay_on_the_device(engine: Engine, page: Page) -> None:
    """The next page sent them again, to a page that was closed: the server refused them, once in each session."""
    open_a_study(engine)
    arrive(page)
    for heading in ("Item 2 of 3", "Item 3 of 3", "You have finished. Thank you."):
        rate(page, "a4524")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_have_text(heading)
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('attune-answer:'))") == []


def test_key_pressed_while_next_item_loads_is_ignored(engine: Engine, page: Page) -> None:
    open_a_study(engine)
    arrive(page)
    held = hold(page, SUBMIT)
    rate(page, "a4524")
    expect(page.locator("#save-state")).to_have_text("Saved")
    with page.expect_request(SUBMIT):
        page.keyboard.press("Enter")
    until(page, "document.querySelector('#rate-form').inert")
    rate(page, "b1111")
    page.locator("label:has(#q0-2)").click(force=True)
    held[0].continue_()
    expect(page.locator("h1")).to_have_text("Item 2 of 3")
    assert rows(engine, CHOSEN) == [
        ("empathy", 2.0, "left"),
        ("empathy", 4.0, "right"),
        ("preference", None, "left"),
        ("quality", 4.0, "left"),
        ("quality", 5.0, "right"),
    ]


@pytest.mark.parametrize("status", [401, 403, 404])
def test_expired_session_keeps_answers_until_link_is_reopened(engine: Engine, page: Page, status: int) -> None:
    open_a_study(engine)
    arrive(page)
    page.route("**/save", lambda route: route.fulfill(status=status))
    rate(page, "a4")
    expect(page.locator("#save-state")).to_contain_text("open your study link again")
    page.unroute_all()
    page.context.clear_cookies()
    page.goto("/s/study?participant=anna")
    expect(page.locator("#q0-1")).to_be_checked()
    expect(page.locator("#save-state")).to_have_text("Saved")
    assert rows(engine, "SELECT count(*) FROM ratings") == [(2,)]


def test_later_answer_of_two_tabs_wins_and_earlier_tab_says_so(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    open_a_study(engine)
    context = new_context()
    first, second = context.new_page(), context.new_page()
    arrive(first)
    second.goto("/s/study")
    first.locator("#q1r0-4").check()
    expect(first.locator("#save-state")).to_have_text("Saved")
    second.locator("#q1r0-2").check()
    expect(second.locator("#save-state")).to_have_text("Saved")
    expect(first.locator("#save-state")).to_contain_text("Changed in another tab")
    expect(first.locator("#q1r0-2")).to_be_checked()
    assert rows(engine, "SELECT number FROM ratings") == [(2.0,)]


def arrive_in_two_browsers(
    new_context: Callable[..., BrowserContext], *, script_takes_s: float = 0
) -> tuple[Page, Page]:
    """The first has a draft of item 1, which the second, with the same ID, takes over without seeing it.

    The second browser's clock must not depend on how long its script takes to load.
    """
    first, second = new_context().new_page(), new_context().new_page()
    arrive(first)
    first.locator("#q0-1").check()
    expect(first.locator("#save-state")).to_have_text("Saved")

    def load_slowly(route: Route) -> None:
        time.sleep(script_takes_s)
        route.continue_()

    second.route("**/saving.js", load_slowly)
    second.goto("/s/study?participant=anna")
    expect(second.locator("h1")).to_have_text("Item 1 of 3")
    expect(second.locator(".asks :checked")).to_have_count(0)
    rate(second, "b2222")
    expect(second.locator("#save-state")).to_have_text("Saved")
    return first, second


def test_second_browser_submit_replaces_draft_of_first(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    open_a_study(engine)
    first, second = arrive_in_two_browsers(new_context, script_takes_s=4)
    held = hold(first, "**/save")
    with first.expect_request("**/save"):
        first.locator("#q1r0-4").check()
    # On a busy machine an answer's way to the browser, which the clocks do not know, takes longer.
    second.wait_for_timeout(500)
    second.keyboard.press("Enter")
    expect(second.locator("h1")).to_have_text("Item 2 of 3")
    held[0].continue_()
    expect(first.locator("#save-state")).to_contain_text("Changed in another browser.")
    assert rows(engine, CHOSEN) == [
        ("empathy", 2.0, "left"),
        ("empathy", 2.0, "right"),
        ("preference", None, "right"),
        ("quality", 2.0, "left"),
        ("quality", 2.0, "right"),
    ]
    assert rows(engine, "SELECT side FROM rating_history") == [("left",)], "the draft is kept"
    first.reload()
    expect(first.locator("h1")).to_have_text("Item 2 of 3")


def test_later_draft_answer_of_two_browsers_wins(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_a_study(engine)
    first, second = arrive_in_two_browsers(new_context)
    with first.expect_response("**/save"):
        first.locator("#q1r0-4").check()
    expect(first.locator("#save-state")).to_have_text("Saved")
    assert rows(engine, CHOSEN)[2:4] == [("preference", None, "right"), ("quality", 4.0, "left")]
    second.reload()
    expect(second.locator(".asks :checked")).to_have_count(0)


def test_submit_on_closed_connection_is_retried_once(engine: Engine, page: Page) -> None:
    open_a_study(engine)
    arrive(page)
    tries: list[Any] = []

    def close_the_first(route: Route) -> None:
        tries.append(route)
        route.abort() if len(tries) == 1 else route.continue_()

    page.route(SUBMIT, close_the_first)
    rate(page, "a4524")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Item 2 of 3")
    assert rows(engine, "SELECT count(*), (SELECT count(*) FROM rating_history) FROM ratings") == [(5, 0)]


def test_busy_server_is_retried_after_its_delay(engine: Engine, page: Page) -> None:
    open_a_study(engine)
    arrive(page)
    tries: list[Any] = []

    def be_busy_once(route: Route) -> None:
        tries.append(route)
        route.fulfill(status=503, headers={"Retry-After": "1"}) if len(tries) == 1 else route.continue_()

    page.route(SUBMIT, be_busy_once)
    rate(page, "a4524")
    page.keyboard.press("Enter")
    expect(page.locator("#save-state")).to_contain_text("The server is busy")
    expect(page.locator("h1")).to_have_text("Item 2 of 3")
    assert rows(engine, "SELECT count(*) FROM ratings WHERE exclude IS NULL") == [(5,)]


def test_unsent_answers_are_sent_on_leaving_the_page(engine: Engine, page: Page) -> None:
    open_a_study(engine)
    arrive(page)
    rate(page, "a4")
    page.goto("about:blank")
    eventually(lambda: rows(engine, "SELECT count(*) FROM ratings") == [(2,)])
