"""The texts stay visible while they are rated, at every width, with and without scripts; keys reach every option."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from tests.builder import EMPATHY, PREFERENCE
from tests.journeys.axe import check
from tests.journeys.rater_steps import arrive, eventually, open_a_study, rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import BrowserContext, Page
    from sqlalchemy import Engine

pytestmark = pytest.mark.browser
# 24 words of average length, five times
WORDS = " ".join(
    ["I can hear how tired you are after this week, and it makes sense that the quiet flat feels so heavy to you now."]
    * 5
)
TEXTS = [{"key": "i", "text": "It is quiet here. " * 12, "responses": {"person": WORDS, "model": WORDS}}]
MANY = [
    PREFERENCE,
    *({**EMPATHY, "key": f"empathy-{n}", "text": f"How empathetic is it, number {n}?"} for n in range(4)),
]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
DOES = {
    "key": "does",
    "target": "response",
    "type": "category",
    "text": "What does it do?",
    "multiple": True,
    "codes": {
        "asks": "Asks about the feeling",
        "tells": "Tells of itself",
        "solves": "Solves the problem",
        "none": "None of these",
    },
    "exclusive": ["none"],
}
WARM = {"key": "warm", "target": "response", "type": "slider", "text": "How warm?", "min_words": "-", "max_words": "+"}
SEEN = """name => {
  const text = document.querySelector(`[data-text=${name}]`), range = document.createRange();
  range.selectNodeContents(text);
  const bar = document.querySelector(".sheet-bar").getBoundingClientRect().bottom;
  let [top, bottom] = [bar, innerHeight];
  for (let box = text.parentElement; box; box = box.parentElement) {
    if (["auto", "scroll"].includes(getComputedStyle(box).overflowY) && box !== document.documentElement) {
      const outer = box.getBoundingClientRect();
      [top, bottom] = [Math.max(top, outer.top), Math.min(bottom, outer.bottom)];
    }
  }
  const lines = [...range.getClientRects()].filter(({ height }) => height > 4);
  return lines.filter((line) => line.top >= top - 1 && line.bottom <= bottom + 1).length / lines.length;
}"""

# Words in option labels that are broken across lines.
BROKEN = """() => [...document.querySelectorAll(".point .words")].flatMap((element) => {
  const node = element.firstChild, range = document.createRange();
  if (!node || element.getBoundingClientRect().width < 2) return [];
  return [...node.data.matchAll(/[^ ]+/g)].filter(({ 0: word, index }) => {
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1;
  }).map(({ 0: word }) => word);
})"""


def seen(page: Page, name: str) -> float:
    """Return the visible share of a response's lines."""
    return float(page.evaluate(SEEN, name)) if page.locator(f"[data-response={name}]").is_visible() else 0


