"""Journeys of a lead in a real browser, without script errors or policy violations on any page (see conftest)."""

import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine, text

from app.rating.life_cycle import open_study
from app.settings import settings
from tests.journeys.axe import LIGHT_AND_DARK_PHONE, check_in
from tests.journeys.lead_steps import PASSWORD, a_lead, open_part, open_results, sign_in
from tests.kit.builder import TEMPLATE_WORDS
from tests.kit.folder import N_ITEMS, RATERS, rated_folder
from tests.kit.lead_studies import rate

pytestmark = pytest.mark.browser


def test_sign_in_link_leads_to_summary_and_estimates(engine: Engine, page: Page) -> None:
    sign_in(page, a_lead(engine))
    open_results(page)
    expect(page.locator(".effect").first).to_contain_text("Machine preferred in")
    open_part(page, "All estimates")
    estimates = page.request.get("/studies/rated/results.json").json()["estimates"]
    rows = list(csv.DictReader(io.StringIO(page.request.get("/studies/rated/results.csv").text())))
    assert len(rows) == len(estimates)
    assert len(estimates) == page.locator("td.recipe").count()


def test_filter_is_kept_in_address_and_shown_on_page(engine: Engine, page: Page) -> None:
    sign_in(page, a_lead(engine))
    open_results(page)
    page.get_by_text("Filter: all ratings").click()
    page.locator(".filter").get_by_label("Question").select_option("empathy")
    page.get_by_role("button", name="Apply filter").click()
    expect(page.locator(".only")).to_contain_text("Only question Empathy.")
    open_part(page, "Agreement")
    expect(page).to_have_url(re.compile("question=empathy"))
    page.get_by_role("link", name="Show all").click()
    expect(page.locator(".only")).to_have_count(0)


def test_printed_section_contains_all_its_charts(engine: Engine, page: Page) -> None:
    sign_in(page, a_lead(engine))
    open_results(page)
    open_part(page, "Human versus model")
    n_charts = page.locator("figure.chart").count()
    page.emulate_media(media="print")
    assert page.locator("figure.chart img:visible").count() == n_charts
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_sign_in_link_is_used_by_button_not_by_viewing(engine: Engine, page: Page) -> None:
    token = a_lead(engine)
    page.goto(f"/sign-in/{token}")
    page.goto("/")
    sign_in(page, token)
    page.get_by_role("button", name="Sign out").click()
    page.goto(f"/sign-in/{token}")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("h1")).to_have_text("No longer available")


def test_password_sign_in_leads_to_requested_page(engine: Engine, page: Page) -> None:
    a_lead(engine)
    page.goto("/studies/rated")
    page.get_by_label("E-mail address").fill("lead@example.org")
    page.get_by_label("Password").fill("not the password")
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("Wrong e-mail address or password")
    page.get_by_label("Password").fill(PASSWORD)
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text("Replies that were rated")


SHOWN_OF_NATURAL_WIDTH = """async images => {
    for (const image of images) await image.decode();
    return images.map(image => image.getBoundingClientRect().width / image.naturalWidth);
}"""


def test_charts_follow_page_colour_scheme_and_width(engine: Engine, page: Page) -> None:
    page.emulate_media(color_scheme="dark")
    sign_in(page, a_lead(engine))
    open_results(page)
    open_part(page, "Human versus model")
    for width, size in ((390, "size=narrow"), (1280, "size=full")):
        page.set_viewport_size({"width": width, "height": 900})
        page.reload()
        images = page.locator("figure.chart img")
        address = images.first.evaluate("async image => { await image.decode(); return image.currentSrc; }")
        assert {"theme=dark", size} <= {*address.split("?")[1].split("&")}
        # its letters have 12 pixels, and the page shows none with less than 11
        shown = images.evaluate_all(SHOWN_OF_NATURAL_WIDTH)
        assert len(shown) > 1
        assert min(shown) >= 11 / 12


@pytest.mark.parametrize(("kind", "begins"), [("SVG", b"<svg"), ("PNG", b"\x89PNG"), ("PDF", b"%PDF")])
def test_chart_is_downloaded_as_image(engine: Engine, page: Page, kind: str, begins: bytes) -> None:
    sign_in(page, a_lead(engine))
    page.goto("/studies/rated/results/preference")
    with page.expect_download() as download:
        page.get_by_role("link", name=kind).first.click()
    assert Path(download.value.path()).read_bytes().startswith(begins)


