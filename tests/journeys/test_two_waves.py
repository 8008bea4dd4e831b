"""A later wave in a real browser: a lead declares it, a rater comes early, in time and twice, and a stranger comes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine, text

from app.accounts.lead_access import add_lead, new_link
from app.rating.life_cycle import open_study
from app.studies.members.members import record_member
from tests.journeys.axe import LIGHT_AND_DARK_PHONE, check_in
from tests.journeys.lead_steps import PASSWORD, sign_in
from tests.kit.builder import EMPATHY, PREFERENCE, build_study, protocol_of
from tests.kit.database import rows

pytestmark = pytest.mark.browser
LONELY = {"key": "lonely", "target": "rater", "type": "slider", "text": "How lonely do you feel?"}
WAVE = {
    "days": 14,
    "earliest": 12,
    "latest": 21,
    "label": "Two weeks later",
    "text": "Thank you for coming back. **Five minutes** are enough.",
    "reminder": "Part 2 of our study is open. Please use the same link.",
    "completion": {"code": "W2CODE"},
}


def later(engine: Engine, days: int) -> None:
    moved = "UPDATE rating_sessions SET finished_at = finished_at - make_interval(days => :days)"
    with engine.begin() as db:
        db.execute(text(moved), {"days": days})


def a_study(engine: Engine, **parts: Any) -> str:  # noqa: ANN401 - any part of study.yaml
    """An open study with a wave; the sign-in link of its lead."""
    whole: dict[str, Any] = {
        "questions": [PREFERENCE, EMPATHY, LONELY],
        "completion": {"code": "W1CODE"},
        "waves": [WAVE],
        **parts,
    }
    with engine.begin() as db:
        lead = add_lead(db, "lead@example.org", PASSWORD)
        study_id = build_study(db, protocol_of(recruitment={"platform": "prolific"}, **whole), n_items=1)
        record_member(db, study_id, lead.id, "owner")
        open_study(db, "study")
        return new_link(db, lead)


def do_first_wave(page: Page) -> None:
    page.goto("/s/study?PROLIFIC_PID=anna&STUDY_ID=s1&SESSION_ID=t1")
    page.locator("main form button").click()
    page.wait_for_selector("#rate-form")
    page.wait_for_load_state()
    for key in "a45":
        page.keyboard.press(key)
    page.keyboard.press("Enter")
    page.wait_for_url("**/questions/about")
    page.locator("main input[type=range], main input[type=number]").first.fill("60")
    page.locator("main form button[type=submit]").last.click()
    page.wait_for_url("**/done")


def test_rater_comes_early_then_in_time_then_again_and_strangers_do_not(
    engine: Engine, page: Page, new_context: Callable[..., BrowserContext]
) -> None:
    a_study(engine)
    do_first_wave(page)
    expect(page.locator("#completion-code")).to_have_text("W1CODE")
    expect(page.locator("#later-part")).to_contain_text("Come back then with the same link")
    later(engine, 5)
    page.goto("/s/study?PROLIFIC_PID=anna&STUDY_ID=s2&SESSION_ID=t2&wave=2")
    expect(page.locator("h1")).to_have_text("It is too early for part 2")
    check_in(LIGHT_AND_DARK_PHONE, page)
    later(engine, 8)
    page.goto("/s/study?PROLIFIC_PID=anna&STUDY_ID=s2&SESSION_ID=t2&wave=2")
    expect(page.get_by_text("Welcome back. This is part 2 of the study.")).to_be_visible()
    check_in(LIGHT_AND_DARK_PHONE, page)
    page.get_by_role("button", name="Begin").click()
    page.wait_for_url("**/questions/wave2-1")
    check_in(LIGHT_AND_DARK_PHONE, page)
    page.locator("main input[type=range], main input[type=number]").first.fill("30")
    page.locator("main form button[type=submit]").last.click()
    page.wait_for_url("**/done")
    expect(page.locator("#completion-code")).to_have_text("W2CODE")
    expect(page.locator("h1")).to_have_text("You have finished. Thank you.")
    page.goto("/s/study?PROLIFIC_PID=anna&STUDY_ID=s2&SESSION_ID=t2&wave=2")
    expect(page.locator("#completion-code")).to_have_text("W2CODE")
    elsewhere = new_context(viewport={"width": 390, "height": 800}).new_page()
    elsewhere.goto("/s/study?PROLIFIC_PID=anna&STUDY_ID=s2&SESSION_ID=t3&wave=2")
    expect(elsewhere.locator("h1")).to_have_text("You have finished. Thank you.")
    expect(elsewhere.locator("#completion-code")).to_have_count(0)
    elsewhere.goto("/s/study?PROLIFIC_PID=ben&STUDY_ID=s2&SESSION_ID=t4&wave=2")
    expect(elsewhere.locator("h1")).to_have_text("This link is for people who took part before")
    check_in(LIGHT_AND_DARK_PHONE, elsewhere)
    answered = "SELECT question, number FROM ratings WHERE item_id IS NULL ORDER BY question"
    assert rows(engine, answered) == [("lonely", 60), ("lonely@2", 30)]
    assert rows(engine, "SELECT count(*) FROM raters") == [(1,)]


@pytest.mark.parametrize(("language", "words"), [("de", "Willkommen zurück"), ("ar", "مرحبًا بعودتك")])
def test_later_wave_is_in_the_language_of_the_study(engine: Engine, page: Page, language: str, words: str) -> None:
    a_study(engine, language=language)
    do_first_wave(page)
    check_in(LIGHT_AND_DARK_PHONE, page)
    later(engine, 13)
    page.goto("/s/study?PROLIFIC_PID=anna&STUDY_ID=s2&SESSION_ID=t2&wave=2")
    expect(page.get_by_text(words)).to_be_visible()
    check_in(LIGHT_AND_DARK_PHONE, page)


def test_lead_declares_a_wave_and_sees_who_is_due(engine: Engine, page: Page) -> None:
    link = a_study(engine)
    do_first_wave(page)
    later(engine, 13)
    sign_in(page, link)
    page.goto("/studies/study")
    expect(page.get_by_text("Finished: Two weeks later")).to_be_visible()
    expect(page.get_by_text("1 due now")).to_be_visible()
    check_in(LIGHT_AND_DARK_PHONE, page)
    page.goto("/studies/study/design/recruitment")
    expect(page.get_by_role("heading", name="Wave 2: Two weeks later")).to_be_visible()
    check_in(LIGHT_AND_DARK_PHONE, page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download who is due").click()
    assert "anna" in Path(download.value.path()).read_text()
    page.goto("/studies/study/design/waves")
    page.get_by_label("Last day").first.fill("20")
    expect(page.locator("#design-state [role=status]")).to_contain_text("Saved")
    check_in(LIGHT_AND_DARK_PHONE, page)
    page.reload()
    expect(page.get_by_label("Last day").first).to_have_value("20")
