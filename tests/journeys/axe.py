"""WCAG 2.2 AA on a page, in every look that readers use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}
ALL_RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
# The rules whose result depends on colours. The others find the same in each colour scheme of the same window. They
# look at styles as shown, so axe does not fetch the style sheets again.
OF_COLOURS: dict[str, Any] = {"runOnly": ["color-contrast", "link-in-text-block"], "preload": False}
ALL_BUT_COLOURS = {**ALL_RULES, "rules": {name: {"enabled": False} for name in OF_COLOURS["runOnly"]}}
# Only the violations leave the page: to fetch what axe says about all other elements takes longer than its checks.
RUN = """([part, options]) => axe.run(part, { ...options, resultTypes: ["violations"] }).then(({ violations }) =>
  violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html.slice(0, 120))]))"""
SCROLLS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


class Look(NamedTuple):
    """How a reader sees pages: window, colours, and the rules that can fail there."""

    name: str
    size: Any = WIDE
    scheme: Any = "light"
    forced: Any = "none"
    rules: Any = ALL_RULES


LIGHT = Look("light")
DARK = Look("dark", scheme="dark", rules=OF_COLOURS)
# The phone comes last: pages keep what they have done for a narrow window. Its colours are those of the wide window.
PHONE_LOOK = Look("phone", size=PHONE, rules=ALL_BUT_COLOURS)
LOOKS = (LIGHT, DARK, Look("forced colours", forced="active", rules=OF_COLOURS), PHONE_LOOK)
LOOKS_OF_LEADS = (LIGHT, DARK, PHONE_LOOK)
LIGHT_AND_DARK_PHONE = (LIGHT, Look("dark phone", size={"width": 390, "height": 800}, scheme="dark"))


def check(page: Page, rules: dict[str, Any] = ALL_RULES, part: str = "html") -> None:
    """Assert that axe finds no violation in this part of the page as it is shown now."""
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(AXE_SCRIPT)
    assert page.evaluate(RUN, [part, rules]) == []


def check_in(
    looks: Sequence[Look], page: Page, *, once: Callable[[Page], None] | None = None, part: str = "html"
) -> None:
    """Assert that the page has no violation and does not scroll sideways in any of these looks; leave it in the first.

    Args:
        looks: the looks, one after the other.
        page: the page; it is not loaded anew.
        once: waits for what a look fetches, such as charts in its colours.
        part: the selector of what is new on a page whose rest was checked before.
    """
    for look in looks:
        wear(page, look)
        if once:
            once(page)
        assert not page.evaluate(SCROLLS), f"scrolls sideways: {look.name}"
        check(page, look.rules, part)
    wear(page, looks[0])


def wear(page: Page, look: Look) -> None:
    """Show the page in this look."""
    page.emulate_media(color_scheme=look.scheme, forced_colors=look.forced)
    if page.viewport_size != look.size:
        page.set_viewport_size(look.size)
