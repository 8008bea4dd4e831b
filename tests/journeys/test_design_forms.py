"""Forms of a design that save by themselves: nothing typed is lost, and problems are counted as they are."""

import re

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Engine, text

from app.rating.life_cycle import open_study
from tests.journeys.axe import LIGHT_AND_DARK_PHONE, check_in
from tests.journeys.lead_steps import PASSWORD, a_lead, sign_in

pytestmark = pytest.mark.browser


def test_nothing_typed_is_lost_without_a_session_or_a_connection(engine: Engine, page: Page) -> None:
    words = "A title that took an hour to find"
    sign_in(page, a_lead(engine))
    page.goto("/studies/rated/design/study")
    with engine.begin() as db:
        db.execute(text("UPDATE lead_sessions SET expires_at = now()"))
    title, state = page.get_by_label("Title", exact=True), page.locator("#design-state [role=status]")
    title.fill(words)
    expect(state).to_have_text(re.compile("^Not saved: your session has ended"))
    page.get_by_role("button", name="Save").click()
    with page.context.expect_page() as opened:
        page.locator("form .not-sent").get_by_role("link", name="Sign in").click()
    tab = opened.value
    tab.get_by_label("E-mail address").fill("lead@example.org")
    tab.get_by_label("Password").fill(PASSWORD)
    tab.get_by_role("button", name="Sign in").click()
    expect(tab.locator("h1")).to_have_text("Studies")
    page.get_by_role("button", name="Save").click()
    expect(page).to_have_url(re.compile("saved=1"))
    page.goto("/studies/rated/people")
    address = page.get_by_label("E-mail address")
    address.fill("colleague@example.org")
    page.context.set_offline(offline=True)
    page.get_by_role("button", name="Make invitation").click()
    expect(page.locator("form .not-sent")).to_contain_text("Not sent: no connection to the server.")
    page.once("dialog", lambda dialog: dialog.dismiss())
    with page.expect_event("dialog", lambda dialog: dialog.type == "beforeunload"):
        page.get_by_role("link", name="Studies", exact=True).first.click()
    expect(address).to_have_value("colleague@example.org")
    page.context.set_offline(offline=False)
    page.get_by_role("button", name="Make invitation").click()
    expect(page.get_by_label("Link", exact=True)).to_have_value(re.compile("/invitations/"))
    page.goto("/studies/rated/design/study")
    expect(title).to_have_value(words)
    title.fill("A shorter title")
    expect(page.locator("h1")).to_have_text("A shorter title")
    expect(page).to_have_title(re.compile("A shorter title · Attune$"))
    expect(title).to_be_focused()


def test_comparison_is_a_sentence_whose_choices_follow_each_other(engine: Engine, page: Page) -> None:
    sign_in(page, a_lead(engine))
    page.goto("/studies/rated/design/analysis")
    expect(page.get_by_text("Trials to rate")).to_be_visible()
    test, margin = (page.locator(f"[id='analysis.primary.0.{part}']") for part in ("test", "margin"))
    if not test.count():
        page.get_by_role("button", name="Add a comparison").click()
    page.locator("[id='analysis.primary.0.question']").select_option("empathy")
    expect(test.locator("option[value=equivalence]")).to_be_attached()
    expect(margin).to_have_count(0)
    test.select_option("equivalence")
    expect(page.locator("#problems-in-analysis")).to_have_text(re.compile("^1"))
    # The words of the count, which are only heard, do not widen the question editor on a phone.
    page.goto("/studies/rated/design/questions")
    parts = page.get_by_role("navigation", name="Parts of the design").get_by_role("link")
    expect(parts.filter(has_text="Analysis")).to_have_text(re.compile(r"Analysis\s+1"))
    expect(parts.filter(has_text=re.compile(r"\d"))).to_have_count(1)
    check_in(LIGHT_AND_DARK_PHONE, page)
    page.goto("/studies/rated/design/analysis")
    margin.fill("0.5")
    expect(page.locator("#problems-in-analysis")).to_be_hidden()
    expect(parts.filter(has_text=re.compile(r"\d"))).to_have_count(0)
    check_in(LIGHT_AND_DARK_PHONE, page)
    page.reload()
    expect(margin).to_have_value("0.5")


def test_counts_of_problems_follow_each_save_and_focus_stays(engine: Engine, page: Page) -> None:
    sign_in(page, a_lead(engine))
    page.goto("/studies/rated/design/study")
    count, title = page.locator("#problems-in-study"), page.get_by_label("Title", exact=True)
    expect(count).to_be_hidden()
    title.fill("")
    link = page.locator(".sections").get_by_role("link", name="Sources")
    link.focus()
    expect(count).to_have_text(re.compile("^1"))
    expect(link).to_be_focused()
    title.fill("A title")
    expect(count).to_be_hidden()


def test_changes_and_long_addresses_fit_a_phone_and_questions_a_sheet_of_paper(engine: Engine, page: Page) -> None:
    sign_in(page, a_lead(engine))
    page.goto("/studies/rated/design/questions")
    page.emulate_media(media="print")
    expect(page.locator("#asked-1")).to_be_visible()
    for part in (".add-questions", ".sections", ".drag >> nth=0"):
        expect(page.locator(part)).to_be_hidden()
    page.emulate_media(media="screen")
    with engine.begin() as db:
        open_study(db, "rated")
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/studies/rated/design/recruitment")
    page.get_by_role("button", name="SONA Students").click()
    page.get_by_label("Address to return to").first.fill(f"https://example.org/{'a' * 60}?survey_code=XXXX")
    expect(page.locator("#recruitment-form")).to_contain_text("?survey_code=XXXX")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.goto("/studies/rated/design")
    # The names of the columns are beside the values, not outside the card.
    room = page.locator(".changes td").first.evaluate("(cell) => parseFloat(getComputedStyle(cell).paddingInlineStart)")
    assert room > 100
