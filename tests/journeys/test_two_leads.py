"""Two leads edit one study at once: nothing is lost, nothing is overwritten unasked, and going back asks nothing."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from app.accounts.lead_access import add_lead, new_link
from app.studies.members.members import record_member
from app.studies.studies import get_study
from tests.journeys.lead_steps import PASSWORD, a_lead, sign_in

pytestmark = pytest.mark.browser


@pytest.fixture
def leads(engine: Engine, new_context: Callable[..., BrowserContext]) -> tuple[Page, Page]:
    """Two signed-in leads who may both edit the study."""
    tokens = [a_lead(engine)]
    with engine.begin() as db:
        other, study = add_lead(db, "other@example.org", PASSWORD), get_study(db, "rated")
        assert study
        record_member(db, study.id, other.id, "owner")
        tokens.append(new_link(db, other))
    one, two = new_context().new_page(), new_context().new_page()
    for page, token in zip((one, two), tokens, strict=True):
        sign_in(page, token)
    return one, two


ASKED = "Someone else changed this part"


def open_debriefing(page: Page) -> None:
    page.goto("/studies/rated/design/ending")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_label("Text", exact=True)).to_be_visible()


def test_debriefing_that_two_leads_write_is_asked_about_and_back_sends_nothing_again(leads: tuple[Page, Page]) -> None:
    one, two = leads
    for page in leads:
        open_debriefing(page)
    one.get_by_label("Text", exact=True).fill("Thank you, says one.")
    expect(one.locator("#design-state [role=status]")).to_contain_text("Saved just now")
    two.get_by_label("Text", exact=True).fill("Thank you, says two.")
    expect(two.get_by_role("heading", name=ASKED)).to_be_visible()
    for words in ("lead@example.org saved a change", "Thank you, says one.", "Thank you, says two."):
        expect(two.locator("main")).to_contain_text(words)
    two.get_by_role("button", name="Keep mine and discard theirs").click()
    expect(two).to_have_url(re.compile("saved=1"))
    two.go_back()
    expect(two.get_by_label("Text", exact=True)).to_have_value("Thank you, says two.")
    two.go_forward()
    expect(two.get_by_label("Text", exact=True)).to_have_value("Thank you, says two.")
    one.reload()
    expect(one.get_by_label("Text", exact=True)).to_have_value("Thank you, says two.")


def test_questionnaires_of_two_leads_are_asked_about_and_other_parts_are_merged(leads: tuple[Page, Page]) -> None:
    one, two = leads
    for page in leads:
        page.goto("/studies/rated/design/questionnaires")
        page.locator("#design-form summary", has_text="More settings").last.click()
    empathy, quality = (two.locator(f"input[name='flow.revisit'][value={key}]") for key in ("empathy", "preference"))
    one.locator("input[name='flow.revisit'][value=empathy]").check()
    expect(one.locator("#design-state [role=status]")).to_contain_text("Saved just now")
    open_debriefing(one)
    one.get_by_label("Text", exact=True).fill("Thank you, says one.")
    expect(one.locator("#design-state [role=status]")).to_contain_text("Saved just now")
    quality.check()
    expect(two.get_by_role("heading", name=ASKED)).to_be_visible()
    two.get_by_role("link", name="Keep theirs").click()
    expect(two.get_by_role("heading", name="Questionnaires", exact=True)).to_be_visible()
    expect(empathy).to_be_checked()
    expect(quality).not_to_be_checked()
    two.get_by_role("link", name="Summary").click()
    two.go_back()
    expect(two.get_by_role("heading", name="Questionnaires", exact=True)).to_be_visible()
    with two.expect_response(lambda answer: answer.request.method == "POST"):
        quality.check(force=True)
    one.goto("/studies/rated/design/questionnaires")
    for key in ("empathy", "preference"):
        expect(one.locator(f"input[name='flow.revisit'][value={key}]")).to_be_checked()
    two.goto("/studies/rated/design/ending")
    expect(two.get_by_label("Text", exact=True)).to_have_value("Thank you, says one.")
