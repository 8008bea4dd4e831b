"""Two raters who write with each other, each in a browser of their own; and one to whom nobody comes."""

import time
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect
from sqlalchemy import Engine, text

from app.rating.conversations import rooms
from app.rating.life_cycle import open_study
from tests.journeys.axe import LOOKS, check_in
from tests.kit.builder import EMPATHY, build_study, protocol_of
from tests.kit.database import rows

pytestmark = pytest.mark.browser
CONSENT = {"version": "1", "text": "Another participant reads what you write.", "sends_to_rater": True}
ROLES = {
    "seeker": {"label": "Seeker", "task": "Tell the other person what has been **on your mind**."},
    "supporter": {"label": "Supporter", "task": "Listen, and try to understand."},
}


def open_dyads(engine: Engine, language: str = "en", bounds: dict[str, int] | None = None, **person: Any) -> None:  # noqa: ANN401
    """Open a study in which raters write with each other; `bounds` are those of the conversation."""
    partner = {"replies": "person", "roles": ROLES, **person}
    parts = protocol_of(
        sources={"peer": {"kind": "human", "shown_label": "Another participant"}},
        questions=[EMPATHY],
        design={"trials": "conversation", "raters_per_trial": 4, "trials_per_rater": 1, "blind": False},
        conversation={"partners": {"peer": partner}, "min_messages": 2, **(bounds or {})},
        flow={"consent": CONSENT},
        completion={"code": "PAID1"},
        language=language,
    )
    with engine.begin() as db:
        build_study(db, parts, texts=[{"key": "week", "text": "Something that weighs on one of you.", "responses": {}}])
        open_study(db, "study")


def arrive(page: Page, who: str) -> None:
    page.goto(f"/s/study?participant={who}")
    page.locator("form button[value=agree]").click()
    page.locator("form[action$='/start'] button").click()


def write(page: Page, words: str) -> None:
    page.get_by_label("Your message").fill(words)
    page.keyboard.press("Enter")
    expect(page.get_by_role("log")).to_contain_text(words)


def matched(page: Page, other: Page) -> tuple[Page, Page]:
    """The seeker and the supporter, each in front of their conversation."""
    arrive(page, "anna")
    expect(page.get_by_role("heading", name="Waiting for another participant")).to_be_visible()
    arrive(other, "ben")
    for one in (page, other):
        one.wait_for_selector("#talk")
    return (page, other) if page.get_by_text("Please begin.").is_visible() else (other, page)


@pytest.fixture
def other(new_context: Callable[..., BrowserContext]) -> Page:
    return new_context().new_page()


def test_two_raters_meet_write_and_answer_about_one_conversation(page: Page, other: Page, engine: Engine) -> None:
    open_dyads(engine)
    seeker, supporter = matched(page, other)
    expect(seeker.get_by_text("on your mind")).to_be_visible()
    expect(supporter.get_by_label("Your message")).to_have_count(0)
    write(seeker, "My grandmother is ill.")
    expect(supporter.get_by_role("log")).to_contain_text("My grandmother is ill.")
    supporter.get_by_label("Your message").press_sequentially("I am so")
    expect(seeker.locator("#talk-typing")).to_be_visible()
    # A message that comes in while the other writes leaves the field, its cursor and the focus as they are.
    supporter.evaluate("document.getElementById('message').setSelectionRange(1, 3)")
    write(seeker, "I am afraid to call her.")
    expect(supporter.get_by_role("log")).to_contain_text("I am afraid to call her.")
    at = "[document.activeElement.id, document.activeElement.selectionStart, document.activeElement.selectionEnd]"
    assert supporter.evaluate(at) == ["message", 1, 3]
    expect(supporter.get_by_label("Your message")).to_have_value("I am so")
    # A reload in the middle loses nothing, and the partner is still there.
    supporter.reload()
    expect(supporter.get_by_label("Your message")).to_have_value("I am so")
    write(supporter, "I am so sorry.")
    supporter.get_by_label("Your message").press_sequentially("And")
    expect(seeker.locator("#talk-typing")).to_be_visible()
    supporter.get_by_label("Your message").fill("")
    for one in (seeker, supporter):
        expect(one.locator("#turns .turn")).to_have_count(3)
    seeker.get_by_role("button", name="I am done: go on to the questions").click()
    expect(supporter.locator("#talk-state")).to_contain_text("Your partner (Seeker) has ended the conversation.")
    supporter.get_by_role("button", name="Continue to the questions").click()
    for one, n_own in ((seeker, 2), (supporter, 1)):
        expect(one.locator(".response .turn")).to_have_count(3)
        expect(one.locator(".response .speaker", has_text="You")).to_have_count(n_own)
        one.keyboard.press("4")
        one.get_by_role("button", name="Finish").click()
        expect(one.get_by_text("PAID1").first).to_be_visible()
    assert rows(engine, "SELECT count(*), count(DISTINCT response_id), count(DISTINCT rater_id) FROM ratings") == [
        (2, 1, 2)
    ]
    assert rows(engine, "SELECT count(*) FROM conversation_turns") == [(3,)]