@pytest.mark.parametrize(
    ("look", "share"),
    [
        ({"viewport": {"width": 1280, "height": 800}}, 1),
        ({"viewport": {"width": 1920, "height": 1080}}, 1),
        ({"viewport": {"width": 768, "height": 1024}}, 0.6),
        (PHONE, 0.4),
    ],
    ids=["1280", "1920", "768", "390"],
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


def test_touch_layout_shows_response_rated_next(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_a_study(engine, questions=MANY, texts=TEXTS)
    page = new_context(**PHONE).new_page()
    arrive(page)
    expect(page.locator("[data-response=r1]")).to_be_hidden()
    page.locator("label:has(#q1r0-4)").tap()
    expect(page.locator("[data-response=r1]")).to_be_visible()
    expect(page.locator("[data-slot=q1r1]")).to_have_class("slot now")
    page.locator("label:has(#q1r1-2)").tap()
    expect(page.locator("[data-response=r0]")).to_be_visible()
    expect(page.locator("[data-slot=q1r1] .words").nth(1)).to_have_text("slightly")


def test_tap_on_the_next_row_is_not_lost_to_a_pane_of_another_height(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    """Touching a row shows its response before the finger is lifted; the row must not move away under it."""
    texts = [{"key": "i", "text": "Hm", "responses": {"person": "Short.", "model": " ".join(["word"] * 40)}}]
    open_a_study(engine, texts=texts)
    page = new_context(**PHONE).new_page()
    arrive(page)
    for row in ("q1r0", "q1r1"):
        page.locator("[data-show=all]").check()
        page.locator("[data-show='1']").check()
        before = page.locator("[data-slot=q1r1]").bounding_box()
        page.locator(f"label:has(#{row}-3)").tap()
        expect(page.locator(f"#{row}-3")).to_be_checked(timeout=2_000)
        assert page.locator("[data-slot=q1r1]").bounding_box() == before


def test_response_switch_works_without_scripts(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_a_study(engine, texts=TEXTS)
    page = new_context(java_script_enabled=False, viewport={"width": 390, "height": 844}).new_page()
    arrive(page)
    expect(page.locator("[data-response=r1]")).to_be_hidden()
    page.get_by_role("radio", name="Response B", exact=True).first.check()
    expect(page.locator("[data-response=r1]")).to_be_visible()
    expect(page.locator("[data-response=r0]")).to_be_hidden()


def test_long_responses_switch_with_the_rating(engine: Engine, page: Page) -> None:
    long = " ".join(["word"] * 600)
    open_a_study(engine, texts=[{"key": "i", "text": "Hm", "responses": {"person": long, "model": long}}])
    arrive(page)
    expect(page.locator("[data-response=r1]")).to_be_hidden()
    page.locator("#q1r1-2").check()
    expect(page.locator("[data-response=r1]")).to_be_visible()
    page.locator(".switch").get_by_text("Both").click()
    page.locator("#q1r0-2").check()
    expect(page.locator("[data-response=r0]")).to_be_visible()
    expect(page.locator("[data-response=r1]")).to_be_visible()
    check(page)


@pytest.mark.parametrize("width", [320, 390])
def test_messages_and_help_fit_the_window_width(
    engine: Engine, new_context: Callable[..., BrowserContext], width: int
) -> None:
    open_a_study(engine)
    page = new_context(viewport={"width": width, "height": 700}).new_page()
    arrive(page)
    page.locator("#keys-help summary").click()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.keyboard.press("Escape")
    for name in ("q0-1", "q1r0-4", "q2r0-5", "q1r1-2", "q2r1-1"):
        page.locator(f"#{name}").check()
    page.context.set_offline(True)
    page.locator("#next").click()
    expect(page.locator("#save-state")).to_contain_text("No connection.")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.context.set_offline(False)
    expect(page.locator("h1")).to_have_text("Item 2 of 3")


@pytest.mark.parametrize("width", [320, 390])
def test_option_labels_break_only_between_words(
    engine: Engine, new_context: Callable[..., BrowserContext], width: int
) -> None:
    scale = {1: "Very poor", 2: "Poor", 3: "Fair", 4: "Good", 5: "Very good"}
    column = {**EMPATHY, "key": "column", "orientation": "column", "scale": scale}
    open_a_study(engine, questions=[{**PREFERENCE, "strength": True, "neither": True}, column], texts=TEXTS)
    page = new_context(viewport={"width": width, "height": 700}).new_page()
    arrive(page)
    assert page.evaluate(BROKEN) == []
    above, below = (page.locator(f"#q1r0-{n}").bounding_box() for n in (1, 2))
    assert above and below and above["y"] < below["y"] and above["x"] == below["x"], "a column at every width"  # noqa: PT018


def test_next_button_covers_no_radio_on_phone(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_a_study(engine, questions=MANY, texts=TEXTS)
    page = new_context(**PHONE).new_page()
    arrive(page)
    for name in ("q1r0-5", "q2r1-5", "q4r1-5"):
        page.locator(f"#{name}").scroll_into_view_if_needed()
        hit = (
            "id => { const node = document.getElementById(id), { x, y, width, height } = node.getBoundingClientRect();"
            " return node.closest('label').contains(document.elementFromPoint(x + width / 2, y + height / 2)); }"
        )
        assert page.evaluate(hit, name)


def test_current_question_is_marked_in_forced_colours(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    open_a_study(engine)
    page = new_context(forced_colors="active").new_page()
    arrive(page)
    page.locator("#q1r0-1").focus()
    marks = "[...document.querySelectorAll('.question')].map(q => getComputedStyle(q, '::before').content !== 'none')"
    assert page.evaluate(marks) == [False, True, False]
    looks = (
        "[...document.querySelectorAll('[data-slot=q1r0] .row-name, [data-slot=q1r1] .row-name')]"
        ".map(name => getComputedStyle(name).backgroundColor)"
    )
    current, other = page.evaluate(looks)
    assert current != other


def test_an_empty_group_looks_unanswered_also_where_the_focus_is(engine: Engine, page: Page) -> None:
    """Only a chosen option is filled; a slider that was not touched says what to do."""
    open_a_study(engine, questions=[PREFERENCE, EMPATHY, WARM])
    arrive(page)
    fills = "group => [...group.querySelectorAll('.point')].map(point => getComputedStyle(point).backgroundColor)"
    for slot in ("q0", "q1r0"):
        page.locator(f"[data-slot={slot}] input[type=radio]").first.focus()
        assert len(set(page.locator(f"[data-slot={slot}]").evaluate(fills))) == 1
        page.locator(f"[data-slot={slot}] input[type=radio]").first.check()
        assert len(set(page.locator(f"[data-slot={slot}]").evaluate(fills))) == 2
    expect(page.locator("[data-slot=q2r0] .slider-hint")).to_have_text("Click or drag to answer")
    expect(page.locator("[data-slot=q2r0] .slider-hint")).to_be_visible()


def test_multiple_codes_by_keyboard_respect_exclusive_code(engine: Engine, page: Page) -> None:
    open_a_study(engine, questions=[DOES, EMPATHY], design={"trials": "single"})
    arrive(page)
    boxes = page.locator("[data-slot=q0r0] input[type=checkbox]")
    for key in "13":
        page.keyboard.press(key)
    assert [box.is_checked() for box in boxes.all()] == [True, False, True, False]
    page.keyboard.press("4")
    assert [box.is_checked() for box in boxes.all()] == [False, False, False, True]
    page.keyboard.press("2")
    assert [box.is_checked() for box in boxes.all()] == [False, True, False, False]
    page.keyboard.press("Enter")
    expect(page.locator("#q1r0-1")).to_be_focused()


def test_codes_and_cannot_judge_have_visible_shortcuts(engine: Engine, page: Page) -> None:
    letters = {"key": "which", "target": "item", "type": "category", "text": "Which?", "codes": list("ABCD")}
    asks = {"key": "asks", "target": "item", "type": "category", "text": "Does it ask?", "codes": ["No", "Yes"]}
    judge = {**EMPATHY, "target": "item", "cannot_judge": True}
    open_a_study(engine, questions=[letters, asks, judge], design={"trials": "dialogue"})
    arrive(page)
    expect(page.locator("[data-slot=q1] kbd")).to_have_text(["1", "2"])
    for key in "c2c":
        page.keyboard.press(key)
    expect(page.locator("#q0-3")).to_be_checked()
    expect(page.locator("#q1-2")).to_be_checked()
    expect(page.locator("#q2-cannot")).to_be_checked()
    expect(page.locator("#next")).to_be_focused()


def test_digit_shortcut_does_not_skip_highlighting(engine: Engine, page: Page) -> None:
    mark = {"key": "mark", "target": "response", "type": "highlight", "text": "Mark the warm words."}
    texts = [{"key": "i", "text": "Hm", "responses": {"person": "I am so sorry for you."}}]
    open_a_study(engine, n_items=1, questions=[EMPATHY, mark], design={"trials": "single"}, texts=texts)
    arrive(page)
    page.keyboard.press("4")
    expect(page.locator("[data-mark]")).to_be_focused()
    page.evaluate("""() => {
      const node = document.querySelector("[data-text=r0]").firstChild;
      getSelection().setBaseAndExtent(node, 6, node, 11);
    }""")
    page.keyboard.press("m")
    expect(page.locator("q")).to_have_text("so sorry")
    expect(page.locator("#save-state")).to_have_text("Saved")
    assert rows(engine, "SELECT text FROM ratings WHERE question = 'mark'") == [("5-13",)]


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


def test_message_about_a_question_begins_where_the_question_does(engine: Engine, page: Page) -> None:
    open_a_study(engine, questions=[PREFERENCE], n_items=1)
    arrive(page)
    page.locator("#next").click()
    message = page.locator(".error-text strong").bounding_box()
    question = page.locator("legend [dir=auto]").bounding_box()
    assert message
    assert question
    assert message["x"] == pytest.approx(question["x"], abs=1)


def test_strength_cannot_be_chosen_without_a_preference(engine: Engine, page: Page) -> None:
    open_a_study(engine, questions=[{**PREFERENCE, "strength": True}], n_items=2)
    arrive(page)
    strength = page.get_by_role("group", name="How strong is your preference?").get_by_role("radio").first
    expect(strength).to_be_enabled()
    page.keyboard.press("t")
    expect(strength).to_be_disabled()
    expect(page.locator("#next")).to_be_focused()
    page.keyboard.press("a")
    expect(strength).to_be_enabled()
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    expect(page.locator("#item-heading")).to_have_text("Item 2 of 2")
    expect(strength).to_be_enabled()
    assert rows(engine, "SELECT side, strength FROM ratings") == [("left", 2)]


def test_strength_is_gone_once_there_is_no_preference_as_after_a_reload_and_on_the_way_back(
    engine: Engine, page: Page
) -> None:
    question = {**PREFERENCE, "strength": True, "neither": True}
    open_a_study(engine, questions=[question], n_items=2)
    arrive(page)
    strengths = page.get_by_role("group", name="How strong is your preference?").locator(":checked")
    stored = "SELECT side, outcome, strength FROM ratings"

    def is_stored(*row: object) -> Callable[[], bool]:
        return lambda: rows(engine, stored) == [row]

    for other, outcome in (("n", "neither"), ("t", "tie")):
        for key in "a2":
            page.keyboard.press(key)
        eventually(is_stored("left", "response", 2))
        page.keyboard.press(other)
        expect(strengths).to_have_count(0)
        eventually(is_stored(None, outcome, None))
        page.reload()
        expect(page.locator(f"[value={outcome}]")).to_be_checked()
        expect(strengths).to_have_count(0)
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator("#save-state")).to_have_text("Answers still missing: 1")
    page.keyboard.press("2")
    page.keyboard.press("n")
    page.keyboard.press("Enter")
    expect(page.locator("#item-heading")).to_have_text("Item 2 of 2")
    page.keyboard.press("Backspace")
    expect(page.locator("#item-heading")).to_have_text("Item 1 of 2")
    expect(page.locator("[value=neither]")).to_be_checked()
    expect(strengths).to_have_count(0)
    assert rows(engine, stored) == [(None, "neither", None)]


def test_title_changes_with_the_page(engine: Engine, page: Page) -> None:
    open_a_study(engine, questions=[PREFERENCE], n_items=2)
    arrive(page)
    page.evaluate("document.addEventListener('htmx:afterSwap', () => { window.titleWhenSwapped = document.title; })")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator("#item-heading")).to_have_text("Item 2 of 2")
    assert page.evaluate("titleWhenSwapped").startswith("Item 2 of 2")
