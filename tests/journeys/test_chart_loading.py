"""Charts of a page whose server is busy."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route

from tests.journeys.offline_results import DRAWN

pytestmark = pytest.mark.browser

SITE = "http://charts.test/"
PAGE = """
    <div class="drawing" tabindex="0"><picture><img src="/chart.svg" alt="Kind replies rate higher."></picture></div>
    <script src="/charts.js" defer></script>
"""
SCRIPT = Path("static/results/charts.js").read_text(encoding="utf-8")


def test_chart_of_a_busy_server_says_so_and_is_asked_for_again(browser: Browser) -> None:
    statuses = [503, 503, 200]

    def answer(route: Route) -> None:
        name = route.request.url.removeprefix(SITE)
        if name == "chart.svg":
            status = statuses.pop(0)
            route.fulfill(status=status, body=DRAWN if status == 200 else "busy", content_type="image/svg+xml")
            return
        script = name == "charts.js"
        route.fulfill(body=SCRIPT if script else PAGE, content_type="text/javascript" if script else "text/html")

    page = browser.new_context().new_page()
    page.clock.install()
    page.route("**/*", answer)
    page.goto(SITE)
    note = page.get_by_role("status")
    note.get_by_text("could not be loaded; the server may be busy. It is tried again in 5 seconds").wait_for()
    page.clock.fast_forward("00:06")
    note.get_by_text("in 10 seconds").wait_for()
    note.get_by_role("button", name="Try again").press("Enter")
    note.wait_for(state="detached")
    assert statuses == []
    assert page.evaluate("document.activeElement.className") == "drawing"
