"""No violations of WCAG 2.2 AA on any lead page, in light and dark, on wide screens and phones."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Engine, text

from app.rating.life_cycle import open_study
from tests.journeys.axe import LOOKS_OF_LEADS, check_in
from tests.journeys.lead_steps import a_lead, charts_are_drawn, open_part, open_results, sign_in
from tests.kit.lead_studies import rate

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_lead_pages_are_accessible(engine: Engine, page: Page, tmp_path: Path) -> None:
    token = a_lead(engine)
    with engine.begin() as db:
        open_study(db, "rated")
        study_id = db.execute(text("SELECT id FROM studies WHERE slug = 'rated'")).scalar_one()
        rate(db, study_id, rater="zoe", n_trials=3)
    for address in ("/", "/sign-in", f"/sign-in/{token}", "/nowhere"):
        page.goto(address)
        check_in(LOOKS_OF_LEADS, page)
    sign_in(page, token)
    check_in(LOOKS_OF_LEADS, page)
    open_results(page)
    page.get_by_text("Filter: all ratings").click()
    check_in(LOOKS_OF_LEADS, page)
    for title in ("Human versus model", "Preference", "Agreement"):
        open_part(page, title)
        page.locator(".recipes summary").first.click()
        check_in(LOOKS_OF_LEADS, page, once=charts_are_drawn)
    page.get_by_role("link", name="Overview").click()
    expect(page.locator("#coverage")).to_be_visible()
    check_in(LOOKS_OF_LEADS, page)
    (tmp_path / "items.csv").write_bytes(b"item\na\n")
    page.goto("/studies/rated/downloads")
    check_in(LOOKS_OF_LEADS, page)
    page.goto("/studies/new")
    check_in(LOOKS_OF_LEADS, page)
    page.get_by_label("Files of the folder").set_input_files(tmp_path / "items.csv")
    page.get_by_role("button", name="Check and load folder").click()
    expect(page.locator("#problems")).to_be_visible()
    check_in(LOOKS_OF_LEADS, page, part="#problems")
