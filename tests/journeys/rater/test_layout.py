"""Messages, labels and buttons fit the window, whose title changes with the page; the current question is marked."""

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from tests.journeys.axe import check
from tests.journeys.rater.long_page import MANY, PHONE, TEXTS
from tests.journeys.rater_steps import arrive, open_a_study
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.waiting import until

pytestmark = pytest.mark.browser
WARM = {"key": "warm", "target": "response", "type": "slider", "text": "How warm?", "min_words": "-", "max_words": "+"}
# Words in labels that are broken across lines, but at a hyphen.
BROKEN = """() => [...document.querySelectorAll(".point .words, .head")].flatMap((element) => {
  const node = element.firstChild, range = document.createRange();
  if (!node || element.getBoundingClientRect().width < 2) return [];
  return [...node.data.matchAll(/[^ \\u00ad]+/g)].filter(({ 0: word, index }) => {
    const tops = [...word].map((_, n) => {
      range.setStart(node, index + n);
      range.setEnd(node, index + n + 1);
      return Math.round([...range.getClientRects()].at(-1).top);
    });
    return new Set(tops).size > 1;
  }).map(({ 0: word }) => word);
})"""


# Whether a part of the page is in the window, and nothing lies on it.
UNCOVERED = """part => {
  const { x, y, width, height } = part.getBoundingClientRect();
  return part.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""
# What can be pressed, and words of answers, that are wider than what holds them.
OUTSIDE = """() => [...document.querySelectorAll(".asks :is(button, input, .words)")].filter(part => {
  const inner = part.getBoundingClientRect();
  const outer = part.closest(".point")?.getBoundingClientRect() ?? {left: 0, right: screen.width};
  return inner.width && (inner.left < outer.left - 1 || inner.right > outer.right + 1);
}).map(part => part.id || part.textContent.trim() || part.ariaLabel)"""
# How far each label is from the middle of its point, where both are in columns.
ASIDE = """() => {
  const middle = one => { const { x, width } = one.getBoundingClientRect(); return x + width / 2; };
  const points = [...document.querySelector(".matrix .slot .points").children];
  return new Set(points.map(point => point.offsetTop)).size > 1 ? [] : [...document.querySelectorAll(".matrix .head")]
    .slice(1, -1).map((head, n) => Math.abs(middle(head) - middle(points[n + 1])));
}"""


# Parts of the page whose content is wider than they are.
WIDER = """() => [...document.querySelectorAll(".asks *, .texts *")].filter(one => one.clientWidth > 2
  && getComputedStyle(one).display !== "inline" && one.scrollWidth > one.clientWidth + 1).map(one => one.outerHTML)"""
MARKDOWN = """# First