def test_partner_who_has_sent_what_they_wrote_is_not_shown_as_writing(page: Page, other: Page, engine: Engine) -> None:
    open_dyads(engine)
    seeker, supporter = matched(page, other)
    write(seeker, "My grandmother is ill.")
    expect(supporter.get_by_role("log")).to_contain_text("My grandmother is ill.")
    supporter.get_by_label("Your message").press_sequentially("I am so sorry.")
    expect(seeker.locator("#talk-typing")).to_be_visible()
    supporter.keyboard.press("Enter")
    expect(seeker.get_by_role("log")).to_contain_text("I am so sorry.")
    expect(seeker.locator("#talk-typing")).to_be_hidden()


def test_conversation_goes_on_after_it_was_not_ended_because_of_unsent_words(
    page: Page, other: Page, engine: Engine
) -> None:
    open_dyads(engine)
    seeker, supporter = matched(page, other)
    write(seeker, "My grandmother is ill.")
    seeker.get_by_label("Your message").fill("I am afraid.")
    seeker.get_by_role("button", name="Stop here and go on to the questions").click()
    expect(seeker.locator("#message-problem")).to_contain_text("Your message has not been sent yet.")
    seeker.get_by_label("Your message").fill("I am afraid to call.")
    write(supporter, "I am so sorry.")
    expect(seeker.get_by_role("log")).to_contain_text("I am so sorry.")
    expect(seeker.get_by_label("Your message")).to_have_value("I am afraid to call.")
    seeker.reload()
    expect(seeker.get_by_label("Your message")).to_have_value("I am afraid to call.")
    expect(seeker.get_by_role("log")).to_contain_text("I am so sorry.")


def test_last_message_leads_to_the_questions(page: Page, other: Page, engine: Engine) -> None:
    open_dyads(engine, bounds={"min_messages": 1, "max_messages": 1})
    seeker, _ = matched(page, other)
    write(seeker, "My grandmother is ill.")
    expect(seeker.locator("#talk-state")).to_contain_text("This was your last message.")
    expect(seeker.get_by_label("Your message")).to_have_count(0)
    seeker.get_by_role("button", name="Continue to the questions").click()
    expect(seeker.get_by_text("How empathetic is it?")).to_be_visible()


def test_rater_is_told_that_the_time_is_over_while_they_write(page: Page, other: Page, engine: Engine) -> None:
    open_dyads(engine, bounds={"minutes": 1})
    seeker, supporter = matched(page, other)
    write(seeker, "My grandmother is ill.")
    expect(supporter.get_by_role("log")).to_contain_text("My grandmother is ill.")
    with engine.begin() as db:
        db.execute(text("UPDATE conversation_turns SET said_at = said_at - interval '55 seconds'"))
    for one in (seeker, supporter):
        one.reload()
    supporter.get_by_label("Your message").press_sequentially("I am so")
    for one in (seeker, supporter):
        expect(one.locator("#talk-state")).to_contain_text("The time for this conversation is over.", timeout=15_000)
    expect(seeker.get_by_label("Your message")).to_have_count(0)
    expect(supporter.locator("#message-problem")).to_contain_text("Your message was not sent")
    expect(supporter.get_by_label("Your message")).to_have_value("I am so")
    supporter.get_by_role("button", name="Continue to the questions").click()
    expect(supporter.get_by_text("How empathetic is it?")).to_be_visible()


