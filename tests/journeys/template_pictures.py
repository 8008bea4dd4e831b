"""The pictures of the study templates: the rating page of each, light and dark, small enough for a page of them."""

import base64
from collections.abc import Iterable, Iterator
from pathlib import Path

from playwright.sync_api import Page
from sqlalchemy import Engine

from app.studies.creation.read_new_study import read_template, store_study

THUMBNAILS = Path(__file__).resolve().parents[2] / "static" / "studies" / "thumbnails"
SCHEMES = ("light", "dark")
MAX_BYTES = 15_000
# The page is laid out for this window; its picture is smaller.
WINDOW = {"width": 1200, "height": 750}
SCALE = 0.4
QUALITIES = (80, 65, 50, 35, 20)


def store_templates(engine: Engine, names: Iterable[str], lead_id: int) -> None:
    """A draft study of each template, with its name as the slug."""
    with engine.begin() as db:
        for name in names:
            store_study(db, read_template(name, name, name), lead_id)


def picture(page: Page, name: str, scheme: str) -> bytes:
    """The rating page of a template as raters see it, as WebP with at most `MAX_BYTES`."""
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type] # one of SCHEMES
    page.goto(f"/studies/{name}/design/preview")
    page.locator(".sheet").wait_for()
    found = next((shot for shot in _shots(page) if len(shot) <= MAX_BYTES), None)
    assert found, f"no picture of {name} has at most {MAX_BYTES} bytes"
    return found


def _shots(page: Page) -> Iterator[bytes]:
    """The picture in ever lower quality."""
    browser = page.context.new_cdp_session(page)
    for quality in QUALITIES:
        clip = {"x": 0, "y": 0, **WINDOW, "scale": SCALE}
        taken = browser.send("Page.captureScreenshot", {"format": "webp", "quality": quality, "clip": clip})
        yield base64.b64decode(taken["data"])
    browser.detach()
