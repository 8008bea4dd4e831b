"""The link for each platform in a browser: how raters arrive, and how they return to the platform."""

import re
from collections.abc import Callable
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from tests.journeys.axe import check
from tests.journeys.rater.test_ways import ALL, tick
from tests.journeys.rater_steps import all_is_well, open_a_study
from tests.kit.database import rows
from tests.rating.web.test_arrival import LINKS

pytestmark = pytest.mark.browser
TURK = "https://workersandbox.mturk.com"
WORKER = f"workerId=W1&assignmentId=AS1&hitId=H1&turkSubmitTo={TURK}"


def rate_all(page: Page) -> None:
    page.get_by_role("button", name="Begin").click()
    tick(page, *ALL)
    page.locator("#next").click()
    expect(page.locator("h1")).to_have_text("You have finished. Thank you.")


@pytest.mark.parametrize("platform", LINKS)
def test_rater_of_each_platform_arrives_and_gets_code(engine: Engine, page: Page, platform: str) -> None:
    open_a_study(engine, n_items=1)
    page.goto(f"/s/study?{LINKS[platform]}")
    expect(page).to_have_url(re.compile(r"/s/study/start$"))
    rate_all(page)
    expect(page.locator("#completion-code")).to_have_text("C0DE42")
    assert all_is_well(engine, 1, 5)
    assert rows(engine, "SELECT platform FROM platform_ids") == [(platform,)]


def test_mturk_worker_moves_from_frame_to_tab_and_submits(
    engine: Engine, new_context: Callable[..., BrowserContext], server: str
) -> None:
    open_a_study(engine, n_items=1)
    # Amazon's page is public and the test server is local: browsers ask before a public page may reach a local one.
    context = new_context(permissions=["local-network-access"])
    handed_in: list[str] = []
    frame = f'<title>HIT</title><iframe width="900" height="600" src="{server}/s/study?{WORKER}"></iframe>'
    context.route(f"{TURK}/task", lambda route: route.fulfill(body=frame, content_type="text/html"))

    def take(route: object) -> None:
        handed_in.append(route.request.post_data)  # type: ignore[attr-defined]  # Playwright's route
        route.fulfill(body="handed in")  # type: ignore[attr-defined]

    context.route(f"{TURK}/mturk/externalSubmit", take)
    hit = context.new_page()
    hit.goto(f"{TURK}/task")
    with context.expect_page() as opened:
        hit.frame_locator("iframe").get_by_role("link", name="Open the study").click()
    page = opened.value
    rate_all(page)
    check(page)
    page.get_by_role("button", name="Submit to Mechanical Turk").click()
    page.wait_for_url(f"{TURK}/mturk/externalSubmit")
    assert parse_qs(handed_in[0]) == {"assignmentId": ["AS1"], "code": ["C0DE42"]}
    assert all_is_well(engine, 1, 5)
