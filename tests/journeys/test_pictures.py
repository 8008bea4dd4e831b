"""The images in the README and of the study templates; `ATTUNE_PICTURES=1` saves them where they are used."""

from __future__ import annotations

import os
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from sqlalchemy import text

from app.actions.simulation.demo import demo_link
from app.actions.simulation.make_demo import open_demo, simulate_demo
from app.actions.studies.creation.templates import list_templates
from app.cli.commands.make_demo import FOLDER as DEMO
from app.exchange.folder.read import read_folder
from app.storage.database.engine import transactions
from tests.journeys.lead_steps import a_lead, sign_in
from tests.journeys.template_pictures import SCHEMES, THUMBNAILS, WINDOW, picture, store_templates

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import BrowserContext, Page
    from sqlalchemy import Engine

pytestmark = pytest.mark.browser

PICTURES = Path(__file__).resolve().parents[2] / "docs" / "pictures"
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
    take(page, "rating", folder)
    sign_in(page, token)
    page.goto("/studies/demo")
    expect(page.locator("#coverage")).to_be_visible()
    take(page, "overview", folder)
    page.goto("/studies/demo/results")
    expect(page.locator(".study-question")).to_be_visible(timeout=90_000)
    take(page, "results", folder)
    assert all((folder / f"{name}.png").stat().st_size > 20_000 for name in NAMES)


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
        lead_id = db.execute(text("SELECT id FROM leads")).scalar_one()
    store_templates(engine, names, lead_id)
    for name, scheme in product(names, SCHEMES):
        (folder / f"{name}.{scheme}.webp").write_bytes(picture(page, name, scheme))
    assert len(list(folder.iterdir())) == len(SCHEMES) * len(names)
