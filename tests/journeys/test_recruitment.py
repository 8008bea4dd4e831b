"""The step *Recruitment* in a real browser: one click for Prolific, pay, copying, keyboard only, without scripts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from app.accounts.lead_access import add_lead, new_link
from app.studies.creation.read_new_study import read_template, store_study
from tests.journeys.axe import LIGHT_AND_DARK_PHONE, check_in
from tests.journeys.lead_steps import PASSWORD, sign_in

pytestmark = pytest.mark.browser
PAGE = "/studies/draft/design/recruitment"


def a_draft(engine: Engine) -> str:
    with engine.begin() as db:
        lead = add_lead(db, "lead@example.org", PASSWORD)
        store_study(db, read_template("ayers-pair", "Physicians and a chatbot", "draft"), lead.id)
        return new_link(db, lead)


def test_prolific_is_one_click_and_leaves_only_pay_to_type(engine: Engine, page: Page) -> None:
    sign_in(page, a_draft(engine))
    page.goto("/studies/draft")
    page.get_by_role("navigation", name="Steps to an open study").get_by_role("link", name="Recruitment").click()
    page.get_by_role("button", name="Prolific").click()
    expect(page.get_by_role("heading", name="Prolific's form, field by field")).to_be_visible()
    expect(page.locator("#channel-prolific")).to_be_focused()
    assert len(page.get_by_label("Completed", exact=True).input_value()) == 8
    step = page.locator("#study-steps li", has=page.get_by_role("link", name="Recruitment"))
    page.get_by_label("Pay per rater").fill("much")
    expect(step).to_contain_text("(to do)")
    page.get_by_label("Pay per rater").fill("4.50")
    expect(page.get_by_label("Payment per participant", exact=True)).to_have_value("4.50")
    expect(step).to_contain_text("(done)")
    expect(page.locator("#recruitment-form [role=status]")).to_contain_text("an hour. Prolific asks for at least £6")
    expect(page.locator("#design-state [role=status]")).to_contain_text("Saved")
    page.get_by_label("Pay per rater").press("Enter")
    expect(page.get_by_label("Pay per rater")).to_have_value("4.5")
    expect(page.get_by_role("button", name="Prolific")).to_have_attribute("aria-pressed", "true")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy Study link").click()
    expect(page.get_by_role("button", name="Copy Study link")).to_have_text("Copied")
    link = page.get_by_label("Study link", exact=True).input_value()
    assert page.evaluate("navigator.clipboard.readText()") == link
    assert link.endswith("?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}")
    check_in(LIGHT_AND_DARK_PHONE, page)


def test_recruitment_works_without_scripts(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(java_script_enabled=False).new_page()
    sign_in(page, a_draft(engine))
    page.goto(PAGE)
    page.get_by_label("Minutes per rater").fill("12")
    page.get_by_role("button", name="Personal links").press("Enter")
    expect(page.get_by_label("Minutes per rater")).to_have_value("12")
    page.get_by_label("Raters, one per line").fill("r01")
    page.get_by_role("button", name="Make links").click()
    assert "?invite=" in page.get_by_label("Link", exact=True).input_value()
