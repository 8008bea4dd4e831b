"""Conversations in a real browser: with a model whose reply is streamed, without replies, on a phone, by keys."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi import FastAPI
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from app.llm.live.replies import Replies
from app.rating.life_cycle import open_study
from tests.journeys.axe import LOOKS, check_in
from tests.kit.builder import EMPATHY, build_study, protocol_of
from tests.kit.conversations import listed
from tests.kit.database import rows
from tests.kit.models_server import ModelServer, fail_with, serving

pytestmark = pytest.mark.browser
TASK = "Think of something that has been weighing on you this week, and write about it with your partner."
REPLY = "That sounds hard. What was it like for you when you heard it?"
LINES = [
    {"country": "GB", "name": "Samaritans", "number": "116 123", "checked": f"{datetime.now(UTC).date()}"},
    {
        "country": "CH",
        "name": "Die Dargebotene Hand, La Main Tendue, Telefono Amico",
        "number": "143",
        "url": "https://www.143.ch",
        "checked": f"{datetime.now(UTC).date()}",
    },
]
CONSENT = {"version": "1", "text": "What you write is sent to a language model.", "sends_to_model": True}


def open_talk(engine: Engine, partner: dict[str, Any] | None = None, n_items: int = 1, **conversation: Any) -> None:  # noqa: ANN401
    """Open a study of conversations with one partner; `conversation` has its bounds."""
    source = {"robin": {"kind": "model", "shown_label": "An AI assistant"}}
    partners = {"robin": {"model": "m", "name": "Robin", "prompt": "Listen.", **(partner or {})}}
    more = {name: conversation.pop(name) for name in ("language", "render") if name in conversation}
    parts = protocol_of(
        **more,
        sources=source,
        questions=[EMPATHY],
        design={"trials": "conversation", "blind": False},
        conversation={"partners": partners, "min_messages": 2, **conversation},
        flow={"consent": CONSENT},
    )
    with engine.begin() as db:
        texts = [{"key": f"week{number}", "text": TASK, "responses": {}} for number in range(n_items)]
        build_study(db, parts, texts=texts)
        open_study(db, "study")


@contextmanager
def answering(built_app: FastAPI, **server: Any) -> Iterator[ModelServer]:  # noqa: ANN401 - of the false server
    """A false model answers the raters of the application."""
    with serving(ModelServer(lambda _prompt, _rng: REPLY, **server)) as model:
        built_app.state.replies = Replies(built_app.state.begin, [listed(model)])
        yield model
        built_app.state.replies.close()


def arrive(page: Page, who: str = "anna") -> None:
    page.goto(f"/s/study?participant={who}")
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("#talk")
    page.wait_for_load_state()


def write(page: Page, words: str) -> None:
    """Write a message and press Enter."""
    page.get_by_label("Your message").fill(words)
    page.keyboard.press("Enter")


def test_rater_writes_reads_streamed_replies_and_answers_questions(
    page: Page, built_app: FastAPI, engine: Engine
) -> None:
    open_talk(engine)
    with answering(built_app, piece_s=0.05) as model:
        arrive(page)
        write(page, "My grandmother is ill.")
        # The first reply of a model comes as a whole: it may begin with thoughts.
        expect(page.get_by_role("log")).to_contain_text(REPLY)
        write(page, "I am afraid to call her.")
        expect(page.locator("#talk-writing")).to_be_visible()
        expect(page.locator("#turns .turn")).to_have_count(4)
        page.get_by_role("button", name="I am done: go on to the questions").click()
        expect(page.locator(".response .turn")).to_have_count(4)
        page.keyboard.press("4")
        page.get_by_role("button", name="Finish").click()
        expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert len(model.seen) == 2
    assert [message["role"] for message in model.seen[1]["messages"]] == ["system", "user", "assistant", "user"]
    assert rows(engine, "SELECT number FROM ratings") == [(4,)]
    stored = rows(engine, "SELECT turns, attributes FROM responses")[0]
    assert [turn["by"] for turn in stored[0]] == ["rater", "partner"] * 2
    assert stored[1]["ended_by"] == "rater"


def test_reload_in_the_middle_of_a_reply_and_a_second_tab_lose_nothing(
    page: Page, built_app: FastAPI, engine: Engine
) -> None:
    open_talk(engine)
    with answering(built_app, piece_s=0.05) as model:
        arrive(page)
        write(page, "My grandmother is ill.")
        expect(page.get_by_role("log")).to_contain_text(REPLY)
        page.get_by_label("Your message").fill("I am afraid")
        page.reload()
        expect(page.get_by_label("Your message")).to_have_value("I am afraid")
        other = page.context.new_page()
        other.goto(page.url)
        write(other, "From the second tab.")
        expect(other.locator("#talk-writing")).to_be_visible()
        other.reload()
        write(page, "From the first tab.")
        expect(page.locator("#message-problem")).to_contain_text("went on in another window")
        expect(page.get_by_label("Your message")).to_have_value("From the first tab.")
        expect(page.get_by_role("log")).to_contain_text("From the second tab.")
        for tab in (page, other):
            expect(tab.locator("#turns .turn")).to_have_count(4)
        page.get_by_role("button", name="Send").click()
        expect(page.locator("#turns .turn")).to_have_count(6)
        other.close()
    assert len(model.seen) == 3
    said = rows(engine, "SELECT text FROM conversation_turns WHERE speaker = 'rater' ORDER BY number")
    assert [row[0] for row in said] == ["My grandmother is ill.", "From the second tab.", "From the first tab."]


def in_diary(engine: Engine, page: Page) -> None:
    """A rater who has written one entry of the first of two diaries, and left another in the field."""
    open_talk(engine, {"replies": "none", "model": "", "prompt": ""}, n_items=2)
    arrive(page)
    page.get_by_label("Your entry").fill("It was a bad day.")
    page.get_by_role("button", name="Add").click()
    expect(page.locator("#turns .turn")).to_have_count(1)
    page.get_by_label("Your entry").fill("My secret")


def to_second_diary(page: Page) -> None:
    page.get_by_role("button", name="Stop here and go on to the questions").click()
    page.wait_for_selector("#rate-form[data-ready]")
    page.keyboard.press("4")
    page.get_by_role("button", name="Next").click()
    expect(page.locator("#rate")).to_contain_text("Item 2 of 2")


def test_words_of_one_trial_are_not_in_the_field_of_the_next(page: Page, engine: Engine) -> None:
    in_diary(engine, page)
    page.get_by_role("button", name="Stop here and go on to the questions").click()
    expect(page.locator("#message-problem")).to_contain_text("Your entry has not been added yet.")
    expect(page.get_by_label("Your entry")).to_have_value("My secret")
    check_in(LOOKS, page)
    other = page.context.new_page()
    other.goto("/s/study?participant=anna")
    to_second_diary(other)
    page.goto("/s/study?participant=anna")
    page.wait_for_load_state()
    expect(page.locator("#rate")).to_contain_text("Item 2 of 2")
    expect(page.get_by_label("Your entry")).to_have_value("")
    other.close()


def test_words_of_a_rater_who_withdrew_are_not_in_the_field_of_another(page: Page, engine: Engine) -> None:
    in_diary(engine, page)
    page.get_by_role("link", name="Stop taking part").click()
    page.get_by_role("button", name="Stop and delete my answers").click()
    expect(page.locator("#receipt")).to_be_visible()
    page.wait_for_load_state()
    assert page.evaluate("Object.keys(sessionStorage).filter((name) => name.startsWith('attune-'))") == []
    arrive(page, "ben")
    expect(page.get_by_label("Your entry")).to_have_value("")


def test_tab_that_stayed_in_a_trial_goes_on_with_the_next_one_whole(page: Page, engine: Engine) -> None:
    in_diary(engine, page)
    other = page.context.new_page()
    other.goto(page.url)
    to_second_diary(other)
    other.get_by_label("Your entry").fill("Of the second.")
    other.get_by_role("button", name="Add").click()
    expect(other.locator("#turns .turn")).to_have_count(1)
    page.get_by_role("button", name="Add").click()
    expect(page.locator("#rate")).to_contain_text("Item 2 of 2")
    expect(page.locator("#turns")).to_contain_text("Of the second.")
    expect(page.locator("#turns")).not_to_contain_text("It was a bad day.")
    expect(page.get_by_label("Your entry")).to_have_value("")
    other.close()


def test_reload_in_the_middle_of_a_streamed_reply_shows_it_once(page: Page, built_app: FastAPI, engine: Engine) -> None:
    open_talk(engine)
    with answering(built_app, piece_s=0.05) as model:
        arrive(page)
        write(page, "My grandmother is ill.")
        expect(page.locator("#turns .turn")).to_have_count(2)
        model.piece_s = 0.5
        write(page, "I am afraid to call her.")
        expect(page.locator("#talk-writing")).to_contain_text("That sounds hard.")
        page.reload()
        expect(page.locator("#turns .turn")).to_have_count(3)
        expect(page.locator("#talk-writing")).to_contain_text("That sounds hard. What")
        expect(page.locator("#turns .turn")).to_have_count(4)
        expect(page.locator("#turns .turn .verbatim")).to_have_text(
            ["My grandmother is ill.", REPLY, "I am afraid to call her.", REPLY]
        )
    assert len(model.seen) == 2
    assert rows(engine, "SELECT number, state FROM conversation_turns ORDER BY number") == [
        (number, "said") for number in range(1, 5)
    ]


def test_back_and_forward_lose_nothing_and_end_nothing_twice(page: Page, built_app: FastAPI, engine: Engine) -> None:
    open_talk(engine)
    with answering(built_app):
        arrive(page)
        write(page, "My grandmother is ill.")
        expect(page.locator("#turns .turn")).to_have_count(2)
        page.get_by_label("Your message").fill("I am afraid")
        page.go_back()
        page.go_forward()
        expect(page.locator("#turns .turn")).to_have_count(2)
        expect(page.get_by_label("Your message")).to_have_value("I am afraid")
        page.get_by_role("button", name="Send").click()
        expect(page.locator("#turns .turn")).to_have_count(4)
        page.get_by_role("button", name="I am done: go on to the questions").click()
        expect(page.get_by_text("How empathetic is it?")).to_be_visible()
        page.go_back()
        expect(page.get_by_text("How empathetic is it?")).to_be_visible()
        expect(page.locator("#talk")).to_have_count(0)
    assert rows(engine, "SELECT count(*) FROM responses") == [(1,)]


# What a screen reader is told: the log's new turns, and the state. Neither may repeat or take back what was said.
HEARD = """() => {
  window.heard = [];
  const of = (part) => new MutationObserver((changes) => changes.forEach((change) => {
    change.addedNodes.forEach((node) => window.heard.push(["added", node.textContent.trim().replace(/\\s+/g, " ")]));
    change.removedNodes.forEach((node) => window.heard.push(["removed", node.textContent.trim()]));
    if (change.type === "characterData") window.heard.push(["changed", change.target.data]);
  })).observe(part, { childList: true, characterData: true, subtree: true });
  of(document.querySelector("[role=log]"));
}"""


def test_screen_reader_hears_each_finished_turn_once(page: Page, built_app: FastAPI, engine: Engine) -> None:
    open_talk(engine)
    with answering(built_app, piece_s=0.05):
        arrive(page)
        page.evaluate(HEARD)
        write(page, "My grandmother is ill.")
        expect(page.locator("#turns .turn")).to_have_count(2)
        write(page, "I am afraid to call her.")
        # While it is written, it is for the eyes only; what is read is that it is being written.
        expect(page.locator("#talk-writing")).to_contain_text("That sounds")
        assert "That sounds hard. What" not in page.locator("#talk-foot").aria_snapshot()
        expect(page.locator("#talk-state")).to_have_text("Reply of Robin: being written…")
        expect(page.locator("#turns .turn")).to_have_count(4)
        heard = [part for part in page.evaluate("window.heard") if part[1]]
        assert heard == [
            ["added", "You My grandmother is ill."],
            ["added", f"Robin {REPLY}"],
            ["added", "You I am afraid to call her."],
            ["added", f"Robin {REPLY}"],
        ]
        expect(page.locator("#talk-state")).to_have_text("")
        tree = page.locator(".asks").aria_snapshot()
    assert tree.index("heading") < tree.index("log") < tree.index("textbox") < tree.index('button "Send"')
    assert (tree.count(REPLY), tree.count("listitem")) == (2, 4)


def test_conversation_by_keys_alone(page: Page, built_app: FastAPI, engine: Engine) -> None:
    open_talk(engine, min_messages=1)
    with answering(built_app):
        arrive(page)
        while page.evaluate("document.activeElement.id") != "message":
            page.keyboard.press("Tab")
        page.keyboard.type("My grandmother")
        page.keyboard.press("Shift+Enter")
        page.keyboard.type("is ill.")
        page.keyboard.press("Enter")
        expect(page.locator("#turns .turn")).to_have_count(2)
        expect(page.get_by_label("Your message")).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="Send")).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.get_by_role("button", name="I am done")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_text("How empathetic is it?")).to_be_visible()
    said = rows(engine, "SELECT text FROM conversation_turns WHERE speaker = 'rater'")
    assert said == [("My grandmother\nis ill.",)]


def test_diary_is_written_without_replies(page: Page, engine: Engine) -> None:
    open_talk(engine, {"replies": "none", "model": "", "name": "My diary"})
    arrive(page)
    for number, words in enumerate(("It rained.", "Nobody called."), 1):
        page.get_by_label("Your entry").fill(words)
        page.get_by_role("button", name="Add").click()
        expect(page.locator("#turns .turn")).to_have_count(number)
    check_in(LOOKS, page)
    page.get_by_role("button", name="I am done: go on to the questions").click()
    expect(page.locator(".response .turn")).to_have_count(2)


@pytest.mark.parametrize(("language", "begin", "send"), [("de", "Beginnen", "Senden"), ("ar", "بدء", "إرسال")])
def test_conversation_in_other_languages_fits_a_phone(
    page: Page, built_app: FastAPI, engine: Engine, language: str, begin: str, send: str
) -> None:
    open_talk(engine, {"name": ""}, language=language)
    with answering(built_app):
        page.goto("/s/study?participant=anna")
        page.locator("button[value=agree]").click()
        page.get_by_role("button", name=begin).click()
        page.wait_for_selector("#talk")
        page.locator("#message").fill("Meine Großmutter ist krank.")
        page.get_by_role("button", name=send).click()
        expect(page.locator("#turns .turn")).to_have_count(2)
        check_in(LOOKS, page)
        assert page.locator("html").get_attribute("dir") == ("rtl" if language == "ar" else "ltr")


def test_long_word_keeps_the_page_within_a_phone(page: Page, engine: Engine) -> None:
    """Such as an address that was pasted: the button to send stays within reach."""
    open_talk(engine, max_characters=60)
    page.set_viewport_size({"width": 390, "height": 844})
    arrive(page)
    page.get_by_label("Your message").fill("https://example.org/" + "y" * 35)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    write(page, "y" * 80)
    expect(page.locator("#message-problem")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_message_written_offline_is_sent_once_when_the_connection_is_back(
    page: Page, built_app: FastAPI, engine: Engine
) -> None:
    open_talk(engine)
    with answering(built_app):
        arrive(page)
        page.context.set_offline(True)
        write(page, "Are you there?")
        expect(page.locator("#talk-state")).to_contain_text("No connection.")
        expect(page.get_by_label("Your message")).to_have_value("Are you there?")
        page.context.set_offline(False)
        expect(page.locator("#turns .turn")).to_have_count(2)
        expect(page.get_by_label("Your message")).to_have_value("")
    assert rows(engine, "SELECT count(*) FROM conversation_turns") == [(2,)]


def test_conversation_has_no_violations_and_fits_a_phone(page: Page, built_app: FastAPI, engine: Engine) -> None:
    open_talk(engine, {"opening": "Hello, I am here."}, alert_words=["ill"], alert="Talk to someone.", help_lines=LINES)
    with answering(built_app):
        arrive(page)
        write(page, "My grandmother is ill. " + "Donaudampfschifffahrtsgesellschaft" * 4)
        expect(page.locator("#turns .turn")).to_have_count(3)
        page.get_by_text("Switzerland").click()
        expect(page.get_by_role("link", name="143", exact=True)).to_be_visible()
        expect(page.get_by_role("link", name="116 123")).to_be_hidden()
        check_in(LOOKS, page)


def test_model_that_fails_lets_the_rater_try_again_or_end(page: Page, built_app: FastAPI, engine: Engine) -> None:
    open_talk(engine)
    with answering(built_app, troubles=lambda _number: fail_with(401, "Incorrect API key.")) as model:
        arrive(page)
        write(page, "Hello?")
        expect(page.locator("#talk-state")).to_contain_text("No reply came.")
        model.troubles = lambda _number: None
        page.get_by_role("button", name="Try again").click()
        expect(page.locator("#turns .turn")).to_have_count(2)
        page.get_by_role("button", name="Stop here").click()
        expect(page.get_by_text("How empathetic is it?")).to_be_visible()
    assert rows(engine, "SELECT attributes ->> 'ended_by' FROM responses") == [("rater_early",)]


def test_conversation_without_scripts(
    new_context: Callable[..., BrowserContext], built_app: FastAPI, engine: Engine
) -> None:
    open_talk(engine)
    with answering(built_app):
        page = new_context(java_script_enabled=False).new_page()
        arrive(page)
        page.get_by_label("Your message").fill("My grandmother is ill.")
        # The link is on the next page only until the reply is: each page is waited for before it is looked at.
        with page.expect_navigation():
            page.get_by_role("button", name="Send").click()
        reply = page.get_by_text(REPLY)
        while not reply.is_visible():
            with page.expect_navigation():
                page.get_by_role("link", name="Show the reply").click()
        page.get_by_role("button", name="Stop here").click()
        expect(page.get_by_text("How empathetic is it?")).to_be_visible()