def test_words_that_were_not_sent_stay_in_the_field_when_the_partner_ends(
    page: Page, other: Page, engine: Engine
) -> None:
    open_dyads(engine)
    seeker, supporter = matched(page, other)
    write(seeker, "My grandmother is ill.")
    supporter.get_by_label("Your message").press_sequentially("I am so")
    seeker.get_by_role("button", name="Stop here and go on to the questions").click()
    expect(supporter.locator("#message-problem")).to_have_text(
        "The conversation is over. Your message was not sent: it is still in the field below."
    )
    expect(supporter.get_by_label("Your message")).to_have_value("I am so")
    expect(supporter.locator("#talk-state")).to_contain_text("Your partner (Seeker) has ended the conversation.")
    supporter.get_by_role("button", name="Continue to the questions").click()
    expect(supporter.get_by_text("How empathetic is it?")).to_be_visible()
    assert rows(engine, "SELECT count(*) FROM conversation_turns") == [(1,)]


def test_sent_message_does_not_come_back_into_the_field_when_news_overtake_the_answer(
    page: Page, other: Page, engine: Engine
) -> None:
    open_dyads(engine)
    seeker, _ = matched(page, other)

    def answer_late(route: Route) -> None:
        answer = route.fetch()
        time.sleep(2)
        route.fulfill(response=answer)

    seeker.route("**/say", answer_late)
    write(seeker, "My grandmother is ill.")
    seeker.wait_for_timeout(2500)
    expect(seeker.get_by_label("Your message")).to_have_value("")
    expect(seeker.locator("#turns .turn")).to_have_count(1)


def test_message_is_at_the_partner_before_all_pages_are_looked_at_again(
    page: Page, other: Page, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_dyads(engine)
    seeker, supporter = matched(page, other)
    monkeypatch.setattr(rooms, "LOOK_S", 3600.0)
    page.wait_for_timeout(1200)  # the last look of those before
    for one, partner, words in ((seeker, supporter, "My grandmother is ill."), (supporter, seeker, "I am so sorry.")):
        write(one, words)
        expect(partner.get_by_role("log")).to_contain_text(words)
    seeker.get_by_role("button", name="go on to the questions").click()
    expect(supporter.locator("#talk-state")).to_contain_text("has ended the conversation")


def test_turns_are_announced_once_and_what_is_typed_is_not(page: Page, other: Page, engine: Engine) -> None:
    open_dyads(engine)
    seeker, supporter = matched(page, other)
    supporter.evaluate("""() => {
        window.added = [];
        new MutationObserver((found) => found.forEach((one) => one.addedNodes.forEach((node) => {
            if (node.classList?.contains("turn")) window.added.push(node.dataset.number);
        }))).observe(document.querySelector("[role=log]"), { childList: true, subtree: true });
    }""")
    for number in range(3):
        write(seeker, f"Message {number}")
    expect(supporter.locator("#turns .turn")).to_have_count(3)
    assert supporter.evaluate("window.added") == ["1", "2", "3"]
    assert seeker.locator("#talk-typing").get_attribute("aria-hidden") == "true"


def test_partner_who_closes_the_page_is_told_of_and_may_come_back(page: Page, other: Page, engine: Engine) -> None:
    open_dyads(engine)
    seeker, supporter = matched(page, other)
    write(seeker, "Are you there?")
    address = supporter.url
    supporter.goto("about:blank")
    with engine.begin() as db:
        db.execute(text("UPDATE dyad_members SET seen_at = seen_at - interval '1 minute' WHERE role = 'supporter'"))
    expect(seeker.locator("#talk-state")).to_contain_text("is not here at the moment")
    with engine.begin() as db:
        db.execute(text("UPDATE dyads SET paired_at = paired_at - interval '5 minutes'"))
    expect(seeker.locator("#talk-state")).to_contain_text("There has been no sign of Supporter")
    supporter.goto(address)
    write(supporter, "I am back.")
    expect(seeker.get_by_role("log")).to_contain_text("I am back.")
    expect(seeker.locator("#talk-state")).to_have_text("")
    supporter.goto("about:blank")
    with engine.begin() as db:
        db.execute(text("UPDATE conversation_turns SET said_at = said_at - interval '5 minutes'"))
        db.execute(text("UPDATE dyad_members SET typed_at = NULL"))
    expect(seeker.locator("#talk-state")).to_contain_text("no sign")
    seeker.get_by_role("button", name="Stop here and go on to the questions").click()
    expect(seeker.get_by_text("How empathetic is it?")).to_be_visible()
    assert rows(engine, "SELECT attributes ->> 'ended_by' FROM responses") == [("partner_left",)]
    supporter.goto(address)
    supporter.get_by_role("button", name="Continue to the questions").click()
    expect(supporter.get_by_text("How empathetic is it?")).to_be_visible()


def test_what_a_partner_has_deleted_leaves_the_page_and_what_is_typed_stays(
    page: Page, other: Page, engine: Engine
) -> None:
    open_dyads(engine)
    seeker, supporter = matched(page, other)
    write(seeker, "I am here.")
    write(supporter, "This was too much to say.")
    expect(seeker.get_by_role("log")).to_contain_text("too much to say")
    seeker.get_by_label("Your message").fill("I was about to answer")
    supporter.goto(supporter.url.replace("/rate", "/withdraw"))
    supporter.locator("button[value=delete]").click()
    expect(seeker.locator("#talk-state")).to_have_text(
        "Your partner (Supporter) has left the conversation. Please go on to the questions: you will not be penalized."
    )
    expect(seeker.get_by_role("log")).not_to_contain_text("too much to say")
    expect(seeker.get_by_role("log")).to_contain_text("I am here.")
    expect(seeker.get_by_label("Your message")).to_have_value("I was about to answer")
    check_in(LOOKS, seeker)
    seeker.get_by_role("button", name="go on to the questions").click()
    expect(seeker.get_by_text("How empathetic is it?")).to_be_visible()


def test_rater_to_whom_nobody_comes_is_told_in_time_and_paid(page: Page, engine: Engine) -> None:
    open_dyads(engine, wait_minutes=1)
    arrive(page, "anna")
    expect(page.get_by_text("at most 1 more minute")).to_be_visible()
    check_in(LOOKS, page)
    with engine.begin() as db:
        db.execute(text("UPDATE dyad_members SET waits_since = waits_since - interval '50 seconds'"))
    expect(page.get_by_role("heading", name="Nobody came")).to_be_visible(timeout=30_000)
    check_in(LOOKS, page)
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("PAID1").first).to_be_visible()


