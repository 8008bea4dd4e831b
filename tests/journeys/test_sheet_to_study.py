"""From an awkward spreadsheet to the study that was meant, and a rater who ends on the completion code: all counted."""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect
from sqlalchemy import text

from app.protocol.study import Protocol
from app.studies.editor.question_keys import key_of
from tests.journeys.axe import LIGHT_AND_DARK_PHONE, check_in
from tests.journeys.lead_steps import a_lead, sign_in
from tests.journeys.test_question_editor import LABELS, STATEMENTS, Counted
from tests.kit.waiting import until
from tests.studies.web.test_spreadsheet import awkward, excel

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Page
    from sqlalchemy import Engine

pytestmark = pytest.mark.browser
MAX_CLICKS, MAX_FIELDS = 30, 25
TITLE = "Empathy of a counselor and two models"
INSTRUCTIONS = "You will read posts of students and two replies to each. Say how each reply seems to you."
CONSENT = (
    "**Purpose.** We study how replies are read. **Contact.** A. Müller, mueller@example.org. You may stop at any time."
)
AGE = "How old are you?"
# Which page a rater is on: its address, and what its form is sent to.
_HERE = "location.href + [...document.querySelectorAll('main form')].map((one) => one.action)"


class Hand(Counted):
    """The lead's hand in the steps of a draft."""

    def step(self, name: str) -> None:
        """Go to a step."""
        self.click(
            self.page.get_by_role("navigation", name="Steps to an open study").get_by_role(
                "link", name=name, exact=True
            )
        )

    def button(self, name: str | re.Pattern[str]) -> None:
        """Press a button."""
        self.click(self.page.get_by_role("button", name=name))

    def saved(self) -> None:
        """Wait until what was typed is stored."""
        expect(self.page.locator("#design-state [role=status]")).to_contain_text(re.compile("aved"))


def drop(hand: Hand, sheet: Path) -> None:
    """Two clicks, and raters' page is there."""
    hand.clicks += 1
    hand.page.get_by_label("Drop a spreadsheet").set_input_files(sheet)
    hand.button(re.compile("Compare two responses side by side"))
    expect(hand.page.locator("main")).to_contain_text("Beitrag 1: Ich fühle mich müde.")


def ask(hand: Hand) -> None:
    """Five statements on own labels as one score, a choice with tie, an age question, a check."""
    page = hand.page
    for question in ("The empathy", "The quality"):
        hand.button(re.compile(f"Remove: {question}"))
        expect(page.get_by_role("button", name=re.compile(f"Remove: {question}"))).to_have_count(0)
    hand.click(page.get_by_role("link", name="Edit: Which response is better?"))
    hand.click(page.get_by_label("Offer “About the same”"))
    expect(page.locator("#asked-1")).to_contain_text("About the same")
    hand.click(page.get_by_text("Several statements, one scale"))
    hand.type(page.get_by_label("Statements", exact=True), "\n".join(STATEMENTS))
    hand.type(page.get_by_label("Or your own labels"), "\n".join(LABELS))
    hand.type(page.get_by_label("Name of the score"), "Empathy")
    hand.button("Add statements")
    expect(page.locator("#asked-6")).to_contain_text(STATEMENTS[-1])
    hand.choose(page.get_by_label("One question"), "Slider")
    hand.choose(page.get_by_label("Where it is asked"), "about the rater, asked once")
    hand.button("Add question")
    expect(page.get_by_label("Text of the question")).to_have_value("")
    hand.type(page.get_by_label("Text of the question"), AGE)
    hand.type(page.get_by_label("Lowest number"), "18")
    expect(page.locator("#asked-7")).to_contain_text(AGE)
    hand.saved()
    hand.button("Add attention check")
    expect(page.get_by_label("Asked after this many trials")).to_be_visible()
    hand.type(page.get_by_label("Asked after this many trials"), "3")
    hand.button("Save")


def say(hand: Hand) -> None:
    """Title, instructions and consent."""
    page = hand.page
    hand.click(page.get_by_role("link", name="Title and instructions"))
    hand.type(page.get_by_label("Title", exact=True), TITLE)
    hand.type(page.get_by_label("Instructions"), INSTRUCTIONS)
    hand.button("Save")
    hand.step("Consent")
    hand.type(page.get_by_label("Text", exact=True).first, CONSENT)
    hand.button("Save")


def recruit_and_open(hand: Hand) -> str:
    """Prolific, pay, open; the link."""
    page = hand.page
    hand.step("Recruitment")
    hand.button(re.compile("^Prolific"))
    hand.type(page.get_by_label("Pay per rater"), "4.50")
    expect(page.get_by_label("Payment per participant", exact=True)).to_have_value("4.50")
    link = page.get_by_label("Study link", exact=True).input_value()
    hand.step("Check and open")
    expect(page.locator("li.look", has_text="Trial run")).to_be_visible()
    hand.button("Walk through as a rater")
    check_in(LIGHT_AND_DARK_PHONE, page)
    take_part(page)
    expect(page.locator("#completion-code")).to_be_visible()
    hand.click(page.get_by_role("link", name="Back to the study"))
    expect(page.locator("li.good", has_text="Trial run")).to_be_visible()
    hand.click(page.get_by_text("Open study", exact=True))
    hand.button("Open now")
    expect(page.locator(".chip")).to_have_text("open")
    return link


