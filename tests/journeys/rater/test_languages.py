"""A complete study in Arabic by keyboard, on a wide screen and on a phone, and one in German."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from tests.journeys.axe import LIGHT, OF_COLOURS, PHONE, Look, check, check_in
from tests.journeys.rater_steps import open_a_study
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.database import rows

pytestmark = pytest.mark.browser
ON_DESK = (LIGHT, Look("dark", scheme="dark", rules=OF_COLOURS))
ON_PHONE = (
    Look("phone", size=PHONE),
    Look("dark phone", size=PHONE, scheme="dark", rules=OF_COLOURS),
)
QUESTIONS = [
    {**PREFERENCE, "text": "أي الردين أفضل؟", "strength": True, "neither": True},
    {
        **EMPATHY,
        "text": "ما مدى التعاطف في هذا الرد؟",
        "scale": {1: "معدوم", 2: "قليل", 3: "متوسط", 4: "كبير", 5: "كبير جدًا"},
    },
    {
        "key": "close",
        "target": "item",
        "type": "slider",
        "text": "ما مدى قرب الموقف منك؟",
        "min": 0,
        "max": 10,
        "min_words": "بعيد",
        "max_words": "قريب",
    },
    {"key": "why", "target": "item", "type": "text", "text": "لماذا؟"},
    {"key": "age", "target": "rater", "type": "slider", "text": "كم عمرك؟", "min": 18, "max": 99},
]
SLIDER = {"key": "much", "target": "item", "type": "slider", "text": "كم؟", "min": 0, "max": 10}
TEXTS = [
    {
        "key": f"i{n}",
        "text": "فقدت وظيفتي أمس، ولا أعرف كيف أخبر عائلتي.\nI do not know what to say (really).",
        "content_note": "فقدان العمل",
        "profile": "سلمى، 34 عامًا",
        "responses": {"person": "يؤسفني ذلك. كيف تشعرين الآن؟", "model": "Das tut mir leid. هل تريدين أن نتحدث؟"},
    }
    for n in range(2)
]
ARABIC: dict[str, Any] = {
    "language": "ar",
    "title": "الردود على رسائل كُتبت ليلًا",
    "instructions": "اقرأ الموقف ثم **الردين**.",
    "questions": QUESTIONS,
    "texts": TEXTS,
    "flow": {
        "consent": {"version": "1", "text": "المشاركة طوعية."},
        "debrief": {"text": "شكرًا.", "show_sources": True},
        "help": "تحدّث مع شخص تثق به.",
        "skip_reasons": ["لا أريد قراءة هذا"],
    },
}
CHOSEN = """
    SELECT side, chosen_response_id = right_response_id, strength FROM ratings
    WHERE outcome = 'response' ORDER BY position
