"""The texts stay visible while they are rated, at every width, with and without scripts."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from tests.journeys.axe import check
from tests.journeys.rater.long_page import MANY, PHONE, TEXTS, WORDS
from tests.journeys.rater_steps import arrive, open_a_study

pytestmark = pytest.mark.browser
SEEN = """name => {
  const text = document.querySelector(`[data-text=${name}]`), range = document.createRange();
  range.selectNodeContents(text);
  const bar = document.querySelector(".sheet-bar").getBoundingClientRect().bottom;
  let [top, bottom] = [Math.max(bar, 0), innerHeight];
  for (let box = text.parentElement; box; box = box.parentElement) {
    if (["auto", "scroll"].includes(getComputedStyle(box).overflowY) && box !== document.documentElement) {
      const outer = box.getBoundingClientRect();
      [top, bottom] = [Math.max(top, outer.top), Math.min(bottom, outer.bottom)];
    }
  }
  const lines = [...range.getClientRects()].filter(({ height }) => height > 4);
  return lines.filter((line) => line.top >= top - 1 && line.bottom <= bottom + 1).length / lines.length;
}"""


def seen(page: Page, name: str) -> float:
    """Return the visible share of a response's lines."""
    return float(page.evaluate(SEEN, name)) if page.locator(f"[data-response={name}]").is_visible() else 0


@pytest.mark.parametrize(
    ("look", "share"),
    [
        ({"viewport": {"width": 1280, "height": 800}}, 1),
        pytest.param({"viewport": {"width": 1920, "height": 1080}}, 1, marks=pytest.mark.slow),
        pytest.param({"viewport": {"width": 768, "height": 1024}}, 0.6, marks=pytest.mark.slow),
        (PHONE, 0.4),
        ({"viewport": {"width": 640, "height": 400}}, 0.25),
    ],
    ids=["1280", "1920", "768", "390", "1280 at 200%"],
)
def test_response_of_120_words_stays_visible_while_rated(
    engine: Engine, new_context: Callable[..., BrowserContext], look: dict[str, Any], share: float
) -> None:
    open_a_study(engine, questions=MANY, texts=TEXTS)
    page = new_context(**look).new_page()
    arrive(page)
    for question in range(1, 5):
        for place in (0, 1):
            page.locator(f"#q{question}r{place}-1").focus()
            page.locator(f"#q{question}r{place}-1").scroll_into_view_if_needed()
            expect(page.locator(f"[data-response=r{place}]")).to_be_visible()
            assert seen(page, f"r{place}") >= share
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# The responses that came into view.
NOTE_VIEWS = """() => {
  window.views = [];
  new MutationObserver((changes) => {
    const responses = changes.map(({ target }) => target).filter((one) => one.matches(".in-view[data-response]"));
    window.views.push(...responses.map((one) => one.dataset.response));
  }).observe(document.querySelector(".responses"), { attributeFilter: ["class"], subtree: true });
}"""