def test_lead_can_run_study_without_scripts(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(java_script_enabled=False).new_page()
    sign_in(page, a_lead(engine))
    page.get_by_role("link", name="Replies that were rated").click()
    expect(page.get_by_text("Open study", exact=True)).to_be_in_viewport()
    page.get_by_text("Open study", exact=True).click()
    for button, status in (("Open now", "open"), ("Pause", "paused"), ("Reopen study", "open")):
        page.get_by_role("button", name=button).click()
        expect(page.locator(".chip")).to_have_text(status)
    page.get_by_role("link", name="Results", exact=True).click()
    open_part(page, "Agreement")
    expect(page.locator("figure.chart img").first).to_be_visible()


def test_coverage_updates_automatically(engine: Engine, page: Page) -> None:
    sign_in(page, a_lead(engine))
    with engine.begin() as db:
        open_study(db, "rated")
    page.goto("/studies/rated")
    expect(page.locator("#coverage")).to_contain_text("Shown 0")
    with engine.begin() as db:
        study_id = db.execute(text("SELECT id FROM studies WHERE slug = 'rated'")).scalar_one()
        rate(db, study_id, rater="late", n_trials=3)
    expect(page.locator("#coverage")).to_contain_text("Shown 3 = answered 3")
    expect(page.locator("#coverage")).to_contain_text("Data integrity check passed")


def test_study_folder_is_uploaded_and_downloaded(engine: Engine, page: Page, tmp_path: Path) -> None:
    sign_in(page, a_lead(engine))
    files = rated_folder() | {"study.yaml": rated_folder()["study.yaml"].replace(b"slug: rated", b"slug: again")}
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    page.get_by_role("link", name="New study").first.click()
    page.get_by_label("Files of the folder").set_input_files([tmp_path / name for name in files])
    page.get_by_role("button", name="Check and load folder").click()
    expect(page).to_have_url(re.compile("/studies/again$"))
    with page.expect_download() as download:
        page.get_by_role("link", name="again.zip").click()
    with zipfile.ZipFile(download.value.path()) as archive:
        ratings = archive.read("again/ratings.csv").decode().splitlines()
    assert len(ratings) == 1 + 3 * N_ITEMS * len(RATERS)


def test_template_becomes_an_open_study(engine: Engine, page: Page) -> None:
    sign_in(page, a_lead(engine))
    page.goto("/studies/new")
    page.get_by_label("Search templates").fill("four dimensions Zhou")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="with a composite").click()
    page.get_by_label("Study title").fill("Ours")
    page.get_by_label("Short name for links").fill("ours")
    page.get_by_role("button", name="Create study").click()
    expect(page).to_have_url(re.compile("/studies/new/ours/texts$"))
    page.get_by_role("link", name="Check and open").click()
    expect(page.locator("main")).to_contain_text("This design needs at least")
    page.get_by_text("Open study", exact=True).click()
    page.get_by_role("button", name="Open now").click()
    expect(page.locator(".chip")).to_have_text("draft")
    for words in TEMPLATE_WORDS:
        page.get_by_label(words).check()
    page.get_by_role("button", name="Open now").click()
    expect(page.locator(".chip")).to_have_text("open")


def test_upload_problems_are_listed_in_view(engine: Engine, page: Page, tmp_path: Path) -> None:
    sign_in(page, a_lead(engine))
    for name, content in (rated_folder() | {"items.csv": b"item\na\n"}).items():
        (tmp_path / name).write_bytes(content)
    page.goto("/studies/new")
    page.get_by_label("Files of the folder").set_input_files(list(tmp_path.iterdir()))
    page.get_by_role("button", name="Check and load folder").click()
    expect(page.locator("#problems")).to_be_focused()
    expect(page.locator("#problems")).to_contain_text("Nothing was saved.")
    expect(page.locator("#problems tbody")).to_contain_text("items.csv")
    assert page.title().startswith("Error:")


@pytest.fixture
def small_limit(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Limit uploads to one megabyte before the server starts."""
    monkeypatch.setenv("ATTUNE_MAX_UPLOAD_MB", "1")
    settings.cache_clear()
    yield
    settings.cache_clear()


@pytest.mark.parametrize("has_scripts", [True, False])
def test_oversized_upload_shows_message(
    small_limit: None, engine: Engine, new_context: Callable[..., BrowserContext], tmp_path: Path, *, has_scripts: bool
) -> None:
    page = new_context(java_script_enabled=has_scripts).new_page()
    sign_in(page, a_lead(engine))
    (tmp_path / "items.csv").write_bytes(b"item,text\n" + b"x" * 30 * 2**20)
    page.goto("/studies/new")
    page.get_by_label("Files of the folder").set_input_files(tmp_path / "items.csv")
    page.get_by_role("button", name="Check and load folder").click()
    words = "at most 1 MB" if has_scripts else "too large"
    expect(page.locator("main")).to_contain_text(words)


def test_running_forecast_says_so_and_cannot_be_asked_twice(engine: Engine, page: Page) -> None:
    sign_in(page, a_lead(engine))
    page.goto("/studies/rated/plan")
    # An answer without content leaves the page as it is while it waits for the forecast.
    page.route("**/plan?*forecast=1*", lambda route: route.fulfill(status=204))
    button = page.get_by_role("button", name="Forecast precision")
    status = page.locator("form.card").get_by_role("status")
    expect(status).to_have_text("")
    button.click()
    expect(status).to_contain_text("Simulating the study.")
    expect(button).to_be_disabled()
    page.unroute_all()
    page.reload()
    button.click()
    expect(page.locator("figure.chart")).to_be_visible(timeout=120_000)
    page.go_back()
    expect(button).to_be_enabled()
    expect(status).to_have_text("")


def test_tables_are_cards_on_a_phone(engine: Engine, page: Page) -> None:
    sign_in(page, a_lead(engine))
    page.set_viewport_size({"width": 390, "height": 844})
    page.request.get("/studies/rated/ratings.csv")
    page.goto("/studies/rated/settings/api")
    page.get_by_label("What it is for").fill("Nightly import")
    page.get_by_role("button", name="Make token").click()
    expect(page.get_by_text("Nightly import").first).to_be_visible()
    hidden = "[...document.querySelectorAll('.table-scroll')].map((one) => one.scrollWidth - one.clientWidth)"
    for address in ("settings/api", "settings", "people", "raters"):
        page.goto(f"/studies/rated/{address}")
        assert set(page.evaluate(hidden)) == {0}, address
    card = page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=RATERS[0], exact=True))
    expect(card.get_by_role("cell")).to_have_count(8)
    said = card.get_by_role("cell").nth(1).evaluate("(cell) => getComputedStyle(cell, '::before').content")
    assert said == '"Trials"'
    more = card.locator("summary")
    more.focus()
    page.keyboard.press("Enter")
    expect(card.get_by_label("Reason")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    check_in(LIGHT_AND_DARK_PHONE, page)
