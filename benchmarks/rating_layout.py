"""Visibility of responses while they are rated, and scroll distance, for every template and several window sizes.

For the first item of each study: page height divided by window height; the proportion of a response's lines that are
visible while each question about it is answered (mean and minimum); how many pixels the page scrolls until every
question is answered, by mouse (an option is scrolled into view and clicked) and by keyboard (digits); how far the
pointer travels from question to question and to *Next*; words that are cut without a hyphen; and questions that are
marked as the one to answer now. 200% zoom is a window of half the size.
Writes the table of benchmarks/results/rating-layout.md. Run: python -m benchmarks.rating_layout [study ...]
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import hypot
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Locator, Page, sync_playwright

from benchmarks.rating_scenes import Scene, go_to_first_item, go_to_study, scenes
from tests.kit.browser import FLAGS, find_chromium

WINDOWS = {
    "1920x1080": (1920, 1080),
    "1280x800": (1280, 800),
    "1280x800 at 200%": (640, 400),
    "768x1024": (768, 1024),
    "390x844": (390, 844),
    "320x640": (320, 640),
}
# The number of words that take two lines and have no place for a hyphen.
CUT = """() => {
  let n = 0;
  for (const box of document.querySelectorAll(".head, .words, legend, .asked, button, .switch-option")) {
    const walk = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
    while (walk.nextNode()) {
      for (const word of walk.currentNode.data.matchAll(/[^\\s\u00ad\u200b-]+/gu)) {
        // A character at the beginning of a line has the hyphen before it as its first box.
        const tops = [...word[0]].map((_, place) => {
          const range = document.createRange();
          range.setStart(walk.currentNode, word.index + place);
          range.setEnd(walk.currentNode, word.index + place + 1);
          return Math.round([...range.getClientRects()].at(-1)?.top ?? 0);
        });
        if (Math.max(...tops) - Math.min(...tops) > 4) n += 1;
      }
    }
  }
  return n;
}"""
# The number of questions, or statements of a matrix, with the mark of the one that is answered now.
ACTIVE = """() => [...document.querySelectorAll(".asks .question, .asks .matrix .slot")].filter((box) => {
  const { content, display } = getComputedStyle(box, "::before");
  return content === '""' && display !== "none";
}).length"""
PAGE = Path(__file__).resolve().parent / "results" / "rating-layout.md"
BEGIN, END = "<!-- made by benchmarks.rating_layout -->", "<!-- end -->"
PHONE = 500
SEEN = """slot => {
  const response = document.querySelector(`[data-response="${slot.dataset.of}"]`);
  if (!response || response.offsetParent === null) return response ? 0 : null;
  const texts = [...response.querySelectorAll("[data-text]")];
  const asked = texts.filter((text) => !slot.dataset.turn || text.dataset.turn === slot.dataset.turn);
  let [top, bottom] = [Math.max(document.querySelector(".sheet-bar").getBoundingClientRect().bottom, 0), innerHeight];
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
    travel: int
    to_next: int
    n_cut: int
    n_active: frozenset[int]

    @property
    def cells(self) -> list[str]:
        """The measurements as cells of the table."""
        mean = f"{sum(self.shares) / len(self.shares):.0%}" if self.shares else "-"
        least = f"{min(self.shares):.0%}" if self.shares else "-"
        return [f"{self.height:.2f}", mean, least, *self._counts]

    @property
    def _counts(self) -> list[str]:
        numbers = (self.by_mouse, self.by_keys, self.travel, self.to_next, self.n_cut)
        return [*(f"{number:,}" for number in numbers), " or ".join(map(str, sorted(self.n_active)))]


@dataclass(slots=True)
class Pointer:
    """Where the pointer is in the window, and how far it went."""

    x: float | None = None
    y: float = 0
    travel: float = 0

    def go(self, target: Locator) -> float:
        """Move to the middle of a control; return how far that is."""
        box = target.bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        far = 0.0 if self.x is None else hypot(x - self.x, y - self.y)
        self.x, self.y = x, y
        return far


def measure(page: Page) -> Measures:
    """Answer every question of the page, first by mouse and, after a reload, by keyboard."""
    height = page.evaluate("document.documentElement.scrollHeight / innerHeight")
    n_cut = page.evaluate(CUT)
    shares, by_mouse, pointer, to_next, n_active = _by_mouse(page)
    page.reload()
    page.wait_for_selector("#rate-form")
    return Measures(
        height,
        tuple(shares),
        by_mouse,
        _by_keys(page),
        round(pointer.travel),
        round(to_next),
        n_cut,
        frozenset(n_active),
    )


def _by_mouse(page: Page) -> tuple[list[float], int, Pointer, float, set[int]]:
    """Answer every question by mouse.

    Returns:
        The visible proportion of each response while it is rated, the scroll distance in pixels, the pointer's way from
        question to question, its way from there to *Next*, and the numbers of active marks.
    """
    shares: list[float] = []
    pointer, n_active = Pointer(), set[int]()
    scrolled, now = 0.0, 0.0
    for slot in page.locator(".asks .slot").all():
        target = slot.locator(":is(label.point, input[type=range], [data-mark], textarea):visible").first
        target.scroll_into_view_if_needed()
        pointer.travel += pointer.go(target)
        target.click()
        n_active.add(page.evaluate(ACTIVE))
        share = slot.evaluate(SEEN)
        shares += [share] if share is not None else []
        before, now = now, float(page.evaluate("scrollY"))
        scrolled += abs(now - before)
    page.locator("#next").scroll_into_view_if_needed()
    to_next = pointer.go(page.locator("#next"))
    return shares, round(scrolled + abs(float(page.evaluate("scrollY")) - now)), pointer, to_next, n_active


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


def _questionnaire(browser: Browser, address: str, scene: Scene) -> str:
    """Return the height of the page of 16 statements in each window, as a sentence."""
    heights = []
    for name, (width, height) in WINDOWS.items():
        page = browser.new_page(viewport={"width": width, "height": height})
        go_to_study(page, address, scene)
        page.locator("#questions").wait_for()
        heights.append(f"{page.evaluate('document.documentElement.scrollHeight'):,} px at {name}")
        page.close()
    return f"A questionnaire of 16 statements with one scale is {', '.join(heights)} high."


def table(rows: Sequence[Sequence[str]]) -> str:
    """Return the rows as a Markdown table."""
    heads = ["study", "window", "page / window", "in sight", "least in sight", "px by mouse", "px by keys"]
    heads += ["pointer", "to Next", "cut words", "marks"]
    lines = [heads, ["---", "---", *["---:"] * (len(heads) - 2)], *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def main(names: Sequence[str]) -> None:
    """Measure the named studies; without names, measure all and update the documentation."""
    with scenes(names) as (address, made), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=list(FLAGS))
        asked = [_questionnaire(browser, address, scene) for scene in made if scene.name == "questionnaire"]
        text = "\n\n".join([table(list(_rows(browser, address, made))), *asked])
        browser.close()
    sys.stdout.write(f"{text}\n")
    if not names:
        page = PAGE.read_text(encoding="utf-8")
        before, after = page.split(BEGIN)[0], page.split(END)[1]
        PAGE.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
