"""Responses can be ranked by keyboard, mouse and touch; choosing a taken rank swaps the two responses."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Engine

from tests.journeys.axe import LOOKS, check_in
from tests.journeys.rater_steps import arrive, open_a_study
from tests.kit.builder import EMPATHY
from tests.kit.database import rows

pytestmark = pytest.mark.browser
ORDER = {"key": "order", "type": "ranking", "text": "Rank the replies from the most to the least empathetic."}
THREE = {"person": {"kind": "human"}, "one": {"kind": "model"}, "two": {"kind": "model"}}


def open_it(engine: Engine, **settings: Any) -> None:  # noqa: ANN401 - any setting of the question
    open_a_study(engine, questions=[{**ORDER, **settings}], sources=THREE, n_items=1)


def ranks(engine: Engine) -> list[tuple[Any, ...]]:
    return sorted(rows(engine, "SELECT number, device FROM ratings"))


def order_of(page: Page) -> Any:  # noqa: ANN401 - Playwright's expectation
    return expect(page.locator(".ranking-order"))


def test_digits_rank_responses_and_enter_submits(engine: Engine, page: Page) -> None:
    open_it(engine)
    arrive(page)
    end = page.locator("#next").bounding_box()
    for digit in "312":
        page.keyboard.press(digit)
    assert page.locator("#next").bounding_box() == end
    order_of(page).to_have_text("Your order: Response B > Response C > Response A")
    expect(page.locator("#save-state")).to_have_text("Saved")
    assert ranks(engine) == [(1, "desktop"), (2, "desktop"), (3, "desktop")]
    page.keyboard.press("Enter")
    page.wait_for_url("**/done*")
    assert rows(engine, "SELECT count(*) FROM ratings WHERE exclude IS NULL") == [(3,)]


def test_ranking_that_is_not_complete_survives_reload_and_is_not_called_saved(engine: Engine, page: Page) -> None:
    open_it(engine)
    arrive(page)
    for digit in "12":
        page.keyboard.press(digit)
    page.wait_for_timeout(1_000)
    expect(page.locator("#save-state")).to_have_text("")
    page.reload()
    expect(page.get_by_role("group", name="Response A").get_by_label("1")).to_be_checked()
    expect(page.get_by_role("group", name="Response B").get_by_label("2")).to_be_checked()
    assert ranks(engine) == []
    page.get_by_role("group", name="Response C").get_by_label("3").check(force=True)
    expect(page.locator("#save-state")).to_have_text("Saved")
    assert [number for number, _ in ranks(engine)] == [1, 2, 3]


def test_ranking_with_a_gap_survives_reload_with_the_reason_until_it_is_changed(engine: Engine, page: Page) -> None:
    open_it(engine, ties=True)
    arrive(page)
    for digit in "333":
        page.keyboard.press(digit)
    state = page.locator("#save-state")
    reason = "Not saved: No response has rank 1. Do not leave out a rank."
    expect(state).to_have_text(reason)
    page.reload()
    for letter in "ABC":
        expect(page.get_by_role("group", name=f"Response {letter}").get_by_label("3")).to_be_checked()
    expect(state).to_have_text(reason)
    page.get_by_role("group", name="Response A").get_by_label("1").check(force=True)
    expect(state).to_have_text("Not saved: No response has rank 2. Do not leave out a rank.")
    page.get_by_role("group", name="Response B").get_by_label("2").check(force=True)
    expect(state).to_have_text("Saved")
    page.reload()
    order_of(page).to_have_text("Your order: Response A > Response B > Response C")
    expect(state).to_have_text("")
    assert [number for number, _ in ranks(engine)] == [1, 2, 3]


def test_refused_answer_stays_said_while_others_are_saved(engine: Engine, page: Page) -> None:
    open_a_study(engine, questions=[{**ORDER, "ties": True}, EMPATHY], sources=THREE, n_items=1)
    arrive(page)
    for digit in "333":
        page.keyboard.press(digit)
    state = page.locator("#save-state")
    expect(state).to_contain_text("No response has rank 1.")
    with page.expect_response("**/save"):
        page.locator("#q1r0-4").check(force=True)
    page.reload()
    expect(state).to_contain_text("No response has rank 1.")
    assert rows(engine, "SELECT question, number FROM ratings") == [("empathy", 4)]
    page.locator("#q1r1-4").check(force=True)
    page.locator("#q1r2-4").check(force=True)
    page.locator("#next").click()
    expect(page.locator("#summary")).to_contain_text("No response has rank 1.")
    for field in ("q0.0-1", "q0.1-1", "q0.2-2"):
        page.locator(f"[id='{field}']").check(force=True)
    page.locator("#next").click()
    page.wait_for_url("**/done*")
    assert page.evaluate("Object.keys(localStorage).filter((name) => name.startsWith('attune-answer:'))") == []


def test_choosing_a_taken_rank_swaps_responses(engine: Engine, page: Page) -> None:
    open_it(engine)
    arrive(page)
    for digit in "123":
        page.keyboard.press(digit)
    page.get_by_role("group", name="Response C").get_by_label("1").check(force=True)
    order_of(page).to_have_text("Your order: Response C > Response B > Response A")
    page.reload()
    order_of(page).to_have_text("Your order: Response C > Response B > Response A")


def drag(page: Page, letter: str, place: int) -> None:
    target = page.locator(".ranking-drag .place").nth(place - 1)
    page.locator(".ranking-drag .letter", has_text=letter).hover()
    page.mouse.down()
    box = target.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()


def test_letters_can_be_dragged_into_order_and_move_each_other_on(engine: Engine, page: Page) -> None:
    open_it(engine)
    arrive(page)
    end = page.locator("#next").bounding_box()
    expect(page.locator(".ranking-drag .place")).to_have_text(["1", "2", "3"])
    for letter, place in (("A", 1), ("B", 2), ("C", 1)):
        drag(page, letter, place)
    order_of(page).to_have_text("Your order: Response C > Response A > Response B")
    drag(page, "B", 1)
    order_of(page).to_have_text("Your order: Response B > Response C > Response A")
    expect(page.get_by_role("group", name="Response B").get_by_label("1")).to_be_checked()
    assert page.locator("#next").bounding_box() == end
    expect(page.locator("#save-state")).to_have_text("Saved")
    page.reload()
    expect(page.locator(".ranking-drag .place .letter")).to_have_text(["B", "C", "A"])
    assert [number for number, _ in ranks(engine)] == [1, 2, 3]


def test_equal_responses_share_rank_if_ties_allowed(engine: Engine, page: Page) -> None:
    open_it(engine, ties=True)
    arrive(page)
    for digit in "122":
        page.keyboard.press(digit)
    order_of(page).to_have_text("Your order: Response A > Response B = Response C")


def test_ranking_page_is_accessible_and_fits_phone(engine: Engine, page: Page) -> None:
    open_it(engine, ties=True, help="Think of the person who wrote.")
    arrive(page)
    check_in(LOOKS, page)
