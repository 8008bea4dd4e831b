"""From a dropped spreadsheet to the page that raters see, in a real browser: clicks and typed fields are counted."""

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from tests.journeys.axe import LIGHT_AND_DARK_PHONE, check_in
from tests.journeys.lead_steps import a_lead, sign_in
from tests.studies.web.test_spreadsheet import awkward, excel

pytestmark = pytest.mark.browser


def test_dropped_sheet_is_a_rater_page_after_two_clicks(engine: Engine, page: Page, tmp_path: Path) -> None:
    sign_in(page, a_lead(engine))
    (tmp_path / "posts.xlsx").write_bytes(excel(awkward()))
    page.goto("/studies")
    begun = time.monotonic()
    clicks, typed = 1, 0
    page.get_by_label("Drop a spreadsheet").set_input_files(tmp_path / "posts.xlsx")
    expect(page.get_by_role("heading", name="What do you want to ask?")).to_be_visible()
    roles = page.locator(".sheet-columns th > select[name^='role.']")
    assert [one.input_value() for one in roles.all()] == ["item", "text", *["response"] * 3, "attribute"]
    assert page.get_by_label("Source of Antwort Beraterin").input_value() == "Antwort Beraterin"
    assert page.get_by_label("Source of GPT-4o reply").input_value() == "GPT-4o"
    expect(page.locator(".sheet-problems li")).to_have_count(4)
    clicks += 1
    page.get_by_role("button", name="Compare two responses side by side").click()
    expect(page).to_have_url(re.compile("/studies/posts/design/questions$"))
    expect(page.locator("main")).to_contain_text("Beitrag 1: Ich fühle mich müde.")
    seconds = time.monotonic() - begun
    # Mostly the start of the process that reads uploads; seen on busy cores: 12 s at first, 4 to 6 s later.
    print(f"{clicks} clicks, {typed} typed fields, {seconds:.1f} s from the drop to the rating page")  # noqa: T201
    assert (clicks, typed) == (2, 0)
    page.go_back()
    expect(page.locator(".sheet-problems li")).to_have_count(4)
    page.reload()
    expect(roles).to_have_count(6)


def test_choices_are_made_with_the_keyboard_and_kept(engine: Engine, page: Page, tmp_path: Path) -> None:
    sign_in(page, a_lead(engine))
    (tmp_path / "posts.xlsx").write_bytes(excel(awkward()))
    page.goto("/studies")
    page.get_by_label("Drop a spreadsheet").set_input_files(tmp_path / "posts.xlsx")
    expect(page.get_by_role("heading", name="What do you want to ask?")).to_be_visible()
    check_in(LIGHT_AND_DARK_PHONE, page)
    summary = page.locator(".sheet-problems summary").first
    summary.press("Enter")
    page.locator(".sheet-problems textarea").first.press_sequentially("Neu. ")
    page.get_by_label("What Thema holds").focus()
    page.get_by_label("What Thema holds").select_option("ignore")
    expect(page.get_by_label("What Thema holds")).to_have_value("ignore")
    expect(page.locator(".sheet-problems textarea").first).to_have_value(re.compile("Neu"))
    expect(page.locator(".sheet-problems select").first).to_have_value("edit")


def test_plain_form_does_the_same_without_scripts(
    engine: Engine, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    page = new_context(java_script_enabled=False).new_page()
    sign_in(page, a_lead(engine))
    (tmp_path / "posts.xlsx").write_bytes(excel(awkward()))
    page.goto("/studies")
    page.get_by_label("Drop a spreadsheet").set_input_files(tmp_path / "posts.xlsx")
    page.get_by_role("button", name="Read spreadsheet").click()
    page.get_by_label("What Thema holds").select_option("ignore")
    page.get_by_role("button", name="Update this page").click()
    expect(page.get_by_label("What Thema holds")).to_have_value("ignore")
    page.get_by_role("button", name="Rate one response at a time").click()
    expect(page).to_have_url(re.compile("/studies/posts/design/questions$"))
