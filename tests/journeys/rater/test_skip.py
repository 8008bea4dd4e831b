"""An item that is skipped leaves no answers behind, and is skipped once the connection is back."""

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Engine, text

from tests.journeys.rater_steps import arrive, open_a_study
from tests.kit.builder import EMPATHY
from tests.kit.database import rows

pytestmark = pytest.mark.browser
ORDER = {"key": "order", "type": "ranking", "text": "Rank the replies from the most to the least warm.", "ties": True}
THREE = {"person": {"kind": "human"}, "one": {"kind": "model"}, "two": {"kind": "model"}}
FLOW = {"skip_reasons": ["Too sad"]}
CHANGE_REASONS = text("""
    UPDATE protocols SET sha256 = md5(sha256),
      document = jsonb_set(document::jsonb, '{flow,skip_reasons}', '["Too long"]')::json
""")
KEPT = "Object.keys(localStorage).filter((name) => name.startsWith('attune-answer:'))"


def skip(page: Page) -> None:
    page.locator("#skip summary").click()
    page.get_by_role("button", name="Too sad").click()


def test_skipped_items_leave_none_of_their_answers_on_the_device(engine: Engine, page: Page) -> None:
    """Neither one that was refused nor one that is on its way, and the next page does not call them saved."""
    open_a_study(engine, questions=[ORDER, EMPATHY], sources=THREE, n_items=2, flow=FLOW)
    arrive(page)
    for n in (1, 2):
        expect(page.locator("#item-heading")).to_have_text(f"Item {n} of 2")
        for digit in "333":
            page.keyboard.press(digit)
        expect(page.locator("#save-state")).to_contain_text("No response has rank 1.")
        page.locator("#q1r0-4").check(force=True)
        skip(page)
        if n == 1:
            expect(page.locator("#item-heading")).to_have_text("Item 2 of 2")
            page.wait_for_timeout(1_000)
            expect(page.locator("#save-state")).to_have_text("")
            assert page.evaluate(KEPT) == []
    page.wait_for_url("**/done*")
    assert page.evaluate(KEPT) == []
    assert rows(engine, "SELECT count(*) FROM ratings") == [(0,)]


def test_skip_without_a_connection_is_repeated_and_submits_no_answers(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=2, flow=FLOW)
    arrive(page)
    for name in ("q0-1", "q1r0-4", "q2r0-5", "q1r1-2", "q2r1-1"):
        page.locator(f"#{name}").check()
    expect(page.locator("#save-state")).to_have_text("Saved")
    page.context.set_offline(True)
    skip(page)
    expect(page.locator("#save-state")).to_contain_text("No connection.")
    page.context.set_offline(False)
    expect(page.locator("#item-heading")).to_have_text("Item 2 of 2")
    assert rows(engine, "SELECT state FROM assignments ORDER BY position") == [("skipped",), ("leased",)]


def test_skip_for_a_reason_that_was_removed_shows_the_item_with_its_answers_again(engine: Engine, page: Page) -> None:
    open_a_study(engine, questions=[ORDER, EMPATHY], sources=THREE, n_items=2, flow=FLOW)
    arrive(page)
    page.keyboard.press("3")
    with engine.begin() as db:
        db.execute(CHANGE_REASONS)
    skip(page)
    # The page that was refused has another list, which is closed.
    expect(page.locator("#skip")).to_contain_text("Too long")
    page.locator("#skip summary").click()
    expect(page.get_by_role("button", name="Too long")).to_be_visible()
    expect(page.locator("#item-heading")).to_have_text("Item 1 of 2")
    expect(page.locator("[data-ranking] :checked")).to_have_count(1)
