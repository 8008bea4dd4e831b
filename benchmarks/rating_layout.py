"""Visibility of responses while they are rated, and scroll distance, for every template and several window sizes.

For the first item of each study: page height divided by window height; the proportion of a response's lines that are
visible while each question about it is answered (mean and minimum); and how many pixels the page scrolls until every
question is answered, by mouse (an option is scrolled into view and clicked) and by keyboard (digits).
Writes the table of benchmarks/results/rating-layout.md. Run: python -m benchmarks.rating_layout [study ...]
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

from benchmarks.rating_scenes import go_to_first_item, scenes
from tests.kit.browser import FLAGS, find_chromium

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from playwright.sync_api import Browser, Page

    from benchmarks.rating_scenes import Scene

WINDOWS = {
    "1920x1080": (1920, 1080),
    "1280x800": (1280, 800),
    "768x1024": (768, 1024),
    "390x844": (390, 844),
    "320x640": (320, 640),
}
PAGE = Path(__file__).resolve().parent / "results" / "rating-layout.md"
BEGIN, END = "<!-- made by benchmarks.rating_layout -->", "<!-- end -->"
PHONE = 500
SEEN = """slot => {
  const response = document.querySelector(`[data-response="${slot.dataset.of}"]`);
  if (!response || response.offsetParent === null) return response ? 0 : null;
  const texts = [...response.querySelectorAll("[data-text]")];
  const asked = texts.filter((text) => !slot.dataset.turn || text.dataset.turn === slot.dataset.turn);
  let [top, bottom] = [document.querySelector(".sheet-bar").getBoundingClientRect().bottom, innerHeight];
  for (let box = response; box; box = box.parentElement) {
    if (box !== document.documentElement && ["auto", "scroll"].includes(getComputedStyle(box).overflowY)) {
      const outer = box.getBoundingClientRect();
      [top, bottom] = [Math.max(top, outer.top), Math.min(bottom, outer.bottom)];
    }
  }
  const lines = asked.flatMap((text) => {
    const range = document.createRange();
    range.selectNodeContents(text);
    return [...range.getClientRects()].filter(({ height }) => height > 4);
  });
  if (!lines.length) return null;
  return lines.filter((line) => line.top >= top - 2 && line.bottom <= bottom + 2).length / lines.length;
}"""


@dataclass(frozen=True, slots=True)
class Measures:
    """Measurements of one page in one window size."""

    height: float
    shares: tuple[float, ...]
    by_mouse: int
    by_keys: int

    @property
    def cells(self) -> list[str]:
        """The measurements as cells of the table."""
        mean = f"{sum(self.shares) / len(self.shares):.0%}" if self.shares else "-"
        least = f"{min(self.shares):.0%}" if self.shares else "-"
        return [f"{self.height:.2f}", mean, least, f"{self.by_mouse:,}", f"{self.by_keys:,}"]


def measure(page: Page) -> Measures:
    """Answer every question of the page, first by mouse and, after a reload, by keyboard."""
    height = page.evaluate("document.documentElement.scrollHeight / innerHeight")
    shares, by_mouse = _by_mouse(page)
    page.reload()
    page.wait_for_selector("#rate-form")
    return Measures(height, tuple(shares), by_mouse, _by_keys(page))


def _by_mouse(page: Page) -> tuple[list[float], int]:
    """Return the visible proportion of each response while it is rated, and the scroll distance in pixels."""
    shares: list[float] = []
    scrolled, now = 0.0, 0.0
    for slot in page.locator(".asks .slot").all():
        target = slot.locator(":is(label.point, input[type=range], [data-mark], textarea):visible").first
        target.scroll_into_view_if_needed()
        target.click()
        share = slot.evaluate(SEEN)
        shares += [share] if share is not None else []
        before, now = now, float(page.evaluate("scrollY"))
        scrolled += abs(now - before)
    page.locator("#next").scroll_into_view_if_needed()
    return shares, round(scrolled + abs(float(page.evaluate("scrollY")) - now))


def _by_keys(page: Page) -> int:
    """Return the scroll distance in pixels if each question is answered by keyboard."""
    scrolled, now = 0.0, 0.0
    for slot in page.locator(".asks .slot").all():
        slot.locator(":is(input:not([type=hidden]), [data-mark], textarea):visible").first.focus()
        before, now = now, float(page.evaluate("scrollY"))
        scrolled += abs(now - before)
    return round(scrolled)


def _rows(browser: Browser, address: str, made: Sequence[Scene]) -> Iterator[list[str]]:
    for scene in made:
        for name, (width, height) in WINDOWS.items():
            touch: dict[str, Any] = {"has_touch": True, "is_mobile": True} if width < PHONE else {}
            context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion="reduce", **touch)
            page = context.new_page()
            go_to_first_item(page, address, scene)
            yield [scene.name, name, *measure(page).cells]
            context.close()


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows as a Markdown table."""
    heads = ["study", "window", "page / window", "in sight", "least in sight", "px by mouse", "px by keys"]
    lines = [heads, ["---", "---", *["---:"] * 5], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def main(names: Sequence[str]) -> None:
    """Measure the named studies; without names, measure all and update the documentation."""
    with scenes(names) as (address, made), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        rows = list(_rows(browser, address, made))
        browser.close()
    text = table(rows)
    sys.stdout.write(f"{text}\n")
    if not names:
        page = PAGE.read_text(encoding="utf-8")
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
