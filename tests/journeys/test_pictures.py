"""The images in the README, taken from the demo study; `ATTUNE_PICTURES=1` saves them to docs/pictures."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from app.actions.simulation.demo import demo_link
from app.actions.simulation.make_demo import open_demo, simulate_demo
from app.cli.commands.make_demo import FOLDER as DEMO
from app.exchange.folder.read import read_folder
from app.storage.database.engine import transactions
from tests.journeys.lead_steps import sign_in

if TYPE_CHECKING:
    from playwright.sync_api import Page
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
