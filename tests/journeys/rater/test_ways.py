"""Rating without scripts, by touch, in two tabs, with double clicks, and with the browser's back button."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from tests.journeys.rater_steps import all_is_well, arrive, open_a_study
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.database import rows

pytestmark = pytest.mark.browser
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
SLIDER = {"key": "warm", "target": "response", "type": "slider", "text": "How warm?", "cannot_judge": True}


def tick(page: Page, *ids: str) -> None:
    for name in ids:
        page.locator(f"#{name}").check()


N_PAIRS = 12
ALL = ("q0-1", "q1r0-4", "q2r0-5", "q1r1-2", "q2r1-1")


def test_pairs_can_be_rated_without_scripts(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_a_study(engine, n_items=N_PAIRS)
    page = new_context(java_script_enabled=False).new_page()
    arrive(page)
    expect(page.locator("kbd").first).to_be_hidden()
    tick(page, *ALL[:4])
    page.locator("#next").click()
    expect(page).to_have_title(re.compile(f"^Error: Item 1 of {N_PAIRS}"))
    expect(page.locator("#summary")).to_be_focused()
    assert page.locator(".asks :checked").count() == 4
    page.get_by_role("link", name="Response B: How empathetic is it?").click()
    assert page.url.endswith("#q2r1-1")
    tick(page, ALL[4])
    page.locator("#next").click()
    for n in range(2, N_PAIRS + 1):
        expect(page.locator("h1")).to_have_text(f"Item {n} of {N_PAIRS}")
        tick(page, *ALL)
        page.locator("#next").click()
    expect(page.locator("#completion-code")).to_have_text("C0DE42")
    assert all_is_well(engine, N_PAIRS, 5)


def test_slider_without_scripts_is_a_number_field(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_a_study(engine, n_items=1, questions=[SLIDER])
    page = new_context(java_script_enabled=False).new_page()
    arrive(page)
    page.locator("#q0r0-1").fill("70")
    page.locator("#q0r1-cannot").check()
    page.locator("#next").click()
    expect(page.locator("h1")).to_have_text("You have finished. Thank you.")
    assert rows(engine, "SELECT number, outcome FROM ratings ORDER BY number") == [(70.0, None), (None, "cannot_judge")]


def test_slider_has_no_handle_until_touched(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=1, questions=[SLIDER])
    arrive(page)
    slider = page.locator("[data-slot=q0r0] input[type=range]")
    expect(slider).to_have_class("untouched")
    expect(slider).to_have_attribute("aria-valuetext", "No answer yet")
    page.locator("#next").click()
    expect(page.locator("#summary")).to_be_focused()
    page.locator("[data-slot=q0r0] input[type=range]").click()
    expect(page.locator("#q0r0-1")).to_have_value("50")
    expect(page.locator("[data-slot=q0r0] input[type=range]")).not_to_have_class("untouched")
    page.locator("[data-slot=q0r1] input[type=range]").press("ArrowRight")
    expect(page.locator("#q0r1-1")).to_have_value("50")
    page.locator("[data-slot=q0r1] input[type=range]").press("ArrowRight")
    expect(page.locator("#q0r1-1")).to_have_value("51")
    page.locator("#q0r1-cannot").check()
    expect(page.locator("#q0r1-1")).to_have_value("")
    page.locator("#next").click()
    expect(page.locator("h1")).to_have_text("You have finished. Thank you.")
    assert rows(engine, "SELECT number, outcome FROM ratings ORDER BY number") == [(50.0, None), (None, "cannot_judge")]


@pytest.mark.parametrize(("least", "most", "middle"), [(0, 10, "5"), (-50, 50, "0"), (200, 400, "300")])
def test_first_key_on_a_slider_gives_its_middle(engine: Engine, page: Page, least: int, most: int, middle: str) -> None:
    open_a_study(engine, n_items=1, questions=[SLIDER | {"min": least, "max": most}])
    arrive(page)
    slider, number = page.locator("[data-slot=q0r0] input[type=range]"), page.locator("#q0r0-1")
    slider.press("ArrowRight")
    expect(number).to_have_value(middle, timeout=5_000)
    slider.press("End")
    expect(number).to_have_value(f"{most}")
    page.locator("#q0r0-cannot").check()
    slider.press("ArrowRight")
    expect(number).to_have_value(middle, timeout=5_000)


def test_tap_in_the_middle_of_a_slider_is_an_answer(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_a_study(engine, n_items=1, questions=[SLIDER | {"min": 0, "max": 4}])
    page = new_context(**PHONE).new_page()
    arrive(page)
    for row in page.locator("[data-slot]").all():
        row.locator("input[type=range]").tap()
        expect(row.locator("input[type=number]")).to_have_value("2", timeout=5_000)
    page.locator("#next").tap()
    page.wait_for_url("**/done*")
    assert rows(engine, "SELECT number FROM ratings") == [(2.0,), (2.0,)]


def test_pairs_by_touch_on_phone(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_a_study(engine, n_items=N_PAIRS)
    page = new_context(**PHONE).new_page()
    page.goto("/s/study?participant=anna")
    page.get_by_role("button", name="Begin").tap()
    for n in range(1, N_PAIRS + 1):
        expect(page.locator("h1")).to_have_text(f"Item {n} of {N_PAIRS}")
        expect(page.locator("[data-response=r0]")).to_be_visible()
        expect(page.locator("[data-response=r1]")).to_be_hidden()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        for name in ALL:
            page.locator(f"label:has(#{name})").tap()
        page.locator("#next").tap()
    expect(page.locator("#completion-code")).to_be_visible()
    assert all_is_well(engine, N_PAIRS, 5)


STAND = """async () => {
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  scrollTo({ top: 300, behavior: "smooth" });
  while (scrollY < 20) await pause(5);
  document.querySelector("#next").dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  // What is drawn may be some frames ahead of what scripts know.
  await pause(100);
  const held = scrollY;
  await pause(700);
  return [held, scrollY];
}"""


def test_page_that_goes_on_to_the_next_question_stands_still_under_a_finger(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    """A tap that met a moving page was lost, or would have met another answer."""
    open_a_study(engine, questions=[PREFERENCE, EMPATHY, SLIDER])
    page = new_context(**PHONE).new_page()
    arrive(page)
    held, then = page.evaluate(STAND)
    assert held == then < 300


def test_touch_targets_are_44_pixels_high(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    open_a_study(engine, questions=[PREFERENCE, EMPATHY, SLIDER])
    page = new_context(**PHONE).new_page()
    arrive(page)
    page.get_by_text("Report a problem with this item").click()
    for target in page.locator(".point, button, a.button, input[type=range], input[type=number]").all():
        box = target.bounding_box()
        height = box["height"] if box else 0
        assert height == 0 or height >= 44, target.evaluate("node => node.outerHTML")
    assert page.get_by_role("button", name="Send report").evaluate("node => node.offsetHeight") >= 44


@pytest.mark.parametrize("width", [320, 640])
def test_page_reflows_without_horizontal_scrolling(
    engine: Engine, new_context: Callable[..., BrowserContext], width: int
) -> None:
    long_word = "Donaudampfschifffahrtsgesellschaft" * 5
    texts = [{"key": "i", "text": long_word, "responses": {"person": long_word, "model": "short"}}]
    open_a_study(engine, texts=texts)
    page = new_context(viewport={"width": width, "height": 400}).new_page()
    arrive(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_wide_screen_shows_responses_side_by_side_at_equal_width(engine: Engine, page: Page) -> None:
    texts = [{"key": "i", "text": "Hm", "responses": {"person": "word " * 200, "model": "short"}}]
    open_a_study(engine, texts=texts)
    arrive(page)
    a, b = (page.locator(f"section[aria-labelledby=response-{side}]").bounding_box() for side in (1, 2))
    assert a
    assert b
    assert abs(a["width"] - b["width"]) < 1
    assert a["y"] == b["y"]
    upper, lower = (page.locator(f"#q1r{place}-1").bounding_box() for place in (0, 1))
    assert upper
    assert lower
    assert upper["x"] == lower["x"]


def test_double_click_on_next_rates_one_item(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=3)
    arrive(page)
    tick(page, *ALL)
    page.locator("#next").dblclick()
    expect(page.locator("h1")).to_have_text("Item 2 of 3")
    assert rows(engine, "SELECT state FROM assignments ORDER BY position") == [("done",), ("leased",), ("planned",)]
    assert rows(engine, "SELECT count(*), (SELECT count(*) FROM rating_history) FROM ratings") == [(5, 0)]


def test_second_half_of_a_slow_double_click_does_not_submit_the_next_item(engine: Engine, page: Page) -> None:
    """It said "Please check 5 answers" on an item that nobody had seen yet."""
    open_a_study(engine, n_items=3)
    arrive(page)
    taken: list[int] = []
    page.on("response", lambda answer: taken.append(answer.status) if re.search(r"/rate/[^/]+$", answer.url) else None)
    for item in (1, 2):
        tick(page, *ALL)
        page.locator("#next").click()
        expect(page.locator("h1")).to_have_text(f"Item {item + 1} of 3")
        page.mouse.down(click_count=2)
        page.mouse.up(click_count=2)
    tick(page, *ALL)
    page.locator("#next").click()
    expect(page.locator("h1")).to_have_text("You have finished. Thank you.")
    assert [status for status in taken if status >= 400] == []


def test_later_of_two_tab_submits_wins_and_earlier_is_kept(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    open_a_study(engine, n_items=2)
    context = new_context()
    first, second = context.new_page(), context.new_page()
    arrive(first)
    second.goto("/s/study")
    for page, choice in ((first, "q0-1"), (second, "q0-2")):
        tick(page, choice, *ALL[1:])
        page.locator("#next").click()
        expect(page.locator("h1")).to_have_text("Item 2 of 2")
    final = "SELECT r.side, h.side FROM ratings r JOIN rating_history h ON h.rating_id = r.id"
    assert rows(engine, final) == [("right", "left")]
    assert rows(engine, "SELECT count(*) FROM ratings") == [(5,)]


def test_back_button_shows_previous_item_with_answers(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=3)
    arrive(page)
    for n in (2, 3):
        tick(page, *ALL)
        page.locator("#next").click()
        expect(page.locator("h1")).to_have_text(f"Item {n} of 3")
    page.go_back()
    expect(page.locator("h1")).to_have_text("Item 2 of 3")
    expect(page.locator("#q2r1-1")).to_be_checked()
    tick(page, "q2r1-5")
    expect(page.locator("#save-state")).to_have_text("Saved")
    page.go_forward()
    expect(page.locator("h1")).to_have_text("Item 3 of 3")
    changed = "SELECT r.number, h.number FROM ratings r JOIN rating_history h ON h.rating_id = r.id"
    assert rows(engine, changed) == [(5.0, 1.0)]


def test_prolific_rater_is_redirected_unless_they_stay(engine: Engine, page: Page) -> None:
    open_a_study(engine, n_items=1)
    arrive(page, by="PROLIFIC_PID")
    tick(page, *ALL)
    page.route("https://app.prolific.com/**", lambda route: route.fulfill(body="back at Prolific"))
    page.locator("#next").click()
    expect(page.locator("#completion-link")).to_have_attribute(
        "href", "https://app.prolific.com/submissions/complete?cc=C0DE42"
    )
    expect(page.locator("[data-redirect]")).to_be_visible()
    page.get_by_role("button", name="Stay on this page").click()
    expect(page.locator("[data-redirect]")).to_have_count(0)
    page.reload()
    page.wait_for_url("https://app.prolific.com/submissions/complete?cc=C0DE42")