"""


def left_of(page: Page, selector: str) -> float:
    box = page.locator(selector).bounding_box()
    assert box
    return box["x"]


def agree_and_begin(page: Page, looks: tuple[Look, ...]) -> None:
    """Open the link, agree and begin, by keyboard."""
    page.goto("/s/study?participant=anna")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    at(page, looks, "الردود على رسائل كُتبت ليلًا")
    page.get_by_role("button", name="أوافق وأرغب في المشاركة").press("Enter")
    page.get_by_text("ستقيّم بندين، كل بند في صفحة").wait_for()
    at(page, looks, "الردود على رسائل كُتبت ليلًا")
    page.get_by_role("button", name="بدء").press("Enter")
    at(page, looks, "البند 1 من 2")


@pytest.mark.parametrize("looks", [pytest.param(ON_DESK, marks=pytest.mark.slow), ON_PHONE], ids=["desk", "phone"])
def test_arabic_study_by_keyboard(
    engine: Engine, new_context: Callable[..., BrowserContext], looks: tuple[Look, ...]
) -> None:
    open_a_study(engine, **ARABIC)
    page = new_context(viewport=looks[0].size).new_page()
    agree_and_begin(page, looks)
    if looks == ON_DESK:
        assert left_of(page, "#response-1") > left_of(page, "#response-2")
    page.keyboard.press("Enter")
    expect(page.locator("#save-state")).to_have_text("الإجابات الناقصة: 4")
    page.locator("#next").click()
    expect(page.locator("#summary")).to_be_focused()
    expect(page.locator("#summary h2")).to_have_text("يُرجى مراجعة 4 إجابات")
    at(page, looks, "البند 1 من 2")
    page.locator("#item-heading").focus()
    for key in "a2":
        page.keyboard.press(key)
    expect(page.locator('[name="q0"]:checked')).to_have_value("right")
    for key in "51":
        page.keyboard.press(key)
    page.keyboard.type("7")
    page.locator("textarea").first.fill("لأن الرد الأول أصدق.")
    expect(page.locator("#save-state")).to_have_text("حُفظ")
    # A point that the bar at the top half covers would count as a small target.
    page.evaluate("scrollTo(0, 0)")
    check_in(looks, page)
    page.locator("#next").press("Enter")
    at(page, looks, "البند 2 من 2")
    for key in "b351":
        page.keyboard.press(key)
    page.keyboard.type("2")
    page.locator("textarea").first.fill("لا شيء")
    page.locator("#next").press("Enter")
    at(page, looks, "عنك")
    page.locator("input[type=number]").fill("44")
    page.locator("#next").press("Enter")
    at(page, looks, "موضوع هذه الدراسة")
    page.get_by_role("button", name="إنهاء").press("Enter")
    at(page, looks, "لقد انتهيت. شكرًا لك.")
    assert rows(engine, CHOSEN) == [("right", True, 2), ("left", False, 3)]


def at(page: Page, looks: tuple[Look, ...], heading: str) -> None:
    """Check that the page has this heading, and in all looks no violations and no horizontal scrolling."""
    expect(page.locator("h1")).to_contain_text(heading)
    check_in(looks, page)


def test_left_arrow_follows_reading_direction(engine: Engine, page: Page) -> None:
    open_a_study(engine, language="ar")
    page.goto("/s/study?participant=anna")
    page.get_by_role("button", name="بدء").click()
    page.locator("#q0-1").focus()
    page.keyboard.press("Space")
    assert left_of(page, "label:has(#q0-1)") > left_of(page, "label:has(#q0-2)")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("#q0-2")).to_be_checked()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#q0-1")).to_be_checked()
    page.keyboard.press("ArrowDown")
    expect(page.locator("#q0-2")).to_be_checked()


def test_right_to_left_slider_works_with_arrows_and_pointer(engine: Engine, page: Page) -> None:
    open_a_study(engine, language="ar", questions=[SLIDER], design={"trials": "single"})
    page.goto("/s/study?participant=anna")
    page.get_by_role("button", name="بدء").click()
    slider = page.locator("input[type=range]")
    expect(slider).to_be_visible()
    page.wait_for_load_state("load")
    box = slider.bounding_box()
    assert box
    assert left_of(page, ".slider-words span:first-child") > left_of(page, ".slider-words span:last-child")
    slider.click(position={"x": box["width"] - 2, "y": box["height"] / 2})
    expect(page.locator("input[type=number]")).to_have_value("0")
    page.keyboard.press("ArrowLeft")
    expect(page.locator("input[type=number]")).to_have_value("1")
    slider.click(position={"x": 2, "y": box["height"] / 2})
    expect(page.locator("input[type=number]")).to_have_value("10")


def test_shortcuts_use_key_positions_on_other_keyboard_layouts(engine: Engine, page: Page) -> None:
    open_a_study(engine, language="ar")
    page.goto("/s/study?participant=anna")
    page.get_by_role("button", name="بدء").click()
    page.locator("#item-heading").focus()
    page.wait_for_load_state("load")
    for key, code in (("ش", "KeyA"), ("٤", "Digit4"), ("ä", "Quote")):
        event = {"key": key, "code": code, "bubbles": True}
        page.evaluate("event => document.activeElement.dispatchEvent(new KeyboardEvent('keydown', event))", event)
    expect(page.locator('[name="q0"]:checked')).to_have_value("right")
    expect(page.locator(".question-rating [type=radio]:checked")).to_have_value("4")


def test_german_study_counts_and_saves_in_german(engine: Engine, page: Page) -> None:
    """From the link to the last page, with forced colours and reduced motion."""
    page.emulate_media(forced_colors="active", reduced_motion="reduce")
    open_a_study(engine, language="de", n_items=1)
    page.goto("/s/study?participant=anna")
    page.get_by_role("button", name="Beginnen").click()
    expect(page).to_have_title(re.compile(r"^Aufgabe 1 von 1"))
    page.keyboard.press("a")
    expect(page.locator("#save-state")).to_have_text("Gespeichert")
    page.locator("#next").click()
    expect(page).to_have_title(re.compile(r"^Fehler: Aufgabe 1 von 1"))
    expect(page.locator("#summary h2")).to_have_text("Bitte prüfen Sie 4 Angaben")
    check(page)
    page.locator("#item-heading").focus()
    for key in "3333":
        page.keyboard.press(key)
    page.locator("#next").press("Enter")
    expect(page.locator("h1")).to_have_text("Sie sind fertig. Vielen Dank.")
    check(page)
    stored = "SELECT question, number, side FROM ratings ORDER BY question, side"
    rated = [(question, 3, side) for question in ("empathy", "quality") for side in ("left", "right")]
    assert rows(engine, stored) == [rated[0], rated[1], ("preference", None, "left"), rated[2], rated[3]]