def test_conversation_of_two_has_no_violations_and_fits_a_phone(page: Page, other: Page, engine: Engine) -> None:
    open_dyads(engine)
    seeker, supporter = matched(page, other)
    check_in(LOOKS, seeker)
    write(seeker, "My grandmother is ill. " + "Donaudampfschifffahrtsgesellschaft" * 4)
    expect(supporter.locator("#turns .turn")).to_have_count(1)
    supporter.set_viewport_size({"width": 390, "height": 844})
    check_in(LOOKS, supporter)
    supporter.get_by_label("Your message").fill("I hear you.")
    supporter.get_by_role("button", name="Send").click()
    expect(seeker.get_by_role("log")).to_contain_text("I hear you.")


@pytest.mark.parametrize(("language", "direction"), [("de", "ltr"), ("ar", "rtl")])
def test_waiting_room_in_other_languages(page: Page, engine: Engine, language: str, direction: str) -> None:
    open_dyads(engine, language)
    arrive(page, "anna")
    expect(page.locator("#waiting")).to_be_visible()
    assert page.locator("html").get_attribute("dir") == direction
    assert "Waiting" not in page.locator("main").inner_text()


def test_two_raters_without_scripts(new_context: Callable[..., BrowserContext], engine: Engine) -> None:
    open_dyads(engine)
    pages = [new_context(java_script_enabled=False).new_page() for _ in range(2)]
    for one, who in zip(pages, ("anna", "ben"), strict=True):
        arrive(one, who)
    with pages[0].expect_navigation():
        pages[0].get_by_role("link", name="Check again now").click()
    seeker, supporter = pages if pages[0].get_by_text("Please begin.").is_visible() else pages[::-1]
    seeker.get_by_label("Your message").fill("My grandmother is ill.")
    seeker.get_by_role("button", name="Send").click()
    supporter.get_by_role("link", name="Show new messages").click()
    expect(supporter.get_by_role("log")).to_contain_text("My grandmother is ill.")
    supporter.get_by_role("button", name="Stop here").click()
    expect(supporter.get_by_text("How empathetic is it?")).to_be_visible()
    seeker.get_by_role("link", name="Show new messages").click()
    seeker.get_by_role("button", name="Continue to the questions").click()
    expect(seeker.get_by_text("How empathetic is it?")).to_be_visible()
