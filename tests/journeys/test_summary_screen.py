"""The summary of every template with simulated ratings is one screen, and no table scrolls sideways."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from app.analysis import analyze
from app.analysis.data.study_folder import frames_of
from app.studies.folder.read import read_folder
from app.studies.folder.study_templates import list_templates, template_folder
from tests.analysis.headlines.simulated_ratings import Effect, Seen, simulate
from tests.journeys.axe import PHONE_LOOK, SCROLLS, check, wear
from tests.journeys.offline_results import serve_results
from tests.real_data.ayers import write_ayers

pytestmark = pytest.mark.browser

WIDTH, HEIGHT = 1280, 900
STEP = 0.6
QUICK = ("ab-tie",)
NAMES = [
    pytest.param(name, marks=() if name in QUICK else pytest.mark.slow)
    for name in (template.name for template in list_templates())
]
# what is closed takes the whole width once it is opened
SCROLLING = """
    [...document.querySelectorAll(".table-scroll")]
        .filter((one) => !one.closest("details:not([open])") && one.scrollWidth > one.clientWidth + 1)
        .map((one) => one.getAttribute("aria-label"))
"""
# numbers below an axis that end below their plot
CUT_OFF = """
    [...document.querySelectorAll(".scale-plot")].flatMap((plot) => [...plot.querySelectorAll("text")]
        .filter((one) => one.getBoundingClientRect().bottom > plot.getBoundingClientRect().bottom + 1)
        .map((one) => one.textContent))
"""
# pages of the tests are not from a secure address, so browsers give them no clipboard
CLIPBOARD = """
    window.ClipboardItem = class { constructor(parts) { this.parts = parts; } };
    const keep = async (what) => { window.copied = what; };
    Object.defineProperty(navigator, "clipboard", { value: { write: keep, writeText: keep } });
"""
# charts that paper would not show, because they wait to be scrolled to or are hidden
NOT_PRINTED = """
    [...document.querySelectorAll(".drawing img")]
        .filter((one) => one.loading === "lazy" || !one.complete || !one.naturalWidth || !one.getClientRects().length)
        .map((one) => one.alt)
"""


@pytest.fixture
def page(browser: Browser) -> Page:
    return browser.new_context(viewport={"width": WIDTH, "height": HEIGHT}).new_page()


def open_summary(page: Page, folder: Path) -> None:
    study = read_folder(folder)
    frames = frames_of(study)
    page.goto(serve_results(page, frames, study.protocol, analyze(frames, study.protocol)))
    page.wait_for_load_state("networkidle")


def is_one_screen(page: Page) -> bool:
    height, width = page.evaluate("[document.documentElement.scrollHeight, document.documentElement.scrollWidth]")
    return bool(height <= HEIGHT and width == WIDTH)


def n_printed_pages(page: Page) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", prefer_css_page_size=True)))


@pytest.mark.parametrize("name", NAMES)
def test_template_summary_fits_one_screen_and_sections_fit_width(name: str, page: Page, tmp_path: Path) -> None:
    order = list(read_folder(template_folder(name)).protocol.sources)

    def lean(_question: str, seen: Seen) -> float:
        return STEP * order.index(seen.source) if seen.source else 0.0

    simulate(name, tmp_path / "study", Effect(lean=lean))
    open_summary(page, tmp_path / "study")
    assert is_one_screen(page)
    assert n_printed_pages(page) == 1
    check(page)
    addresses = page.locator(".sections a").evaluate_all("links => links.slice(1).map((link) => link.href)")
    assert addresses
    for address in addresses:
        page.goto(address)
        assert page.evaluate(SCROLLING) == [], address
        page.emulate_media(media="print")
        assert page.evaluate(NOT_PRINTED) == [], address
        page.emulate_media(media="screen")


def test_summary_without_intervals_fits_a_phone(page: Page, tmp_path: Path) -> None:
    """The reason for no interval stood on one line, and the page scrolled sideways."""
    simulate("ab-tie", tmp_path / "study", Effect(lean=lambda *_: 0.0))
    ratings = tmp_path / "study" / "ratings.csv"
    header, *rows = ratings.read_text().splitlines()
    (column,) = (n for n, name in enumerate(header.split(",")) if name == "rater")
    rater = rows[0].split(",")[column]
    ratings.write_text("\n".join([header, *(row for row in rows if row.split(",")[column] == rater), ""]))
    wear(page, PHONE_LOOK)
    open_summary(page, tmp_path / "study")
    assert "No interval" in page.locator("main").inner_text()
    assert not page.evaluate(SCROLLS)


def test_ayers_summary_fits_one_screen(page: Page, tmp_path: Path, shared: Path) -> None:
    page.add_init_script(CLIPBOARD)
    open_summary(page, write_ayers(tmp_path / "ayers", shared))
    assert is_one_screen(page)
    assert n_printed_pages(page) == 1
    page.emulate_media(media="print")
    assert page.evaluate(CUT_OFF) == []
    page.emulate_media(media="screen")
    check(page)
    copies_answer_table_and_chart(page)


def copies_answer_table_and_chart(page: Page) -> None:
    """By keys, as text for a paper, as cells, and as a picture with its caption."""
    page.get_by_role("button", name="Copy the answer: Preference").press("Enter")
    page.get_by_role("button", name="Copied").wait_for()
    assert page.evaluate("copied").startswith("Preference: ChatGPT preferred in 78.6%. 95% CI 74.3% to 82.4%")
    page.get_by_role("link", name="Human versus model").click()
    page.get_by_role("button", name="Copy the table").first.press("Enter")
    page.get_by_role("button", name="Copied").wait_for()
    text, html = page.evaluate("Promise.all(['text/plain', 'text/html'].map((one) => copied[0].parts[one].text()))")
    assert "Physician\t" in text
    assert html.startswith("<table><caption>")
    page.get_by_role("button", name="Copy the chart").first.press("Enter")
    page.locator("figure.chart").first.get_by_role("button", name="Copied").wait_for()
    figure = page.evaluate("copied[0].parts['text/html'].then((one) => one.text())")
    title, finding = page.locator("figure.chart h3").first.inner_text(), page.locator("figure.chart img").first
    assert figure.startswith('<figure><img src="data:image/png;base64,')
    assert f"<figcaption>{title.removesuffix(' Copy')}. " in figure
    assert str(finding.get_attribute("alt")).split(",")[0] in figure
