"""WCAG 2.2 AA on a page, in every look that readers use."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import Page

WIDE = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740}
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
# The rules whose result depends on colours. The others find the same in each colour scheme of the same window. They
# look at styles as shown, so axe does not fetch the style sheets again.
COLOURS: dict[str, Any] = {"runOnly": ["color-contrast", "link-in-text-block"], "preload": False}
OTHERS: dict[str, Any] = {"runOnly": TAGS, "rules": {name: {"enabled": False} for name in COLOURS["runOnly"]}}
Rules = tuple[dict[str, Any], ...]
OF_COLOURS: Rules = (COLOURS,)
ALL_BUT_COLOURS: Rules = (OTHERS,)
ALL_RULES: Rules = (OTHERS, COLOURS)
# Two visible texts of each look: axe takes half a millisecond to find what lies behind a text, and on a page of a lead
# some 400 texts have some 20 looks. A look is what decides the contrast: the text's own style, its parent's colour
# (of links), and what lies behind it; texts in positioned boxes are only like those in boxes of the same class.
SAMPLES = """part => {
  const looks = new Map();
  for (const element of document.querySelectorAll(`${part}, ${part} *`)) {
    const hasText = [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim());
    if (!hasText && !element.matches("input, select, textarea")) continue;
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    if (![...element.getClientRects()].some(({ width, height }) => width > 1 && height > 1)) continue;
    const isOff = element.closest(":disabled, [aria-disabled=true]") !== null;
    const { color, fontSize, fontWeight } = getComputedStyle(element);
    const look = [element.tagName, color, fontSize, fontWeight, isOff];
    if (element.parentElement) look.push(getComputedStyle(element.parentElement).color);
    for (let behind = element; behind; behind = behind.parentElement) {
      const { position, opacity, backgroundColor: fill, backgroundImage: image } = getComputedStyle(behind);
      if (fill !== "rgba(0, 0, 0, 0)" || image !== "none") look.push(fill, image);
      if (opacity !== "1" || position !== "static") look.push(opacity, position, behind.className);
    }
    const alike = looks.get(String(look)) ?? [];
    if (alike.length < 2) looks.set(String(look), [...alike, element]);
  }
  return [...looks.values()].flat();
}"""
# Only the violations leave the page, without selectors of their elements: to make and fetch what axe says about all
# elements takes longer than its checks. It would wait half a second for frames, in which it is not loaded.
RUN = f"""async ([part, options, ofSamples]) => {{
  const QUICK = {{ resultTypes: ["violations"], selectors: false, iframes: false }};
  const where = ofSamples ? {{ include: ({SAMPLES})(part) }} : part;
  if (ofSamples && !where.include.length) return [];
  const {{ violations }} = await axe.run(where, {{ ...options, ...QUICK }});
  return violations.map(({{ id, nodes }}) => [id, nodes.map(({{ html }}) => html.slice(0, 120))]);
}}"""
SCROLLS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


class Look(NamedTuple):
    """How a reader sees pages: window, colours, and the rules that can fail there."""

    name: str
    size: Any = WIDE
    scheme: Any = "light"
    forced: Any = "none"
    rules: Rules = ALL_RULES


LIGHT = Look("light")
DARK = Look("dark", scheme="dark", rules=OF_COLOURS)
# The phone comes last: pages keep what they have done for a narrow window. Its colours are those of the wide window.
PHONE_LOOK = Look("phone", size=PHONE, rules=ALL_BUT_COLOURS)
LOOKS = (LIGHT, DARK, Look("forced colours", forced="active", rules=OF_COLOURS), PHONE_LOOK)
LOOKS_OF_LEADS = (LIGHT, DARK, PHONE_LOOK)
LIGHT_AND_DARK_PHONE = (LIGHT, Look("dark phone", size={"width": 390, "height": 800}, scheme="dark"))


def check(page: Page, rules: Rules = ALL_RULES, part: str = "html") -> None:
    """Assert that axe finds no violation in this part of the page as it is shown now."""
    if page.evaluate("typeof axe === 'undefined'"):
        page.evaluate(AXE_SCRIPT)
    for some in rules:
        found = page.evaluate(RUN, [part, some, some is COLOURS])
        assert found == [], found


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
    page.wait_for_load_state()  # A browser answers scripts before the styles of a page are there.
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