def test_touch_layout_shows_response_rated_next(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_a_study(engine, questions=MANY, texts=TEXTS)
    page = new_context(**PHONE).new_page()
    arrive(page)
    expect(page.locator("[data-response=r1]")).to_be_hidden()
    page.locator("label:has(#q1r0-4)").tap()
    expect(page.locator("[data-response=r1]")).to_be_visible()
    expect(page.locator("[data-slot=q1r1]")).to_have_class("slot now")
    # A quarter of a second later the page goes on again.
    page.evaluate(NOTE_VIEWS)
    page.locator("label:has(#q1r0-2)").tap()
    expect(page.locator("[data-slot=q1r1]")).to_have_class("slot now")
    assert page.evaluate("window.views") == ["r0", "r1"]
    expect(page.locator("[data-slot=q1r1] .words").nth(1)).to_have_text("slightly")


# Where an element is in the page, which scrolls to the next question a quarter of a second after a tap.
IN_PAGE = "element => Math.round(element.getBoundingClientRect().top + scrollY)"


def test_tap_on_the_next_row_is_not_lost_to_a_pane_of_another_height(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    """Touching a row shows its response before the finger is lifted; the row must not move away under it."""
    texts = [
        {
            "key": "i",
            "text": "I said nothing. " * 30,
            "responses": {"person": "Short.", "model": " ".join(["word"] * 40)},
        }
    ]
    open_a_study(engine, texts=texts, instructions="Read both.")
    page = new_context(**PHONE).new_page()
    arrive(page)
    for row, shown in (("q1r0", "1"), ("q1r1", "1"), ("q1r0", "situation")):
        page.locator("[data-show=all]").check()
        page.locator(f"[data-show='{shown}']").check()
        expect(page.locator(".situation-copy")).to_be_visible(visible=shown == "situation")
        before = page.locator("[data-slot=q1r1]").evaluate(IN_PAGE)
        page.locator(f"label:has(#{row}-3)").tap()
        expect(page.locator(f"#{row}-3")).to_be_checked(timeout=2_000)
        assert page.locator("[data-slot=q1r1]").evaluate(IN_PAGE) == before
    # A response that is chosen right after a tap stays, though the page would go on to the next question.
    page.locator("label:has(#q1r0-2)").tap()
    page.locator("[data-show='2']").evaluate("radio => radio.click()")
    page.wait_for_timeout(400)
    expect(page.locator("[data-show='2']")).to_be_checked()
    expect(page.locator("#save-state")).to_have_text("Saved")
    page.set_viewport_size({"width": 320, "height": 640})
    assert page.locator(".sheet-bar").evaluate("bar => bar.offsetHeight") < 54, "a bar of one line"


def test_response_switch_works_without_scripts(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_a_study(engine, texts=TEXTS)
    page = new_context(java_script_enabled=False, viewport={"width": 390, "height": 844}).new_page()
    arrive(page)
    expect(page.locator("[data-response=r1]")).to_be_hidden()
    page.get_by_role("radio", name="Response B", exact=True).first.check()
    expect(page.locator("[data-response=r1]")).to_be_visible()
    expect(page.locator("[data-response=r0]")).to_be_hidden()


def test_long_responses_switch_with_the_rating(engine: Engine, page: Page) -> None:
    """Two thousand words beside five: the short response takes its own room, so the situation stays in sight."""
    responses = {"person": "I am so sorry, truly.", "model": " ".join(["word"] * 2000)}
    image = {"image": "face.png", "image_alt": "A face"}
    open_a_study(engine, texts=[{"key": "i", "text": "Hm", "responses": responses, **image}])
    arrive(page)
    expect(page.locator("[data-response=r1]")).to_be_hidden()
    assert page.get_by_role("img", name="A face").evaluate("image => image.naturalWidth") == 120
    of_short = page.locator(".response", has_text="truly").get_attribute("data-response")
    page.locator(f"#q1{of_short}-2").check()
    short = page.locator(f"[data-response={of_short}]")
    expect(short).to_be_visible()
    assert short.evaluate("response => response.offsetHeight") < 120
    expect(page.get_by_text("Hm", exact=True)).to_be_in_viewport()
    expect(page.locator(".is-cut")).to_have_count(0)
    page.locator(f"#q1{'r0' if of_short == 'r1' else 'r1'}-2").check()
    expect(short).to_be_hidden()
    expect(page.locator(".is-cut")).to_have_count(1)
    page.locator("#texts").evaluate("texts => texts.scrollTo(0, texts.scrollHeight)")
    expect(page.locator(".is-cut")).to_have_count(0)
    page.locator("#texts").evaluate("texts => texts.scrollTo(0, 0)")
    page.locator(".switch").get_by_text("Both").click()
    page.locator("#q1r0-2").check()
    expect(page.locator("[data-response=r0]")).to_be_visible()
    expect(page.locator("[data-response=r1]")).to_be_visible()
    check(page)


def test_every_question_shows_120_words_in_paragraphs(engine: Engine, page: Page) -> None:
    """To the last one, where the page ends and the pane of the texts is pushed up behind the bar."""
    words = WORDS.split()
    text = "\n\n".join(" ".join(words[n : n + 20]) for n in range(0, 120, 20))
    texts = [{**TEXTS[0], "responses": {"person": text, "model": text}}]
    open_a_study(engine, questions=MANY, texts=texts)
    arrive(page)
    for name in ("r0", "r1"):
        for row in page.locator(f".slot[data-of={name}]").all():
            row.locator("label.point").first.scroll_into_view_if_needed()
            row.locator("label.point").first.click()
            assert page.evaluate(SEEN, name) == 1


def test_toggle_of_the_situation_is_large_enough_for_a_finger(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    open_a_study(engine, n_items=1)
    page = new_context(**PHONE).new_page()
    arrive(page)
    toggle = page.locator(".situation summary")
    box = toggle.bounding_box()
    assert box
    assert box["height"] >= 44
    toggle.tap()
    expect(page.get_by_text("The situation of item-0")).to_be_hidden()


@pytest.mark.parametrize("width", [390, 700])
def test_open_keys_leave_the_switch_between_responses_free(
    engine: Engine, new_context: Callable[..., BrowserContext], width: int
) -> None:
    """In a narrow window with a mouse, where the keys are offered."""
    open_a_study(engine, questions=MANY, texts=TEXTS)
    page = new_context(viewport={"width": width, "height": 844}).new_page()
    arrive(page)
    page.evaluate("scrollTo(0, 600)")
    page.keyboard.press("?")
    expect(page.locator("#keys-help .bar-panel")).to_be_in_viewport()
    page.locator(".switch-option").nth(1).click(timeout=3000)
    expect(page.locator(".switch-option input").nth(1)).to_be_checked()
