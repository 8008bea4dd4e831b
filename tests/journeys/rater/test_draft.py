"""Drafts in a real browser: alone, with suggestions beside or in the text, by reloads, tabs and lost connections."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import Engine

from app.rating.life_cycle import close_study, open_study
from tests.journeys.axe import LOOKS, check_in
from tests.journeys.rater.test_conversation import CONSENT, LINES, answering
from tests.kit.builder import EMPATHY, build_study, protocol_of
from tests.kit.database import rows
from tests.kit.models_server import fail_with

pytestmark = pytest.mark.browser
POST = "My grandmother is ill, and I am afraid to call her."
# The false server's reply in the journeys of conversations.
SUGGESTED = "That sounds hard. What was it like for you when you heard it?"
SUGGEST = {"model": "m", "prompt": "Suggest a sentence for: {item}"}
TEXT = "SELECT text FROM conversation_turns WHERE number = 0"
SHARE = "SELECT text, attributes ->> 'n_taken', attributes ->> 'share_of_model' FROM responses"


def open_drafts(engine: Engine, partner: dict[str, Any] | None = None, **draft: Any) -> None:  # noqa: ANN401
    """Open a study of drafts with one kind of help; `draft` has its bounds."""
    n_items = draft.pop("n_items", 1)
    parts = protocol_of(
        language=draft.pop("language", "en"),
        sources={"help": {"kind": "human+model"}},
        questions=[EMPATHY],
        design={"trials": "draft", "blind": False},
        draft={"partners": {"help": partner or SUGGEST}, "min_words": 3, "max_words": 100, **draft},
        flow={"consent": CONSENT | {"records_keystrokes": "keystrokes" in draft}},
    )
    with engine.begin() as db:
        texts = [{"key": f"ill{number}", "text": POST, "responses": {}} for number in range(n_items)]
        build_study(db, parts, texts=texts)
        open_study(db, "study")


def arrive(page: Page, who: str = "anna") -> None:
    page.goto(f"/s/study?participant={who}")
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("#draft")
    page.wait_for_load_state()


def finish(page: Page) -> None:
    page.get_by_role("button", name="I am done").click()
    expect(page.get_by_text("How empathetic is it?")).to_be_visible()


def test_rater_is_told_that_the_study_was_closed_while_they_write(page: Page, engine: Engine) -> None:
    open_drafts(engine, {"replies": "none"})
    arrive(page)
    field = page.get_by_role("textbox", name="Your text")
    field.press_sequentially("I am so sorry.")
    expect(page.locator("#draft-saved")).to_have_text("Saved")
    with engine.begin() as db:
        close_study(db, "study")
    field.press_sequentially(" I am here.")
    expect(page.get_by_text("This study is closed.")).to_be_visible()
    assert rows(engine, TEXT) == [("I am so sorry.",)]


def test_words_are_counted_in_the_digits_of_the_language(page: Page, engine: Engine) -> None:
    open_drafts(engine, {"replies": "none"}, language="ar-EG")
    page.goto("/s/study?participant=anna")
    page.locator("[value=agree]").click()
    page.locator("main form button").click()
    expect(page.locator("#draft-count")).to_have_text("الكلمات: ٠")
    page.locator("#message").press_sequentially("أنا آسف جدا")
    expect(page.locator("#draft-count")).to_have_text("الكلمات: ٣")


def test_minutes_that_are_left_are_counted_down(page: Page, engine: Engine) -> None:
    open_drafts(engine, {"replies": "none"}, minutes=20)
    page.clock.install()
    arrive(page)
    expect(page.locator("#draft-hint")).to_contain_text("about 20 min left")
    page.clock.fast_forward(12 * 60_000)
    expect(page.locator("#draft-hint")).to_contain_text("about 8 min left")


def test_text_without_help_is_saved_as_it_is_written(page: Page, engine: Engine) -> None:
    open_drafts(engine, {"replies": "none"})
    arrive(page)
    field = page.get_by_role("textbox", name="Your text")
    field.press_sequentially("I am so sorry.")
    expect(page.locator("#draft-count")).to_have_text("Words: 4")
    expect(page.locator("#draft-saved")).to_have_text("Saved")
    assert rows(engine, TEXT) == [("I am so sorry.",)]
    field.press_sequentially(" Call me.")
    page.reload()
    expect(field).to_have_value("I am so sorry. Call me.")
    page.get_by_role("button", name="I am done").click()
    expect(page.locator(".response .verbatim")).to_have_text("I am so sorry. Call me.")
    page.keyboard.press("4")
    page.get_by_role("button", name="Finish").click()
    expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    assert rows(engine, SHARE) == [("I am so sorry. Call me.", "0", "0.0")]
    assert rows(engine, "SELECT number FROM ratings") == [(4,)]


def test_tab_that_stayed_in_a_trial_goes_on_with_the_next_one_whole(page: Page, engine: Engine) -> None:
    open_drafts(engine, {"replies": "none"}, n_items=2)
    arrive(page)
    field = page.get_by_role("textbox", name="Your text")
    field.press_sequentially("I am so sorry.")
    expect(page.locator("#draft-saved")).to_have_text("Saved")
    other = page.context.new_page()
    other.goto(page.url)
    finish(other)
    other.keyboard.press("4")
    other.get_by_role("button", name="Next").click()
    other.get_by_role("textbox", name="Your text").press_sequentially("Of the second.")
    expect(other.locator("#draft-saved")).to_have_text("Saved")
    field.press_sequentially(" Call me.")
    expect(page.locator("#rate")).to_contain_text("Item 2 of 2")
    expect(field).to_have_value("Of the second.")
    assert sorted(rows(engine, TEXT)) == [("I am so sorry.",), ("Of the second.",)]
    other.close()


def test_suggestion_is_taken_at_the_cursor_by_keys_alone(page: Page, built_app: FastAPI, engine: Engine) -> None:
    open_drafts(engine)
    with answering(built_app) as model:
        arrive(page)
        field = page.get_by_role("textbox", name="Your text")
        field.press_sequentially("Oh no. Call me.")
        for _ in range(len(" Call me.")):
            page.keyboard.press("ArrowLeft")
        page.keyboard.press("Control+Enter")
        expect(page.locator("#suggestion-text")).to_have_text(SUGGESTED)
        expect(page.locator("#talk-state")).to_have_text("A suggestion is there.")
        expect(field).to_be_focused()
        page.keyboard.press("Control+Enter")
        expect(field).to_have_value(f"Oh no. {SUGGESTED} Call me.")
        expect(page.locator("#suggestion")).to_have_count(0)
        page.get_by_role("button", name="Another suggestion").click()
        page.get_by_role("button", name="Ignore").click()
        expect(page.locator("#suggestion")).to_have_count(0)
        finish(page)
    assert [body["messages"][-1]["content"] for body in model.seen] == [
        "Oh no. Call me.",
        f"Oh no. {SUGGESTED} Call me.",
    ]
    # 13 of 17 tokens.
    assert rows(engine, SHARE) == [(f"Oh no. {SUGGESTED} Call me.", "1", "0.7647")]
    decided = rows(engine, "SELECT decision FROM conversation_turns WHERE speaker = 'partner' ORDER BY number")
    assert decided == [("taken",), ("ignored",)]


def test_inserted_suggestion_can_be_changed_or_taken_back(page: Page, built_app: FastAPI, engine: Engine) -> None:
    open_drafts(engine, {**SUGGEST, "suggestions": "inserted"})
    with answering(built_app):
        arrive(page)
        field = page.get_by_role("textbox", name="Your text")
        field.fill("Oh no.")
        page.get_by_role("button", name="Suggestion, please").click()
        expect(field).to_have_value(SUGGESTED)
        page.get_by_role("button", name="Back to my text").click()
        expect(field).to_have_value("Oh no.")
        page.get_by_role("button", name="Another suggestion").click()
        expect(field).to_have_value(SUGGESTED)
        field.press("End")
        field.press_sequentially(" I am here.")
        expect(page.get_by_role("button", name="Back to my text")).to_have_count(0)
        finish(page)
    assert rows(engine, SHARE) == [(f"{SUGGESTED} I am here.", "1", "0.8125")]


def test_reload_while_a_suggestion_is_made_and_a_second_tab_lose_nothing(
    page: Page, built_app: FastAPI, engine: Engine
) -> None:
    open_drafts(engine)
    with answering(built_app, delay_s=1.5) as model:
        arrive(page)
        field = page.get_by_role("textbox", name="Your text")
        field.fill("Oh no.")
        page.get_by_role("button", name="Suggestion, please").click()
        expect(page.locator("#talk-state")).to_contain_text("being written")
        field.press_sequentially(" My dear.")
        page.reload()
        expect(field).to_have_value("Oh no. My dear.")
        expect(page.locator("#suggestion-text")).to_have_text(SUGGESTED)
        expect(field).to_have_value("Oh no. My dear.")
        other = page.context.new_page()
        other.goto(page.url)
        other.get_by_role("textbox", name="Your text").fill("From the second tab.")
        expect(other.locator("#draft-saved")).to_have_text("Saved")
        field.fill("From the first tab.")
        expect(page.locator("#message-problem")).to_contain_text("changed in another window")
        expect(field).to_have_value("From the first tab.")
        expect(page.locator(".draft-other")).to_contain_text("From the second tab.")
        page.get_by_role("button", name="I am done").click()
        expect(page.get_by_text("How empathetic is it?")).to_be_visible()
        other.close()
    assert len(model.seen) == 1
    assert rows(engine, SHARE)[0][:2] == ("From the first tab.", "0")


def test_text_written_offline_is_saved_when_the_connection_is_back_and_after_back(page: Page, engine: Engine) -> None:
    open_drafts(engine, {"replies": "none"})
    arrive(page)
    field = page.get_by_role("textbox", name="Your text")
    page.context.set_offline(True)
    field.press_sequentially("I am offline now.")
    expect(page.locator("#talk-state")).to_contain_text("No connection.")
    page.context.set_offline(False)
    expect(page.locator("#draft-saved")).to_have_text("Saved")
    assert rows(engine, TEXT) == [("I am offline now.",)]
    field.press_sequentially(" And back.")
    page.goto("/s/study/withdraw")
    page.go_back()
    expect(field).to_have_value("I am offline now. And back.")
    finish(page)
    assert rows(engine, SHARE)[0][0] == "I am offline now. And back."


def test_model_that_is_away_keeps_nobody_from_ending(page: Page, built_app: FastAPI, engine: Engine) -> None:
    open_drafts(engine)
    with answering(built_app, troubles=lambda _number: fail_with(401, "Incorrect API key.")):
        arrive(page)
        field = page.get_by_role("textbox", name="Your text")
        field.fill("I am so sorry.")
        page.get_by_role("button", name="Suggestion, please").click()
        expect(page.locator("#talk-state")).to_contain_text("No suggestion came. Your text is kept.")
        finish(page)
    assert rows(engine, SHARE) == [("I am so sorry.", "0", "0.0")]


def test_long_pasted_text_is_refused_and_kept(page: Page, engine: Engine) -> None:
    open_drafts(engine, {"replies": "none"})
    arrive(page)
    field = page.get_by_role("textbox", name="Your text")
    field.focus()
    page.evaluate("document.execCommand('insertText', false, 'wort '.repeat(10000))")
    expect(page.locator("#message-problem")).to_contain_text("at most 20,000 characters; this one has 50,000")
    page.reload()
    expect(field).to_have_value("wort " * 10_000)
    field.fill("wort " * 101)
    page.get_by_role("button", name="I am done").click()
    expect(page.locator("#message-problem")).to_contain_text("at most 100 words are allowed")
    field.fill("")
    page.get_by_role("button", name="I am done").click()
    expect(page.locator("#message-problem")).to_contain_text("Write your text first.")
    field.fill("Oh no")
    page.get_by_role("button", name="I am done").click()
    page.get_by_role("button", name="Stop here").click()
    expect(page.get_by_text("How empathetic is it?")).to_be_visible()
    assert rows(engine, "SELECT text, attributes ->> 'ended_by' FROM responses") == [("Oh no", "rater_early")]


@pytest.mark.parametrize("kind", ["beside", "inserted"])
def test_draft_has_no_violations_and_fits_a_phone(page: Page, built_app: FastAPI, engine: Engine, kind: str) -> None:
    notice = {"alert_words": ["ill"], "alert": "Talk to someone.", "help_lines": LINES}
    open_drafts(engine, {**SUGGEST, "suggestions": kind}, **notice)
    with answering(built_app):
        arrive(page)
        page.get_by_role("textbox", name="Your text").fill("My grandmother is ill. " + "Donaudampfschifffahrt" * 6)
        page.get_by_text("Switzerland").click()
        page.get_by_role("button", name="Suggestion, please").click()
        expect(page.locator("#suggestion" if kind == "beside" else "#draft-back")).to_be_visible()
        # What the rater opened stays open.
        expect(page.get_by_role("link", name="116 123")).to_be_hidden()
        expect(page.get_by_role("link", name="143", exact=True)).to_have_attribute("href", "tel:143")
        expect(page.get_by_role("link", name="143", exact=True)).to_be_visible()
        check_in(LOOKS, page)


def test_draft_without_scripts(new_context: Callable[..., BrowserContext], built_app: FastAPI, engine: Engine) -> None:
    open_drafts(engine)
    with answering(built_app):
        page = new_context(java_script_enabled=False).new_page()
        arrive(page)
        page.get_by_role("textbox", name="Your text").fill("Oh no.")
        # The second button goes once the suggestion is there: each page is waited for before it is looked at.
        with page.expect_navigation():
            page.get_by_role("button", name="Suggestion, please").click()
        while page.get_by_role("button", name="Show the suggestion").is_visible():
            with page.expect_navigation():
                page.get_by_role("button", name="Show the suggestion").click()
        page.get_by_role("button", name="Take").click()
        expect(page.get_by_role("textbox", name="Your text")).to_have_value(f"Oh no.\n\n{SUGGESTED}")
        finish(page)
    assert rows(engine, SHARE)[0][:2] == (f"Oh no.\n\n{SUGGESTED}", "1")


def replayed(engine: Engine, text: str) -> list[tuple[str, int, int]]:
    """The stored changes without their times, which must make up a text of this length, one after the other."""
    stored = rows(engine, "SELECT detail -> 'changes' FROM events WHERE kind = 'keystrokes' ORDER BY id")
    changes = [change for (batch,) in stored for change in batch]
    assert [change[0] for change in changes] == sorted(change[0] for change in changes)
    length = 0
    for _, _, at, n_removed, n_added in changes:
        assert at + n_removed <= length
        length += n_added - n_removed
    assert length == len(text)
    return [(kind, n_removed, n_added) for _, kind, _, n_removed, n_added in changes]


def test_keystrokes_are_stored_once_by_reload_lost_connection_and_suggestion(
    page: Page, built_app: FastAPI, engine: Engine
) -> None:
    open_drafts(engine, keystrokes=True)
    with answering(built_app):
        page.goto("/s/study?participant=anna")
        expect(page.get_by_text("each change is recorded")).to_be_visible()
        arrive(page)
        field = page.get_by_role("textbox", name="Your text")
        field.press_sequentially("Oh noo")
        field.press("Backspace")
        page.reload()  # before it is saved
        expect(field).to_have_value("Oh no")
        page.context.set_offline(True)
        field.press("End")
        field.press_sequentially(". aaa")
        expect(page.locator("#talk-state")).to_contain_text("No connection.")
        field.press("ArrowLeft")
        field.press("a")
        page.context.set_offline(False)
        expect(page.locator("#draft-saved")).to_have_text("Saved")
        for keys in ("Control+a", "Control+c", "End", "Control+v"):
            field.press(keys)
        page.get_by_role("button", name="Suggestion, please").click()
        expect(page.locator("#suggestion-text")).to_have_text(SUGGESTED)
        field.press("Control+Enter")
        finish(page)
    typed = "Oh no. aaaa"
    text = f"{typed}{typed} {SUGGESTED}"
    assert rows(engine, "SELECT text FROM responses") == [(text,)]
    assert replayed(engine, text) == [
        *[("typed", 0, 1)] * 6,
        ("typed", 1, 0),
        *[("typed", 0, 1)] * 6,
        ("pasted", 0, len(typed)),
        ("suggested", 0, len(SUGGESTED) + 1),
    ]
    ((counted,),) = rows(engine, "SELECT attributes FROM responses")
    # The key taken back, and the one before the end.
    assert (counted["n_revisions"], counted["share_pasted"]) == ("2", str(round(11 / 23, 4)))


def test_inserted_suggestion_and_the_way_back_are_recorded(page: Page, built_app: FastAPI, engine: Engine) -> None:
    open_drafts(engine, {**SUGGEST, "suggestions": "inserted"}, keystrokes=True)
    with answering(built_app):
        arrive(page)
        field = page.get_by_role("textbox", name="Your text")
        field.press_sequentially("I am")
        page.get_by_role("button", name="Suggestion, please").click()
        expect(field).to_have_value(SUGGESTED)
        page.get_by_role("button", name="Back to my text").click()
        expect(field).to_have_value("I am")
        field.press("End")
        field.press_sequentially(" here.")
        finish(page)
    kinds = [kind for kind, _, _ in replayed(engine, "I am here.")]
    assert kinds == [*["typed"] * 4, *["suggested"] * 2, *["typed"] * 6]


def test_no_keystroke_leaves_the_page_without_consent(page: Page, engine: Engine) -> None:
    open_drafts(engine, {"replies": "none"})
    bodies: list[str] = []
    page.on("request", lambda request: bodies.append(request.post_data or ""))
    arrive(page)
    field = page.get_by_role("textbox", name="Your text")
    field.press_sequentially("I am so sorry.")
    expect(page.locator("#draft-saved")).to_have_text("Saved")
    finish(page)
    assert any("message=I+am+so+sorry" in body for body in bodies)
    assert not any("keystrokes" in body for body in bodies)
    assert rows(engine, "SELECT count(*) FROM events WHERE kind = 'keystrokes'") == [(0,)]
