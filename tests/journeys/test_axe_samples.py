"""Colours are checked on two texts of each look: what differs from the others is found wherever it stands."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.journeys.axe import COLOURS, check

pytestmark = pytest.mark.browser

PAGE = """<!doctype html><html lang="en"><title>t</title><style>
  body { background: #fff; color: #111 } .faint { color: #aaa }
  .box { position: relative } .over { position: absolute; inset: 0; margin: 0; height: 20px }
  .bar { height: 30px; background: #222 }
</style><main><h1>Heading</h1>%s</main>"""
LINES = "<p>A line that can be read.</p>" * 30
FAINT = {
    "the last of many lines": LINES + '<p class="faint">Faint.</p>',
    "after hidden ones of its look": '<p class="faint" hidden>Faint.</p>' * 3 + LINES + '<p class="faint">Faint.</p>',
    "a box behind alike texts": LINES + '<div style="background: #222"><p>Dark on dark.</p></div>',
    "a text over a bar": LINES + '<div class="box"><div class="bar"></div><p class="over">Dark on dark.</p></div>',
    "a faint box": LINES + '<div style="opacity: .4"><p>Faint.</p></div>',
    "what is typed": LINES + '<label>Name <input value="Ada" style="color: #aaa; background: #fff"></label>',
    "a link like its text": LINES
    + '<p>A text with <a href="#" style="color: #222; text-decoration: none">a link</a> in it.</p>',
}


@pytest.fixture
def blank(browser: Browser) -> Iterator[Page]:
    """A page without a server."""
    page = browser.new_page()
    yield page
    page.close()


@pytest.mark.parametrize("body", FAINT.values(), ids=FAINT)
def test_each_faint_text_is_found(blank: Page, body: str) -> None:
    blank.set_content(PAGE % body)
    with pytest.raises(AssertionError, match=r"color-contrast|link-in-text-block"):
        check(blank, (COLOURS,))


def test_a_page_that_can_be_read_has_no_violation(blank: Page) -> None:
    blank.set_content(PAGE % (LINES + '<label>Name <input value="Ada"></label>'))
    check(blank)