def meant(completion: dict[str, Any]) -> Protocol:
    """The study that the lead had in mind."""
    names = {"Antwort Beraterin": "human", "GPT-4o": "model", "Llama 3": "model"}
    keys = [key_of(words, "rating") for words in STATEMENTS]
    scale = {str(n): words for n, words in enumerate(LABELS, 1)}
    return Protocol.model_validate(
        {
            "attune": 1,
            "slug": "posts",
            "template": "ayers-pair",
            "title": TITLE,
            "rater_title": "Reading and rating texts",
            "instructions": INSTRUCTIONS,
            "sources": {name: {"kind": kind} for name, kind in names.items()},
            "questions": [
                {
                    "key": "preference",
                    "target": "pair",
                    "type": "choice",
                    "text": "Which response is better?",
                    "tie": True,
                    "neither": False,
                },
                *(
                    {"key": key, "target": "response", "type": "rating", "text": words, "scale": scale}
                    for key, words in zip(keys, STATEMENTS, strict=True)
                ),
                {"key": "how_old_are_you", "target": "rater", "type": "slider", "text": AGE, "min": 18, "max": 100},
            ],
            "design": {
                "trials": "pairs",
                "raters_per_trial": 3,
                "trials_per_rater": 6,
                "blind": True,
                "pairs": "reference",
            },
            "flow": {"consent": {"version": "1", "text": CONSENT}},
            "checks": {
                "attention": [
                    {
                        "key": "attention",
                        "text": "This question checks your attention. Please choose “Often”.",
                        "codes": dict(zip("12345", ("Never", "Rarely", "Sometimes", "Often", "Always"), strict=True)),
                        "correct": "4",
                        "after": 3,
                    }
                ]
            },
            "analysis": {
                "reference": "Antwort Beraterin",
                "primary": ["preference"],
                "composites": {"empathy": {"questions": keys}},
            },
            "recruitment": {"platform": "prolific", "pay": 4.5},
            "completion": completion,
        }
    )


def take_part(page: Page) -> None:
    """Answer everything that is asked, one page after the other."""
    page.get_by_role("button", name="I agree and want to take part").click()
    page.get_by_role("button", name="Begin").click()
    while "/done" not in page.url:
        page.wait_for_load_state()
        for group in page.locator("main fieldset:has(input[type=radio])").all():
            often = group.get_by_label("Often")
            (often if often.count() else group.get_by_role("radio").nth(1)).first.check(force=True)
        for slider in page.locator("main input[type=range]").all():
            slider.press("ArrowRight")
        before = page.evaluate(_HERE)
        page.locator("main button[type=submit]:not(.quiet):visible").first.click()
        until(page, f"(before) => {_HERE} !== before", before)


def test_sheet_becomes_the_study_that_was_meant(
    engine: Engine,
    page: Page,
    new_context: Callable[..., BrowserContext],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    sign_in(page, a_lead(engine))
    (tmp_path / "posts.xlsx").write_bytes(excel(awkward()))
    page.goto("/studies")
    hand, begun = Hand(page), time.monotonic()
    drop(hand, tmp_path / "posts.xlsx")
    ask(hand)
    say(hand)
    link = recruit_and_open(hand)
    with capsys.disabled():
        seconds = time.monotonic() - begun
        print(f"\n{hand.clicks} clicks, {hand.fields} typed fields, {seconds:.0f} s to the open study")  # noqa: T201
    assert hand.clicks <= MAX_CLICKS
    assert hand.fields <= MAX_FIELDS
    with engine.begin() as db:
        query = "SELECT document FROM protocols p JOIN studies s ON s.id = p.study_id WHERE s.slug = 'posts'"
        made = Protocol.model_validate(db.execute(text(query)).scalar_one())
        n_items = db.execute(
            text("SELECT count(*) FROM items i JOIN studies s ON s.id = i.study_id WHERE s.slug = 'posts'")
        ).scalar_one()
    assert n_items == 30
    wanted = meant(made.completion.model_dump())
    for part in Protocol.model_fields:
        assert getattr(made, part) == getattr(wanted, part), part
    rater = new_context().new_page()
    rater.goto(
        link.replace("{{%PROLIFIC_PID%}}", "p1").replace("{{%STUDY_ID%}}", "s1").replace("{{%SESSION_ID%}}", "x1")
    )
    take_part(rater)
    expect(rater.locator("#completion-code")).to_have_text(made.completion.code)
    address = f"https://app.prolific.com/submissions/complete?cc={made.completion.code}"
    expect(rater.locator("#completion-link")).to_have_attribute("href", address)
