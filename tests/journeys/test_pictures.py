"""The images in the README and of the study templates; `ATTUNE_PICTURES=1` saves them where they are used."""

from __future__ import annotations

import base64
import os
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from sqlalchemy import text

from app.base.database.engine import transactions
from app.cli.make_demo import FOLDER as DEMO
from app.rating.simulation.demo import demo_link
from app.rating.simulation.make_demo import open_demo, simulate_demo
from app.studies.creation.read_new_study import read_template, store_study
from app.studies.folder.read import read_folder
from app.studies.folder.study_templates import list_templates
from tests.base.files.test_import_report import SHEET
from tests.journeys.lead_steps import a_lead, sign_in
from tests.journeys.template_pictures import SCHEMES, THUMBNAILS, WINDOW, picture, store_templates

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import BrowserContext, Page
    from sqlalchemy import Engine

pytestmark = pytest.mark.browser

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
LEAD_ID = text("SELECT id FROM leads")
TUTORIAL_WINDOW = {"width": 1280, "height": 900}
NAMES = ("rating", "overview", "results")


def take(page: Page, name: str, folder: Path) -> None:
    """Take a screenshot of the window."""
    page.screenshot(path=folder / f"{name}.png", animations="disabled")


def test_readme_images_show_demo_study(engine: Engine, page: Page, tmp_path: Path) -> None:
    folder = PICTURES if os.environ.get("ATTUNE_PICTURES") else tmp_path
    folder.mkdir(exist_ok=True)
    open_demo(transactions(engine), read_folder(DEMO))
    simulate_demo(transactions(engine))
    with engine.begin() as db:
        token = demo_link(db)
    page.goto("/s/demo?participant=reader")
    while page.locator("form.rating, #rate").count() == 0:
        for box in page.get_by_role("checkbox").all():
            box.check()
        page.locator("main button[type=submit]").first.click()
    page.get_by_role("radio").nth(1).check()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    # A conversation begins at its last turn, in a box that scrolls by itself.
    page.evaluate("document.querySelectorAll('*').forEach((part) => part.scrollTo(0, 0))")
    expect(page.get_by_text("Item 1 of")).to_be_in_viewport()
    take(page, "rating", folder)
    sign_in(page, token)
    page.goto("/studies/demo")
    expect(page.locator("#coverage")).to_be_visible()
    take(page, "overview", folder)
    page.goto("/studies/demo/results")
    expect(page.locator(".study-question")).to_be_visible(timeout=90_000)
    take(page, "results", folder)
    assert all((folder / f"{name}.png").stat().st_size > 20_000 for name in NAMES)


def test_tutorial_pictures_show_a_new_study(
    engine: Engine, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    folder = PICTURES if os.environ.get("ATTUNE_PICTURES") else tmp_path
    page = new_context(viewport=TUTORIAL_WINDOW).new_page()
    sign_in(page, a_lead(engine))
    with engine.begin() as db:
        store_study(
            db, read_template("ayers-pair", "Physicians and a chatbot", "ours"), db.execute(LEAD_ID).scalar_one()
        )
    page.goto("/studies/new")
    take_small(page, "new-study", folder)
    (tmp_path / "replies.csv").write_bytes(SHEET)
    page.goto("/studies/new/ours/texts")
    page.get_by_label("Spreadsheet").set_input_files(tmp_path / "replies.csv")
    page.get_by_role("button", name="Read spreadsheet").click()
    page.get_by_role("heading", name="Import report").scroll_into_view_if_needed(timeout=90_000)
    take_small(page, "texts", folder)
    page.goto("/studies/ours/design/questions")
    page.locator("#asked-3 .asked").click()
    expect(page.get_by_label("Text of the question")).to_be_visible()
    page.get_by_label("Text of the question").scroll_into_view_if_needed()
    take_small(page, "question", folder)
    sizes = [(folder / f"{name}.webp").stat().st_size for name in ("new-study", "texts", "question")]
    assert all(size < 90_000 for size in sizes)


def take_small(page: Page, name: str, folder: Path) -> None:
    """Take a screenshot of the window as WebP."""
    page.wait_for_load_state("networkidle")
    browser = page.context.new_cdp_session(page)
    taken = browser.send("Page.captureScreenshot", {"format": "webp", "quality": 80})
    (folder / f"{name}.webp").write_bytes(base64.b64decode(taken["data"]))
    browser.detach()


def test_each_template_has_pictures_of_its_rating_page(
    engine: Engine, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    """All of them if pictures are wanted, otherwise one, to see that it can be done."""
    names = [template.name for template in list_templates()]
    folder = THUMBNAILS if os.environ.get("ATTUNE_PICTURES") else tmp_path
    names = names if folder == THUMBNAILS else names[:1]
    folder.mkdir(exist_ok=True)
    page = new_context(viewport=WINDOW).new_page()
    sign_in(page, a_lead(engine))
    with engine.begin() as db:
        lead_id = db.execute(LEAD_ID).scalar_one()
    store_templates(engine, names, lead_id)
    for name, scheme in product(names, SCHEMES):
        (folder / f"{name}.{scheme}.webp").write_bytes(picture(page, name, scheme))
    assert len(list(folder.iterdir())) == len(SCHEMES) * len(names)
