"""Every page on which a lead builds and runs a study: no violation of WCAG 2.2 AA, and no sideways scrolling."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine, text

from app.accounts.lead_access import add_lead, new_link
from app.rating.life_cycle import open_study
from app.studies.creation.read_new_study import read_template, store_study
from app.studies.members.members import record_invitation, record_member
from tests.base.files.test_import_report import SHEET
from tests.journeys.axe import LIGHT_AND_DARK_PHONE, check_in
from tests.journeys.lead_steps import PASSWORD, sign_in
from tests.kit.lead_studies import rate

pytestmark = pytest.mark.browser
PARTS = ("", "/questions", "/questions/1", "/consent", "/questionnaires", "/assignment", "/analysis", "/text")
ADDRESSES = (
    "/account",
    "/studies/new/template?name=epitome",
    "/studies/draft",
    "/studies/draft/items/1",
    "/studies/draft/settings",
    "/studies/draft/plan",
    "/help",
    "/help/tutorial",
    "/help/ratings-import",
    "/help/search?words=%3Cscript%3Ealert(1)%3C/script%3E%3Cb%3Ekappa%3C/b%3E",
)
TABS = (
    "",
    "/items",
    "/raters",
    "/raters/messages",
    "/design/recruitment",
    "/raters/prolific",
    "/people",
    "/settings/webhooks",
    "/settings",
)
WAIT_MS = 150_000


def prepared(engine: Engine) -> str:
    """A draft and an open study of a lead; the token of a sign-in link."""
    with engine.begin() as db:
        lead, other = add_lead(db, "lead@example.org", PASSWORD), add_lead(db, "other@example.org", PASSWORD)
        for slug in ("draft", "running"):
            store_study(db, read_template("ayers-pair", "Physicians and a chatbot", slug), lead.id)
        open_study(db, "running")
        study_id = db.execute(text("SELECT id FROM studies WHERE slug = 'running'")).scalar_one()
        rate(db, study_id, rater="zoe", n_trials=2)
        record_member(db, study_id, other.id, "monitor")
        record_invitation(db, study_id, "an-open-invitation", "new@example.org", "analyst", by=lead.id)
        return new_link(db, lead)


def title_height(page: Page) -> int:
    """Where the title of a page is, from its top."""
    top: float = page.locator("h1").first.evaluate("(title) => title.getBoundingClientRect().top + scrollY")
    return round(top)


@pytest.mark.long
def test_study_building_and_running_pages_are_accessible(engine: Engine, page: Page, tmp_path: Path) -> None:
    token = prepared(engine)
    page.set_default_timeout(WAIT_MS)
    heights = set[int]()
    page.goto("/invitations/an-open-invitation")
    check_in(LIGHT_AND_DARK_PHONE, page)
    sign_in(page, token)
    for address in ADDRESSES:
        answer = page.goto(address)
        assert answer
        assert answer.status == 200
        check_in(LIGHT_AND_DARK_PHONE, page)
        heights.add(title_height(page))
    for part in PARTS:
        page.goto(f"/studies/draft/design{part}")
        heights.add(title_height(page))
        check_in(LIGHT_AND_DARK_PHONE, page)
    for tab in TABS:
        page.goto(f"/studies/running{tab}")
        if not tab:
            expect(page.get_by_role("region", name="Chart: Progress over time")).to_be_visible()
        check_in(LIGHT_AND_DARK_PHONE, page)
        heights.add(title_height(page))
    assert len(heights) == 1, f"titles are at different heights: {sorted(heights)}"
    page.get_by_role("link", name="Tokens for the API").click()
    page.get_by_label("What it is for").fill("Nightly import")
    page.get_by_role("button", name="Make token").click()
    expect(page.get_by_label("Token", exact=True)).to_have_value(re.compile("attune_"))
    check_in(LIGHT_AND_DARK_PHONE, page)
    (tmp_path / "sheet.csv").write_bytes(SHEET)
    page.goto("/studies/new/draft/texts")
    page.get_by_label("Spreadsheet").set_input_files(tmp_path / "sheet.csv")
    page.get_by_role("button", name="Read spreadsheet").click()
    expect(page.get_by_role("heading", name="Import report")).to_be_visible(timeout=WAIT_MS)
    check_in(LIGHT_AND_DARK_PHONE, page)
    page.get_by_role("button", name="Use these texts").click()
    expect(page.get_by_role("heading", name="Questions", exact=True)).to_be_visible(timeout=WAIT_MS)
    page.goto("/studies/new/draft/ratings")
    page.get_by_role("button", name="Check ratings").click()
    expect(page.get_by_role("heading", name="What would be imported")).to_be_visible(timeout=WAIT_MS)
    check_in(LIGHT_AND_DARK_PHONE, page)


def test_settings_with_a_log_are_accessible(engine: Engine, page: Page) -> None:
    sign_in(page, prepared(engine))
    page.goto("/studies/running/settings")
    page.get_by_label("Title").first.fill("Physicians and chatbots")
    page.get_by_role("button", name="Rename").click()
    expect(page.get_by_role("heading", name="Physicians and chatbots")).to_be_visible()
    expect(page.get_by_role("region", name="Log").get_by_role("row")).to_have_count(2)
    check_in(LIGHT_AND_DARK_PHONE, page)


def test_colleague_can_be_invited_by_keyboard(engine: Engine, page: Page) -> None:
    sign_in(page, prepared(engine))
    page.goto("/studies/running/people")
    page.get_by_label("E-mail address").focus()
    page.keyboard.type("colleague@example.org")
    page.keyboard.press("Tab")
    page.keyboard.type("Analyst")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Invitation for colleague@example.org")).to_be_visible()
    expect(page.get_by_label("Link", exact=True)).to_have_value(re.compile("/invitations/"))


@pytest.mark.parametrize("scripts", [True, False], ids=["with scripts", "without scripts"])
def test_item_is_found_and_retired_by_keyboard_alone(
    engine: Engine, new_context: Callable[..., BrowserContext], *, scripts: bool
) -> None:
    page = new_context(java_script_enabled=scripts).new_page()
    sign_in(page, prepared(engine))
    page.goto("/studies/running/items")
    page.get_by_label("Search texts and IDs").focus()
    page.keyboard.type("cherry stone")
    page.keyboard.press("Enter")
    expect(page.locator("table.items tbody tr")).to_have_count(1)
    page.locator("table.items a").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="As raters read it")).to_be_visible()
    page.get_by_label("Reason").focus()
    page.keyboard.type("Its responses name their source")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Bring this item back")).to_be_visible()
    expect(page.frame_locator("iframe").locator(".shown-label").first).to_be_visible()
