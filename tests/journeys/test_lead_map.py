"""Every page of the lead, without scripts and by keyboard alone: nothing needs a mouse, nothing waits for a script."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from tests.journeys.lead_steps import sign_in
from tests.journeys.test_lead_pages_axe import prepared

pytestmark = pytest.mark.browser
WAIT_MS = 150_000
DESIGN = (
    "study",
    "sources",
    "questions",
    "questions/1",
    "consent",
    "questionnaires",
    "practice",
    "checks",
    "conditions",
    "assignment",
    "ending",
    "recruitment",
    "privacy",
    "analysis",
    "monitoring",
    "preregistration",
    "text",
)
OF_A_LEAD = (
    "/",
    "/studies",
    "/studies/new",
    "/studies/new/template?name=epitome",
    "/account",
    "/help",
    "/help/tutorial",
)
OF_A_STUDY = (
    "",
    "/items",
    "/raters",
    "/raters/messages",
    "/raters/prolific",
    "/judges",
    "/judges/new",
    "/generated",
    "/generated/new",
    "/downloads",
    "/people",
    "/settings",
    "/settings/api",
    "/settings/webhooks",
    "/preregistration",
)
DRAFT = ("", "/items/1", "/plan", "/design", *(f"/design/{part}" for part in DESIGN))
OF_DRAFT = [f"/studies/draft{page}" for page in DRAFT]
PAGES = (
    *OF_A_LEAD,
    "/studies/new/draft/texts",
    "/studies/new/draft/ratings",
    *OF_DRAFT,
    *(f"/studies/running{page}" for page in OF_A_STUDY),
)

# What does not work without scripts: a form that only a script sends, a button that only a script hears, a link that
# leads nowhere, a part that is still empty and says that it is loading.
STUCK = """() => {
  const seen = (element) => element.checkVisibility();
  const words = (element) => element.outerHTML.slice(0, 120);
  const sends = "button:not([type=button]), [type=submit]";
  const sent = (form) => form.querySelector(sends) || (form.id && document.querySelector(`button[form="${form.id}"]`));
  const forms = [...document.forms].filter((form) => !sent(form));
  const buttons = [...document.querySelectorAll("button")].filter((button) => seen(button) && !button.form);
  const scripted = [...document.querySelectorAll("button[type=button]")].filter(seen);
  const links = [...document.querySelectorAll("a")].filter((link) => !link.getAttribute("href"));
  const waiting = [...document.querySelectorAll("[aria-busy=true], .htmx-indicator")].filter(seen);
  return [...forms, ...buttons, ...scripted, ...links, ...waiting].map(words);
}"""

# Follows the focus: the elements that it reached, and those on which it could not be seen.
FOLLOW = """() => {
  window.reached = []; window.unseen = [];
  for (const part of document.querySelectorAll("details")) part.open = true;
  document.addEventListener("focusin", ({ target }) => {
    window.reached.push(target);
    const marked = (element) => {
      const style = getComputedStyle(element);
      return style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0;
    };
    // A card is marked as a whole for the link in its heading, three levels down.
    const around = [target];
    for (let n = 0; n < 3 && around[n].parentElement; n += 1) around.push(around[n].parentElement);
    if (!around.some(marked)) {
      window.unseen.push(target.outerHTML.slice(0, 120));
    }
  });
}"""
STOPS = """() => {
  const can = "a[href], button, input, select, textarea, summary, [tabindex='0']";
  const groups = new Set();
  return window.stops = [...document.querySelectorAll(can)].filter((element) => {
    if (!element.checkVisibility() || element.disabled || element.closest(":disabled, [inert]")) return false;
    if (element.type === "hidden" || element.tabIndex < 0) return false;
    if (element.type !== "radio") return true;
    const group = `${element.form?.action} ${element.name}`;
    return !groups.has(group) && groups.add(group);
  }), window.stops.length;
}"""
MISSED = """() => {
  const same = (one, stop) => one === stop || (stop.type === "radio" && one.name === stop.name);
  const reached = (stop) => window.reached.some((one) => same(one, stop));
  return window.stops.filter((stop) => !reached(stop)).map((stop) => stop.outerHTML.slice(0, 120));
}"""
# Focus goes down the page as it is read; it goes up once, from the end to the beginning.
BACKWARDS = """() => window.reached.filter((one, n) => n
  && window.reached[n - 1].compareDocumentPosition(one) & Node.DOCUMENT_POSITION_PRECEDING).length > 1"""
# Thousands of presses, for which Playwright takes twice the time.
TAB = {"type": "rawKeyDown", "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9}
# The skip link that is passed again at the end, and places inside the frame of the preview and inside a date.
N_MORE, N_IN_FRAME, N_IN_DATE = 2, 30, 3


def go(page: Page, address: str) -> None:
    answer = page.goto(address)
    assert answer
    assert answer.status == 200, address


@pytest.mark.long
def test_every_page_works_without_scripts(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.set_default_timeout(WAIT_MS)
    sign_in(page, prepared(engine))
    found: dict[str, Any] = {}
    for address in PAGES:
        go(page, address)
        found[address] = page.evaluate(STUCK)
    assert {address: stuck for address, stuck in found.items() if stuck} == {}
    go(page, "/studies/running/results")
    expect(page.locator("details.filter")).to_be_visible()


@pytest.mark.long
@pytest.mark.parametrize(
    "pages",
    [[page for page in PAGES if page not in OF_DRAFT], pytest.param(OF_DRAFT, marks=pytest.mark.slow)],
    ids=["of leads and running studies", "of drafts"],
)
def test_every_control_of_every_page_is_reached_by_the_tab_key(engine: Engine, page: Page, pages: list[str]) -> None:
    page.set_default_timeout(WAIT_MS)
    sign_in(page, prepared(engine))
    keyboard = page.context.new_cdp_session(page)
    found: dict[str, Any] = {}
    # What is drawn anew would not count as reached.
    page.route("**/coverage", lambda route: route.fulfill(status=204))
    for address in pages:
        go(page, address)
        page.evaluate(FOLLOW)
        n_stops = page.evaluate(STOPS)
        n_inside = page.locator("iframe:visible").count() * N_IN_FRAME + page.locator("[type=date]").count() * N_IN_DATE
        for _ in range(n_stops + N_MORE + n_inside):
            keyboard.send("Input.dispatchKeyEvent", TAB)
        problems = {
            "missed": page.evaluate(MISSED),
            "unseen": page.evaluate("window.unseen"),
            "backwards": page.evaluate(BACKWARDS),
        }
        found[address] = {kind: what for kind, what in problems.items() if what}
    assert {address: problems for address, problems in found.items() if problems} == {}


WIDE = """() => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("#trials table.least { width: 3000px; }");
  document.adoptedStyleSheets = [sheet];
}"""


def test_what_is_drawn_anew_stays_open_scrolled_and_in_focus(engine: Engine, page: Page) -> None:
    sign_in(page, prepared(engine))
    go(page, "/studies/running")
    page.evaluate(WIDE)
    integrity = page.locator("#coverage summary")
    integrity.focus()
    integrity.press("Enter")
    drawn = page.locator("#coverage").element_handle()
    page.wait_for_function("(drawn) => !drawn.isConnected", arg=drawn)
    expect(integrity).to_be_focused()
    expect(page.locator("#coverage details")).to_have_attribute("open", "")
    trials = page.get_by_role("region", name="Least covered trials")
    trials.focus()
    trials.evaluate("(region) => { region.scrollLeft = 70; }")
    drawn = page.locator("#trials").element_handle()
    page.wait_for_function("(drawn) => !drawn.isConnected", arg=drawn)
    expect(trials).to_be_focused()
    assert trials.evaluate("(region) => region.scrollLeft") == 70
