"""Scales of many points: at every width a cell is as large as a finger, by mouse, touch and keys."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from tests.journeys.axe import check
from tests.journeys.rater_steps import arrive, open_a_study

pytestmark = pytest.mark.browser
TARGET = 44


def of_points(n: int, *, cannot_judge: bool = False) -> dict[str, object]:
    """A question about each response with so many points, from 0 on; only the ends have words."""
    words = {0: "Not at all", **dict.fromkeys(range(1, n - 1), ""), n - 1: "Completely"}
    text = f"How warm is it, with {n} points?"
    return {"key": f"n{n}", "target": "response", "type": "rating", "text": text, "scale": words} | (
        {"cannot_judge": True} if cannot_judge else {}
    )


QUESTIONS = [of_points(n, cannot_judge=n in {7, 11}) for n in (5, 6, 7, 8, 9, 10, 11, 12, 15)]
SIZES = """() => [...document.querySelectorAll(".asks label.point")].map(point => {
  const { width, height } = point.getBoundingClientRect();
  return [point.querySelector("input").name, width, height];
})"""


def rows_of(page: Page, question: int) -> list[int]:
    """How many points of the first response stand in each row."""
    tops = page.evaluate(
        "name => [...document.getElementsByName(name)].filter(input => input.value !== 'cannot_judge')"
        ".map(input => Math.round(input.getBoundingClientRect().top))",
        f"q{question}r0",
    )
    return [tops.count(top) for top in sorted(set(tops))]


def test_scale_cells_are_large_enough_to_touch(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_a_study(engine, questions=QUESTIONS)
    page = new_context().new_page()
    arrive(page)
    for width in (1280, 1200, 768, 500, 390, 360, 320):
        page.set_viewport_size({"width": width, "height": 800})
        page.reload()
        small = [size for size in page.evaluate(SIZES) if min(size[1:]) < TARGET - 0.5]
        assert small == [], width
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert rows_of(page, 0) == [5], width


def test_eleven_points_use_two_rows_only_on_phone(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_a_study(engine, questions=[of_points(7), of_points(11)])
    desk, phone = (new_context(viewport={"width": width, "height": 800}).new_page() for width in (1280, 390))
    arrive(desk)
    assert [rows_of(desk, n) for n in (0, 1)] == [[7], [11]]
    arrive(phone, "ben")
    assert [rows_of(phone, n) for n in (0, 1)] == [[7], [6, 5]]
    check(phone)


def test_arrows_continue_in_second_row_and_points_are_named(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    open_a_study(engine, questions=[of_points(11)])
    page = new_context(viewport={"width": 320, "height": 640}).new_page()
    arrive(page)
    group = page.get_by_role("group", name="Response A: How warm is it, with 11 points?")
    group.get_by_role("radio", name="5", exact=True).check()
    page.keyboard.press("ArrowRight")
    expect(group.get_by_role("radio", name="6", exact=True)).to_be_checked()
    page.keyboard.press("ArrowDown")
    expect(group.get_by_role("radio", name="7", exact=True)).to_be_checked()
    expect(group.get_by_role("radio", name="Completely")).to_have_count(1)
    check(page)


def test_long_scale_has_same_labels_on_phone_as_on_desktop(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    words = [f"Level {n} of how warm a reply is"[:30] for n in range(1, 12)]
    worded = of_points(11) | {"key": "words", "scale": dict(enumerate(words))}
    open_a_study(engine, questions=[of_points(11), worded, worded | {"key": "ends", "labels_shown": "ends"}])
    page = new_context(viewport={"width": 390, "height": 800}).new_page()
    arrive(page)
    shown = (
        "[...document.querySelectorAll('.head')].filter(head => head.offsetParent)"
        ".map(head => getComputedStyle(head, '::before').content.replaceAll('\"', '') + head.textContent)"
    )
    listed = [f"{n} {label}" for n, label in enumerate(words, 1)]
    assert page.evaluate(shown) == ["0 Not at all", "10 Completely", *listed, f"0 {words[0]}", f"10 {words[-1]}"]
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.set_viewport_size({"width": 1280, "height": 800})
    desktop = page.evaluate(
        "[...document.querySelectorAll('.head')].filter(head => head.offsetParent && head.textContent).length"
    )
    assert desktop == 2 + 11 + 2