A [link](https://example.org), <b>HTML</b> and <script>alert(1)</script>.

| Step | Why |
|---|---|
| Call someone | You are not alone |
"""


def test_hard_content_stays_in_the_window(engine: Engine, page: Page) -> None:
    """Eleven points of 30 letters, twenty statements, a word of 60 letters, Markdown with HTML and tables."""
    points = {n: f"{n} Überhaupt nicht einfühlsamer"[:30] for n in range(11)}
    statements = [{**EMPATHY, "key": f"s{n}", "text": f"Statement {n}: the person was heard."} for n in range(20)]
    texts = [{"key": "i", "text": "Donau" * 12, "responses": {"person": MARKDOWN + "\n" + "Dampf" * 12}}]
    eleven = {**EMPATHY, "key": "eleven", "scale": points}
    judged = {**EMPATHY, "key": "judged", "cannot_judge": True}
    single = {"design": {"trials": "single"}, "render": "markdown", "language": "de"}
    open_a_study(engine, questions=[eleven, judged, *statements], texts=texts, **single)
    page.goto("/s/study?participant=anna")
    page.locator("main form button").click()
    page.wait_for_selector("#rate-form")
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 844})
        page.reload()
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert page.evaluate(WIDER) == []
        assert page.evaluate(BROKEN) == []
        page.locator(".matrix input").last.focus()
        assert page.locator(".matrix .heads").evaluate(UNCOVERED), "the labels stay in sight"
        page.locator(".matrix .slot").nth(5).locator("[type=radio]").first.focus()
        assert page.locator(".matrix legend").nth(5).evaluate(UNCOVERED), "what is focused is below them"
    response = page.locator(".response").last
    assert [response.locator(tag).count() for tag in ("a", "b", "script", "table")] == [0, 0, 0, 1]
    expect(page.locator(".matrix .slot")).to_have_count(20)


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


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_option_labels_break_only_between_words(
    engine: Engine, new_context: Callable[..., BrowserContext], width: int
) -> None:
    scale = {1: "Very poor", 2: "Poor", 3: "Fair", 4: "Good", 5: "Very good"}
    column = {**EMPATHY, "key": "column", "orientation": "column", "scale": scale}
    german = ("Überhaupt nicht", "Kaum", "Etwas", "Mittelmäßig", "Ziemlich", "Weitgehend", "Außerordentlich")
    row = {**EMPATHY, "key": "row", "scale": dict(enumerate(german, start=1))}
    open_a_study(engine, questions=[{**PREFERENCE, "strength": True, "neither": True}, column, row], texts=TEXTS)
    page = new_context(viewport={"width": width, "height": 700}).new_page()
    arrive(page)
    assert page.evaluate(BROKEN) == []
    heads = [words.replace("\u00ad", "") for words in page.locator(".lies-scale .head:visible").all_inner_texts()]
    assert heads == list(german)
    above, below = (page.locator(f"#q1r0-{n}").bounding_box() for n in (1, 2))
    assert above and below and above["y"] < below["y"] and above["x"] == below["x"], "a column at every width"  # noqa: PT018


def test_matrix_is_read_row_by_row_with_the_words_of_its_columns(engine: Engine, page: Page) -> None:
    """The heads above the columns are seen; each statement says the words of its points to who cannot see them."""
    statements = ("I felt heard.", "I felt judged.", "I felt helped.")
    asked = [{**EMPATHY, "key": f"s{n}", "text": text} for n, text in enumerate(statements)]
    open_a_study(engine, questions=asked, design={"trials": "single"})
    arrive(page)
    expect(page.locator(".matrix")).to_have_count(1)
    read = [line for line in page.locator(".asks").aria_snapshot().splitlines() if "text:" not in line]
    points = [f'  - radio "{words}"' for words in EMPATHY["scale"].values()]  # type: ignore[attr-defined]
    rows = [line for statement in statements for line in (f'- group "{statement}":', *points)]
    assert read[:-1] == rows


def test_labels_of_a_matrix_are_whole_and_above_their_points(engine: Engine, page: Page) -> None:
    """Also where the window is so narrow that the points would have no room beside the statement."""
    agree = (
        "Strongly disagree",
        "Disagree",
        "Somewhat disagree",
        "Neither",
        "Somewhat agree",
        "Agree",
        "Strongly agree",
    )
    about = {"target": "rater", "scale": dict(enumerate(agree, 1))}
    statements = [{**EMPATHY, **about, "key": f"s{n}", "text": f"I notice how others feel ({n})."} for n in range(3)]
    flow = {"before": [{"questions": [statement["key"] for statement in statements]}]}
    open_a_study(engine, questions=[EMPATHY, *statements], flow=flow)
    page.goto("/s/study?participant=anna")
    page.locator("#questions").wait_for()
    for width in (320, 390, 640, 768, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(BROKEN) == []
        assert max(page.evaluate(ASIDE), default=0) < 3, width


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
    answered, left = page.evaluate(
        "[...document.querySelectorAll('legend:not(.visually-hidden), .asked')].slice(0, 2)"
        ".map(words => getComputedStyle(words).color)"
    )
    assert answered != left
    expect(page.locator("[data-slot=q2r0] .slider-hint")).to_have_text("Click or drag to answer")
    expect(page.locator("[data-slot=q2r0] .slider-hint")).to_be_visible()


def test_message_about_a_question_begins_where_the_question_does(engine: Engine, page: Page) -> None:
    open_a_study(engine, questions=[PREFERENCE], n_items=1)
    arrive(page)
    page.locator("#next").click()
    message = page.locator(".error-text strong").bounding_box()
    question = page.locator("legend [dir=auto]").bounding_box()
    assert message
    assert question
    assert message["x"] == pytest.approx(question["x"], abs=1)


def test_message_about_a_question_goes_when_its_answer_changes(engine: Engine, page: Page) -> None:
    open_a_study(engine, questions=[{**PREFERENCE, "help": "Read both.", "comment": True}, EMPATHY], n_items=1)
    arrive(page)
    page.locator("#next").click()
    group = page.locator("[data-slot=q0] fieldset").first
    expect(page.locator(".error-text")).to_have_count(3)
    expect(group).to_have_attribute("aria-describedby", "q0-help q0-error")
    page.locator("#q0-comment").fill("Hm")
    page.locator("#q0-1").focus()
    expect(page.locator(".error-text")).to_have_count(3)
    before = page.locator("#next").bounding_box()
    page.locator("#q0-1").check()
    expect(page.locator("[data-slot=q0] .error-text")).to_be_hidden()
    expect(group).to_have_attribute("aria-describedby", "q0-help")
    expect(page.locator(".error-text:visible")).to_have_count(2)
    assert page.locator("#next").bounding_box() == before
    check(page)


def test_button_pressed_right_after_an_answer_is_typed_does_not_move_away(engine: Engine, page: Page) -> None:
    open_a_study(
        engine,
        questions=[{"key": "why", "type": "text", "text": "Why?", "target": "item", "required": True}],
        n_items=1,
    )
    arrive(page)
    page.locator("#next").click()
    expect(page.locator(".error-text")).to_be_visible()
    page.locator("#q0-1").press_sequentially("Because")
    page.locator("#next").click()  # the text changes when the button takes the focus
    expect(page.locator("h1")).to_have_text("You have finished. Thank you.")


def test_title_changes_with_the_page(engine: Engine, page: Page) -> None:
    open_a_study(engine, questions=[PREFERENCE], n_items=2)
    arrive(page)
    page.evaluate("document.addEventListener('htmx:afterSwap', () => { window.titleWhenSwapped = document.title; })")
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator("#item-heading")).to_have_text("Item 2 of 2")
    # The heading is there before htmx says so.
    until(page, "window.titleWhenSwapped")
    assert page.evaluate("titleWhenSwapped").startswith("Item 2 of 2")


def test_definition_is_read_on_hover_focus_and_tap_and_nothing_moves(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    told = {1: "It could be to anybody.", 5: "It names the feeling, and what is left unsaid. " * 2}
    open_a_study(engine, questions=[{**EMPATHY, "definitions": told}, PREFERENCE])
    page = new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).new_page()
    arrive(page)
    line, heads = page.locator(".means-now"), page.locator(".question-rating .head")
    expect(line).to_have_text("Point at an answer, or tap its word, to read what it means.")
    heads.first.scroll_into_view_if_needed()
    end = page.locator("#next").bounding_box()
    heads.first.tap()
    expect(line).to_have_text("not: It could be to anybody.")
    heads.last.tap()
    expect(line).to_contain_text("very empathetic: It names the feeling")
    assert page.locator(".asks :checked").count() == 0
    page.locator("#q0r0-1").focus()
    expect(line).to_have_text("not: It could be to anybody.")
    page.locator("label:has(#q0r1-5)").hover()
    expect(line).to_contain_text("left unsaid")
    assert page.locator("#next").bounding_box() == end
    expect(page.locator("#q0r0-1")).to_have_accessible_description("It could be to anybody.")
    page.locator(".means summary").tap()
    expect(page.locator(".means dd").first).to_be_visible()
    check(page)


def test_answers_fit_a_narrow_phone_with_text_of_double_size(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    """What a finger needs to answer is within the window, and no word lies on another."""
    strength = {1: "etwas", 2: "deutlich", 3: "sehr"}
    mark = {"key": "mark", "target": "response", "type": "highlight", "text": "Welche Wörter sind freundlich?"}
    open_a_study(engine, questions=[{**PREFERENCE, "strength": strength}, WARM, mark], language="de")
    shares = {"key": "shares", "type": "allocation", "text": "Verteilen Sie Punkte."}
    three = {"person": {"kind": "human"}, "one": {"kind": "model"}, "two": {"kind": "model"}}
    open_a_study(engine, slug="shares", questions=[shares], sources=three, language="de")
    page = new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).new_page()
    page.add_init_script("addEventListener('DOMContentLoaded', () => document.documentElement.style.fontSize = '200%')")
    for slug in ("study", "shares"):
        page.goto(f"/s/{slug}?participant=anna")
        page.locator("form button[type=submit]").click()
        page.wait_for_selector("#rate-form")
        outside = page.evaluate(OUTSIDE)
        assert outside == [], slug
        widths = page.locator("input[type=range]").evaluate_all("all => all.map(one => one.offsetWidth)")
        assert all(width > 150 for width in widths)
