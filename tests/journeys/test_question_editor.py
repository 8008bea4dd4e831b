"""The question editor in a browser: statements, a score, a choice with ties and an age question, by mouse and keys."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect
from sqlalchemy import Engine

from tests.journeys.axe import LIGHT_AND_DARK_PHONE, check_in
from tests.journeys.lead_steps import a_lead, draft, sign_in

pytestmark = pytest.mark.browser

LABELS = ["not at all", "hardly", "a little", "partly", "mostly", "almost entirely", "entirely"]
STATEMENTS = [
    "The response shows that the author feels with me.",
    "The response takes my situation seriously.",
    "The response understands what I need.",
    "The response is warm.",
    "The response would help me.",
]
QUESTIONS = "/studies/rated/design/questions"


class Counted:
    """A page whose clicks and typed fields are counted."""

    def __init__(self, page: Page) -> None:
        self.page, self.clicks, self.fields = page, 0, 0

    def click(self, what: Locator) -> None:
        what.click()
        self.clicks += 1

    def choose(self, what: Locator, option: str) -> None:
        what.select_option(label=option)
        self.clicks += 1

    def type(self, what: Locator, words: str) -> None:
        what.fill(words)
        self.fields += 1


def test_five_statements_a_score_a_choice_and_an_age_question(
    engine: Engine, page: Page, capsys: pytest.CaptureFixture[str]
) -> None:
    sign_in(page, a_lead(engine))
    page.goto(QUESTIONS)
    lead, saved = Counted(page), page.locator("#design-state [role=status]")
    lead.click(page.get_by_text("Several statements, one scale"))
    lead.type(page.get_by_label("Statements", exact=True), "\n".join(STATEMENTS))
    scale = page.get_by_label("Scale").locator("option[value=agreement-7]").inner_text()
    lead.choose(page.get_by_label("Scale"), scale)
    lead.click(page.get_by_label("Combine into one score"))
    lead.type(page.get_by_label("Name of the score"), "Empathy shown")
    lead.click(page.get_by_role("button", name="Add statements"))
    for nth, statement in enumerate(STATEMENTS, 3):
        expect(page.locator(f"#asked-{nth}")).to_contain_text(statement)
    lead.click(page.locator("#asked-3 .asked"))
    lead.type(page.get_by_label("Labels", exact=True), "\n".join(f"{n} = {words}" for n, words in enumerate(LABELS, 1)))
    expect(page.locator("#asked-3")).to_contain_text("almost entirely")
    expect(saved).to_contain_text("All changes are saved")
    lead.click(page.get_by_role("button", name="Done"))
    expect(page.get_by_label("Text of the question")).to_have_count(0)
    lead.choose(page.get_by_label("One question"), "Choice between two responses")
    lead.click(page.get_by_role("button", name="Add question"))
    expect(page.get_by_label("Text of the question")).to_be_focused()
    lead.type(page.get_by_label("Text of the question"), "Which response would comfort you more?")
    lead.click(page.get_by_label("Offer “About the same”"))
    expect(page.locator("#asked-8")).to_contain_text("About the same")
    lead.choose(page.get_by_label("One question"), "Slider")
    lead.choose(page.get_by_label("Where it is asked"), "about the rater, asked once")
    lead.click(page.get_by_role("button", name="Add question"))
    expect(page.get_by_label("Text of the question")).to_have_value("")
    lead.type(page.get_by_label("Text of the question"), "How old are you?")
    lead.type(page.get_by_label("Lowest number"), "18")
    expect(page.locator("#asked-9")).to_contain_text("How old are you?")
    expect(saved).to_contain_text("All changes are saved")
    with capsys.disabled():
        print(f"\n{lead.clicks} clicks, {lead.fields} typed fields")  # noqa: T201 - the measure of this page
    assert (lead.clicks, lead.fields) <= (16, 7)
    made = draft(engine)
    assert [one["text"] for one in made["questions"][2:7]] == STATEMENTS
    assert [point["words"] for point in made["questions"][2]["scale"]["points"]] == LABELS
    assert len(made["analysis"]["composites"]["empathy_shown"]["questions"]) == len(STATEMENTS)
    assert (made["questions"][7]["tie"], made["questions"][8]["target"], made["questions"][8]["min"]) == (
        True,
        "rater",
        18,
    )
    check_in(LIGHT_AND_DARK_PHONE, page)


def test_questions_are_edited_and_moved_with_keys_only(engine: Engine, page: Page) -> None:
    sign_in(page, a_lead(engine))
    page.goto(QUESTIONS)
    page.locator("#question-2 [data-edit]").focus()
    page.keyboard.press("Alt+ArrowUp")
    expect(page.locator("#asked-1")).to_contain_text("How empathetic is the response?")
    expect(page.locator("#question-1 [data-edit]")).to_be_focused()
    page.keyboard.press("Enter")
    words = page.get_by_label("Text of the question")
    expect(words).to_be_focused()
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.type("How warm is it?")
    expect(page.locator("#asked-1")).to_contain_text("How warm is it?")
    expect(words).to_be_focused()
    page.reload()
    expect(page.get_by_label("Text of the question")).to_have_value("How warm is it?")
    page.go_back()
    page.go_forward()
    expect(page.locator("#asked-1")).to_contain_text("How warm is it?")
    page.get_by_text("Several statements, one scale").press("Enter")
    # A box of its own, outside a list of answers: an error of rater.js fails every journey.
    instead = page.get_by_label("Replace the questions that the rating page has now")
    instead.press("Space")
    expect(instead).to_be_checked()
    kind = page.get_by_label("One question")
    kind.focus()
    page.keyboard.type("Rating")
    page.get_by_role("button", name="Add question").press("Enter")
    expect(words).to_have_value("")
    expect(words).to_be_focused()
    page.keyboard.type("How calm is it?")
    expect(page.locator("#asked-3")).to_contain_text("How calm is it?")
    page.get_by_text("Another scale", exact=True).press("Enter")
    page.get_by_role("button", name=re.compile("Agreement, 7 points")).press("Enter")
    expect(page.locator("#asked-3").get_by_role("radio")).to_have_count(14)
    duplicate = page.get_by_role("button", name="Duplicate: How calm")
    duplicate.press("Enter")
    expect(page.locator("#asked-4")).to_contain_text("How calm is it?")
    page.get_by_role("button", name="Remove: How calm").last.press("Enter")
    expect(page.locator("#asked-4")).to_have_count(0)
    expect(page.get_by_role("button", name="Undo")).to_be_focused()
    assert [one["text"] for one in draft(engine)["questions"]][::2] == ["How warm is it?", "How calm is it?"]


def test_a_published_scale_is_added_with_keys_and_says_its_permission(engine: Engine, page: Page) -> None:
    sign_in(page, a_lead(engine))
    page.goto(QUESTIONS)
    page.get_by_text("A published scale", exact=True).press("Enter")
    page.get_by_text("Toronto Empathy Questionnaire (TEQ)", exact=True).press("Enter")
    page.get_by_role("textbox", name="Its statements").fill("Only one")
    page.get_by_role("button", name="Add TEQ").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text(
        "This is 1 statement. Toronto Empathy Questionnaire (TEQ) has 16 statements."
    )
    expect(page.get_by_role("textbox", name="Its statements")).to_have_value("Only one")
    page.get_by_text("Perceived Empathy of Technology Scale (PETS)", exact=True).press("Enter")
    expect(page.get_by_text("Creative Commons BY")).to_be_visible()
    check_in(LIGHT_AND_DARK_PHONE, page)
    page.get_by_role("button", name="Add PETS").press("Enter")
    expect(page.locator("#asked-12")).to_contain_text("The system understood my intentions.")
    assert len(draft(engine)["analysis"]["composites"]) == 2


def test_a_question_is_dragged_to_another_place(engine: Engine, page: Page) -> None:
    sign_in(page, a_lead(engine))
    page.goto(QUESTIONS)
    page.locator("#question-2 .drag").drag_to(page.locator("#question-1 .drag"))
    expect(page.locator("#asked-1")).to_contain_text("How empathetic is the response?")
    assert [one["key"] for one in draft(engine)["questions"]] == ["empathy", "preference"]


def test_without_scripts_every_question_is_a_form(engine: Engine, new_context: Callable[..., BrowserContext]) -> None:
    page = new_context(java_script_enabled=False).new_page()
    sign_in(page, a_lead(engine))
    page.goto(QUESTIONS)
    page.get_by_role("link", name=re.compile("Edit: How empathetic")).click()
    page.get_by_label("Text of the question").fill("How warm is it?")
    page.get_by_role("button", name="Done").click()
    expect(page.locator("#asked-2")).to_contain_text("How warm is it?")
    page.get_by_role("button", name=re.compile("Move up: How warm")).click()
    expect(page.locator("#asked-1")).to_contain_text("How warm is it?")


def test_a_lost_connection_and_a_second_lead_lose_nothing_and_add_nothing_twice(
    engine: Engine, new_context: Callable[..., BrowserContext]
) -> None:
    context = new_context()
    page, other = context.new_page(), context.new_page()
    sign_in(page, a_lead(engine))
    for one, number in ((page, 1), (other, 2)):
        one.goto(f"{QUESTIONS}/{number}")
    words = page.get_by_label("Text of the question")
    context.set_offline(True)
    words.fill("Which one is warmer?")
    expect(page.locator("#design-state [role=status]")).to_contain_text("Not saved: no connection")
    page.on("dialog", lambda dialog: dialog.dismiss())
    with page.expect_event("dialog", lambda dialog: dialog.type == "beforeunload"):
        page.get_by_role("link", name="Studies", exact=True).first.click()
    expect(words).to_have_value("Which one is warmer?")
    context.set_offline(False)
    expect(page.locator("#design-state [role=status]")).to_contain_text("All changes are saved")
    other.get_by_label("Text of the question").fill("How warm is it?")
    expect(other.locator("#design-state [role=status]")).to_contain_text("All changes are saved")
    page.get_by_role("button", name="Done").click()
    expect(page.get_by_label("Text of the question")).to_have_count(0)
    assert [one["text"] for one in draft(engine)["questions"]] == ["Which one is warmer?", "How warm is it?"]
    page.goto(f"{QUESTIONS}/2")
    other.get_by_label("Text of the question").fill("How kind is it?")
    expect(other.locator("#asked-2")).to_contain_text("How kind is it?")
    page.get_by_label("Text of the question").fill("How calm is it?")
    expect(page.get_by_text("How kind is it?").first).to_be_visible()
    expect(page.get_by_text("How calm is it?").first).to_be_visible()
    assert [one["text"] for one in draft(engine)["questions"]] == ["Which one is warmer?", "How kind is it?"]
