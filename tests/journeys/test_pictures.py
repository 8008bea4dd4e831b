"""The images in the README and of the study templates; `ATTUNE_PICTURES=1` saves them where they are used."""

import base64
import os
import re
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine, text

from app.base.database.engine import transactions
from app.rating.simulation.simulate import simulate
from app.studies.folder.study_templates import list_templates
from tests.journeys.lead_steps import a_lead, charts_are_drawn, sign_in
from tests.journeys.template_pictures import SCHEMES, THUMBNAILS, WINDOW, picture, store_templates
from tests.journeys.test_sheet_to_study import Hand, say

pytestmark = pytest.mark.browser

DOCS = Path(__file__).resolve().parents[2] / "docs"
PICTURES = DOCS / "pictures"
LEAD_ID = text("SELECT id FROM leads")
TUTORIAL_WINDOW = {"width": 1280, "height": 900}
# Pictures follow the color scheme a moment later, and are decoded before they are painted.
PAINTED = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
PAINTED += ".then(() => Promise.all([...document.images].map((image) => image.decode())))"
SHOWN = ("start", "questions", "analysis", "recruitment", "check", "overview", "results", "rating")
N_QUOTED, MAX_BYTES = 3, 100_000
INSTRUCTIONS = "You will read six messages with two replies to each, and say how each reply seems to you (10 minutes)."
N_RATERS, SEED = 12, 20_261_127


@pytest.mark.slow
def test_tutorial_pictures_show_its_example_from_sheet_to_summary(
    engine: Engine, new_context: Callable[..., BrowserContext], tmp_path: Path
) -> None:
    """The spreadsheet that the tutorial offers becomes its study, and the summary says what the tutorial quotes."""
    folder = PICTURES if os.environ.get("ATTUNE_PICTURES") else tmp_path
    page = new_context(viewport=TUTORIAL_WINDOW).new_page()
    hand = Hand(page)
    sign_in(page, a_lead(engine))
    page.get_by_label("Drop a spreadsheet").set_input_files(DOCS / "clients" / "messages.csv")
    expect(page.get_by_role("heading", name="What do you want to ask?")).to_be_visible(timeout=90_000)
    take_small(page, "start", folder)
    hand.button(re.compile("Compare two responses side by side"))
    hand.click(page.get_by_role("link", name="Edit: Which response is better?"))
    expect(page.get_by_label("Text of the question")).to_be_visible()
    take_small(page, "questions", folder)
    say(hand, "Messages answered by a person and by a model", INSTRUCTIONS)
    hand.step("Analysis")
    expect(page.locator("#effort-now")).to_be_visible()
    take_small(page, "analysis", folder)
    hand.step("Recruitment")
    hand.button(re.compile("^Prolific"))
    hand.type(page.get_by_label("Pay per rater"), "2.50")
    expect(page.get_by_label("Payment per participant", exact=True)).to_have_value("2.50")
    take_small(page, "recruitment", folder)
    hand.step("Check and open")
    take_small(page, "check", folder)
    hand.click(page.get_by_text("Open study", exact=True))
    hand.button("Open now")
    expect(page.locator(".chip")).to_have_text("open")
    simulate(transactions(engine), "messages", n_raters=N_RATERS, seed=SEED)
    page.reload()
    expect(page.locator("#coverage")).to_be_visible()
    take_small(page, "overview", folder)
    page.goto("/studies/messages/results")
    expect(page.locator(".study-question").first).to_be_visible(timeout=90_000)
    take_small(page, "results", folder)
    said = " ".join(page.locator("main").inner_text().split())
    quoted = re.findall(r"^> (.+)$", (DOCS / "tutorial.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(quoted) == N_QUOTED
    assert [words for words in quoted if words not in said] == []
    page.goto("/studies/messages/design/preview")
    expect(page.get_by_text("Item 1 of 6")).to_be_visible()
    page.locator(".sheet").wait_for()
    take_small(page, "rating", folder)
    names = sorted(path.name for path in folder.glob("*.webp"))
    assert names == sorted(f"{name}.{scheme}.webp" for name, scheme in product(SHOWN, SCHEMES))
    assert all(path.stat().st_size < MAX_BYTES for path in folder.glob("*.webp"))


def take_small(page: Page, name: str, folder: Path) -> None:
    """Take screenshots of the window as WebP, light and dark, with nothing focused."""
    page.wait_for_load_state("networkidle")
    browser = page.context.new_cdp_session(page)
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type] # one of SCHEMES
        page.evaluate(PAINTED)
        charts_are_drawn(page)
        page.evaluate(PAINTED)
        taken = browser.send("Page.captureScreenshot", {"format": "webp", "quality": 70})
        (folder / f"{name}.{scheme}.webp").write_bytes(base64.b64decode(taken["data"]))
    page.emulate_media(color_scheme=None)
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
