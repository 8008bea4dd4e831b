"""Steps of a lead in a browser, and the study that they work on."""

from typing import Any

from playwright.sync_api import Page, expect
from sqlalchemy import Engine, text

from app.accounts.lead_access import add_lead, new_link
from app.studies.folder.read import read_files
from app.studies.load import load_study
from tests.kit.folder import rated_folder
from tests.kit.waiting import eventually

PASSWORD = "correct horse battery"
DRAWN = "[...document.images].every((image) => image.complete && image.naturalWidth > 0)"


def a_lead(engine: Engine) -> str:
    """Create a lead with a rated study; return the token of a sign-in link."""
    with engine.begin() as db:
        lead = add_lead(db, "lead@example.org", PASSWORD)
        load_study(db, read_files(rated_folder()), lead.id)
        return new_link(db, lead)


def draft(engine: Engine) -> dict[str, Any]:
    """The protocol of the study as it was last saved."""
    with engine.begin() as db:
        found: dict[str, Any] = db.execute(text("SELECT document FROM protocols ORDER BY version DESC")).scalar_one()
    return found


def sign_in(page: Page, token: str) -> None:
    """Sign in with the link: open it, then press the button."""
    page.goto(f"/sign-in/{token}")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("h1")).to_have_text("Studies")


def open_results(page: Page) -> None:
    """Go from the list of studies to the summary of the results."""
    page.get_by_role("link", name="Replies that were rated").click()
    page.get_by_role("link", name="Results", exact=True).click()
    expect(page.locator("details.filter")).to_be_visible(timeout=90_000)


def open_part(page: Page, title: str) -> None:
    """Open a section of the results and wait until every chart is drawn."""
    page.locator(".sections").get_by_role("link", name=title).click()
    expect(page.get_by_role("heading", name=title, exact=True)).to_be_visible(timeout=30_000)
    charts_are_drawn(page)


def charts_are_drawn(page: Page) -> None:
    """Wait until every picture of the page is there."""
    eventually(lambda: bool(page.evaluate(DRAWN)))
