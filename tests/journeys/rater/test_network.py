"""The network fails and recovers: no answer is lost, and none is stored twice."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect
from sqlalchemy import Engine

from tests.journeys.rater_steps import QUALITY, all_is_well, arrive, open_a_study, rate
from tests.kit.builder import EMPATHY
from tests.kit.database import rows
from tests.kit.waiting import until

pytestmark = pytest.mark.browser
SUBMIT = re.compile(r"/rate/[^/]+$")
NUMBERS = "SELECT question, number, side FROM ratings ORDER BY question, side"


def test_answers_given_offline_are_sent_once_when_online(engine: Engine, page: Page) -> None:
    more = [{**QUALITY, "key": key, "text": f"How {key} is it?"} for key in ("clear", "kind", "warm")]
    open_a_study(engine, n_items=2, questions=[QUALITY, EMPATHY, *more])
    arrive(page)
    page.context.set_offline(True)
    for name in (f"q{question}r{side}-{1 + (question + side) % 5}" for question in range(5) for side in range(2)):
        page.locator(f"#{name}").check()
    page.locator("#q0r0-5").check()
    expect(page.locator("#save-state")).to_have_text("Not saved. Retrying…")
    page.locator("#next").click()
    expect(page.locator("#save-state")).to_contain_text("No connection")
    assert rows(engine, NUMBERS) == []
    page.context.set_offline(False)
    expect(page.locator("h1")).to_have_text("Item 2 of 2")
    assert rows(engine, NUMBERS) == [
        ("clear", 3.0, "left"),
        ("clear", 4.0, "right"),
        ("empathy", 2.0, "left"),
        ("empathy", 3.0, "right"),
        ("kind", 4.0, "left"),
        ("kind", 5.0, "right"),
        ("quality", 5.0, "left"),
        ("quality", 2.0, "right"),
        ("warm", 5.0, "left"),
        ("warm", 1.0, "right"),
    ]


def test_answers_survive_closing_the_page_while_offline(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=1)
    arrive(page)
    page.route("**/save", lambda route: route.abort())
    page.locator("#q1r0-4").check()
    expect(page.locator("#save-state")).to_have_text("Not saved. Retrying…")
    context = page.context
    page.close()
    again = context.new_page()
    again.goto("/s/study")
    expect(again.locator("#q1r0-4")).to_be_checked()
    expect(again.locator("#save-state")).to_have_text("Saved")
    assert rows(engine, NUMBERS) == [("quality", 4.0, "left")]


def test_answer_with_lost_confirmation_counts_once(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=1)
    arrive(page)
    n_lost = 0

    def lose_the_first_receipt(route: Route) -> None:
        nonlocal n_lost
        route.fetch()
        n_lost += 1
        if n_lost == 1:
            route.abort()
        else:
            route.continue_()

    page.route("**/save", lose_the_first_receipt)
    page.locator("#q1r0-4").check()
    expect(page.locator("#save-state")).to_have_text("Not saved. Retrying…")
    page.locator("#q1r0-2").check()
    expect(page.locator("#save-state")).to_have_text("Saved")
    assert rows(engine, NUMBERS) == [("quality", 2.0, "left")]
    assert rows(engine, "SELECT number FROM rating_history") == [(4.0,)]


def test_failed_save_is_retried(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=1)
    arrive(page)
    stumbles: list[Any] = []

    def stumble_twice(route: Route) -> None:
        stumbles.append(route)
        route.fulfill(status=503) if len(stumbles) <= 2 else route.continue_()

    page.route("**/save", stumble_twice)
    page.locator("#q0-1").check()
    expect(page.locator("#save-state")).to_have_text("Not saved. Retrying…")
    expect(page.locator("#save-state")).to_have_text("Saved")
    assert rows(engine, NUMBERS) == [("preference", None, "left")]


def test_failed_submit_can_be_repeated(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=1)
    arrive(page)
    page.route(SUBMIT, lambda route: route.abort())
    for name in ("q0-1", "q1r0-4", "q2r0-5", "q1r1-2", "q2r1-1"):
        page.locator(f"#{name}").check()
    expect(page.locator("#save-state")).to_have_text("Saved")
    page.locator("#next").click()
    expect(page.locator("#save-state")).to_contain_text("No connection.")
    page.unroute_all()
    page.locator("#next").click()
    expect(page.locator("h1")).to_have_text("You have finished. Thank you.")
    assert all_is_well(engine, 1, 5)


def test_late_copy_of_a_page_changes_nothing_after_going_back(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=3)
    arrive(page)
    rate(page, "a4524")
    with page.expect_request(SUBMIT) as first:
        page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Item 2 of 3")
    page.keyboard.press("Backspace")
    expect(page.locator("h1")).to_have_text("Item 1 of 3")
    page.locator("#q1r0-1").check()
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Item 2 of 3")
    changed = [(1.0, "left"), (5.0, "right"), (2.0, "left"), (4.0, "right")]
    stored = "SELECT number, side FROM ratings WHERE number IS NOT NULL ORDER BY question DESC, side"
    assert rows(engine, stored) == changed
    late = first.value
    page.request.post(late.url, data=late.post_data, headers=late.headers)
    assert rows(engine, stored) == changed


def test_submit_that_reaches_the_server_after_a_later_one_changes_nothing(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=3)
    arrive(page)
    rate(page, "a4524")
    overtaken: list[Any] = []

    def hold_back(route: Route) -> None:
        overtaken.append(route.request)
        route.fulfill(status=503, headers={"Retry-After": "60"}) if len(overtaken) == 1 else route.continue_()

    expect(page.locator("#save-state")).to_contain_text("Saved")
    # An answer that is stored after the page was refused: what is said is still that the page waits.
    saves: list[Route] = []
    page.route("**/save", lambda route: saves.append(route), times=1)  # noqa: PLW0108 - Playwright wants a function
    with page.expect_request("**/save"):
        page.locator("#q1r0-2").check()
    page.route(SUBMIT, hold_back)
    page.keyboard.press("Enter")
    expect(page.locator("#save-state")).to_contain_text("The server is busy")
    with page.expect_response("**/save"):
        saves[0].continue_()
    page.wait_for_timeout(100)
    expect(page.locator("#save-state")).to_contain_text("The server is busy")
    page.locator("#q1r0-1").check()
    page.locator("#next").click()
    expect(page.locator("h1")).to_have_text("Item 2 of 3")
    late = overtaken[0]
    page.request.post(late.url, data=late.post_data, headers=late.headers)
    assert rows(engine, "SELECT number FROM ratings WHERE question = 'quality' AND side = 'left'") == [(1.0,)]


def test_item_that_is_rated_after_a_skip_could_not_leave_is_not_skipped(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=3, flow={"skip_reasons": ["Too hard"]})
    arrive(page)
    page.context.set_offline(True)
    page.keyboard.press("s")
    page.get_by_role("button", name="Too hard").click()
    expect(page.locator("#save-state")).to_contain_text("No connection")
    page.locator("#q1r0-4").check()
    page.context.set_offline(False)
    expect(page.locator("#save-state")).to_have_text("Saved")
    page.wait_for_timeout(1500)
    expect(page.locator("h1")).to_have_text("Item 1 of 3")
    assert rows(engine, "SELECT number, exclude FROM ratings") == [(4.0, "not submitted")]


def test_form_of_an_item_that_is_being_skipped_takes_no_answers(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=3, flow={"skip_reasons": ["Too hard"]})
    arrive(page)
    held: list[Route] = []

    def keep(route: Route) -> None:
        held.append(route)

    page.route("**/skip", keep)
    page.keyboard.press("s")
    page.get_by_role("button", name="Too hard").click()
    until(page, "document.querySelector('#rate-form').inert")
    page.locator("label:has(#q1r0-4)").click(force=True)
    held[0].continue_()
    expect(page.locator("h1")).to_have_text("Item 2 of 3")
    assert rows(engine, "SELECT count(*) FROM ratings") == [(0,)]
