"""A rater's text without scripts: it is kept, suggestions are asked for, taken or ignored; it becomes a response."""

import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import Engine, text

from app.accounts.lead_access import add_lead
from app.rating.review.conversations import list_conversations
from app.rating.simulation.simulate import simulate
from app.rating.simulation.simulate_folder import simulate_folder
from app.studies.creation.copy_study import copy_study
from app.studies.export import study_rating_sessions
from app.studies.folder.read import read_folder
from app.studies.protocols import get_protocol
from app.studies.studies import get_study
from tests.kit.builder import EMPATHY
from tests.kit.database import rows
from tests.kit.dyads import begin
from tests.kit.rater_pages import Visitor
from tests.rating.web.test_conversation import CONSENT, FalseReplies, lead_of, replies, reply

__all__ = ["replies"]  # a fixture
BESIDE = {"model": "m", "prompt": "Suggest one sentence for: {item}"}
INSERTED = {**BESIDE, "suggestions": "inserted"}
ALONE = {"replies": "none"}
SUGGESTED = "That must be so hard for you."
TURNS = "SELECT number, speaker, state, text, decision FROM conversation_turns WHERE number > 0 ORDER BY number"
TEXT = "SELECT text, revision FROM conversation_turns WHERE number = 0"
ENDED = "SELECT text, attributes FROM responses"


def write_study(study: Callable[..., int], partner: dict[str, Any] | None = None, **parts: Any) -> int:  # noqa: ANN401
    """Open a study of drafts; `draft` has its bounds."""
    draft = {"partners": {"help": partner or BESIDE}, "min_words": 3, "max_words": 20, **parts.pop("draft", {})}
    usual = {
        "sources": {key: {"kind": "human"} for key in draft["partners"]},
        "questions": [EMPATHY],
        "design": {"trials": "draft"},
        "flow": {"consent": CONSENT},
        "texts": [{"key": "dog", "text": "My dog died.", "responses": {}}],
    }
    return study(**{**usual, **parts, "draft": draft})


def fields_of(page: Any) -> dict[str, str]:  # noqa: ANN401 - httpx's response
    """The hidden fields of the form."""
    return dict(re.findall(r'type="hidden" name="(number|next|of)" value="(\d+)"', page.text))


def press(one: Visitor, page: Any, does: str, words: str, **more: str) -> Any:  # noqa: ANN401 - httpx's response
    """Send the form of a page by one of its buttons."""
    found = re.search(r'action="(/s/[^"/]+/rate/[^"/]+/write)"', page.text)
    assert found, page.text
    return one.post(found[1], data={**fields_of(page), "message": words, "does": does, **more})


def test_text_is_kept_and_becomes_a_response(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    write_study(study, ALONE)
    one = visitor()
    one.arrive("anna")
    page = one.post("/s/study/consent", data={"consent": "agree"})
    assert "You will write 1 text and answer questions about it" in page.text
    page = one.post("/s/study/start")
    assert "My dog died." in page.text
    assert "Suggestion, please" not in page.text
    page = press(one, page, "keep", "  I am\r\nso sorry. ")
    assert rows(engine, TEXT) == [("  I am\nso sorry. ", 1)]
    assert "I am\nso sorry. </textarea>" in page.text
    page = press(one, page, "end", "I am so sorry, Anna.")
    assert "Your text" in page.text
    assert "How empathetic is it?" in page.text
    ((words, found),) = rows(engine, ENDED)
    assert words == "I am so sorry, Anna."
    seconds = found.pop("seconds")
    assert int(seconds) >= 0
    assert found == {
        "ended_by": "rater",
        "n_words": "5",
        "n_suggestions": "0",
        "n_taken": "0",
        "n_changed": "0",
        "share_of_model": "0.0",
        "written_by": rows(engine, "SELECT key FROM raters")[0][0],
    }
    assert "Thank you" in one.post(page.url.path, data={"q0r0": "4"}).text
    assert rows(engine, "SELECT number, response_id IS NOT NULL FROM ratings") == [(4, True)]


def test_script_that_saves_is_told_the_revision(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    write_study(study, ALONE, draft={"alert_words": ["suicid*"], "alert": "Call 116 123."})
    one, page = begin(visitor)
    assert 'id="draft-alert" dir="auto" hidden' in " ".join(page.text.split())
    found = re.search(r'action="(/s/[^"/]+/rate/[^"/]+/write)"', page.text)
    assert found
    way = found[1]
    sent = {"message": "I am here", "number": "0", "does": "keep"}
    asks = {"accept": "application/json"}
    assert one.post(way, data=sent, headers=asks).json() == {"number": 1, "alert": False}
    assert one.post(way, data=sent, headers=asks).json() == {"number": 1, "alert": False}
    sent |= {"message": "A suicidal friend", "number": "1"}
    assert one.post(way, data=sent, headers=asks).json() == {"number": 2, "alert": True}
    refused = one.post(way, data={**sent, "message": "Older", "number": "0"}, headers=asks)
    assert (refused.status_code, "changed in another window" in refused.text) == (422, True)
    assert rows(engine, TEXT) == [("A suicidal friend", 2)]


def test_help_lines_are_in_the_notice_of_a_draft(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    today = f"{datetime.now(UTC).date()}"
    lines = [{"country": "GB", "name": "Samaritans", "number": "116 123", "checked": today}]
    write_study(study, ALONE, draft={"alert_words": ["suicid*"], "alert": "Talk to someone.", "help_lines": lines})
    one, page = begin(visitor)
    seen = " ".join(press(one, page, "keep", "I think of suicide.").text.split())
    notice = seen[seen.index('id="draft-alert" dir="auto">') :].partition("<textarea")[0]
    assert notice.index("Talk to someone.") < notice.index("<summary>United Kingdom</summary>")
    assert '<bdi>Samaritans</bdi> <a href="tel:116123" dir="ltr">116 123</a>' in notice


def test_text_of_another_window_is_shown_and_replaced_only_when_the_rater_goes_on(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    write_study(study, ALONE)
    one, page = begin(visitor)
    press(one, page, "keep", "From the first window")
    refused = press(one, page, "keep", "From the second window")
    assert refused.status_code == 422
    assert "From the second window</textarea>" in refused.text
    assert '<div class="verbatim" dir="auto">From the first window</div>' in refused.text
    assert rows(engine, TEXT) == [("From the first window", 1)]
    press(one, page, "keep", "From the second window")  # sent again
    press(one, refused, "keep", "From the second window")
    assert rows(engine, TEXT) == [("From the second window", 2)]
    # What was acknowledged in the first window is not lost.
    both = {"stored": "From the first window", "refused": "From the second window"}
    assert rows(engine, "SELECT detail FROM events WHERE kind = 'two_windows'") == [(both,)]


@pytest.mark.parametrize("number", ["", "-1", "x", "²", "9" * 5000])
def test_number_that_no_form_has_changes_nothing(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, number: str, replies: FalseReplies
) -> None:
    write_study(study)
    one, page = begin(visitor)
    assert press(one, page, "keep", "Words", number=number).status_code == 422
    assert press(one, page, "ask", "", next=number).status_code == 200
    assert press(one, page, "take", "", of=number).status_code == 200
    assert press(one, page, number, "").status_code == 200
    assert (rows(engine, TEXT), rows(engine, TURNS), replies.asked) == ([("", 0)], [], [])


@pytest.mark.parametrize(
    ("does", "words", "sentence"),
    [
        ("keep", "a" * 50_000, "A text has at most 20,000 characters; this one has 50,000. Please shorten it."),
        ("end", " \n ", "Write your text first."),
        ("stop", "", "Write your text first."),
        ("end", "one two", "Please write at least 3 words; your text has 2. You can also stop here."),
        ("end", "word " * 21, "Your text has 21 words, and at most 20 words are allowed. Please shorten it."),
        ("stop", "word " * 21, "Your text has 21 words, and at most 20 words are allowed. Please shorten it."),
    ],
)
def test_text_that_does_not_fit_is_told_so_and_stays_in_the_field(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, does: str, words: str, sentence: str
) -> None:
    write_study(study, ALONE)
    one, page = begin(visitor)
    refused = press(one, page, does, words)
    assert refused.status_code == 422
    assert "Item 1 of 1" in refused.text
    assert sentence in refused.text
    assert f"{words}</textarea>" in refused.text
    assert rows(engine, "SELECT count(*) FROM responses") == [(0,)]
    assert ("Stop here and go on to the questions" in refused.text) == ("You can also stop" in sentence)


def test_rater_can_stop_with_fewer_words_and_it_is_said(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    write_study(study, ALONE)
    one, page = begin(visitor)
    page = press(one, press(one, page, "end", "Oh no"), "stop", "Oh no")
    assert "How empathetic is it?" in page.text
    assert rows(engine, "SELECT attributes ->> 'ended_by' FROM responses") == [("rater_early",)]


def test_suggestion_is_shown_beside_the_text_taken_and_ignored(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    write_study(study)
    one, page = begin(visitor)
    first = page
    page = press(one, page, "ask", "Oh no.")
    assert "A suggestion is being written." in page.text
    assert "Show the suggestion" in page.text
    press(one, first, "ask", "Oh no.")  # a second click
    reply(engine, words=SUGGESTED)
    page = one.get("/s/study/rate")
    assert SUGGESTED in page.text
    page = press(one, page, "take", "Oh no.")
    assert f"Oh no.\n\n{SUGGESTED}</textarea>" in page.text
    assert press(one, page, "take", f"Oh no.\n\n{SUGGESTED}", of="2").status_code == 200  # a second click
    page = press(one, page, "ask", "Oh no. That must be so hard for all of you.")
    reply(engine, words="<b>Call</b> **me**, any time.")
    page = one.get("/s/study/rate")
    assert "&lt;b&gt;Call&lt;/b&gt; **me**, any time." in page.text
    page = press(one, page, "ignore", "Oh no. That must be so hard for all of you.")
    assert "any time" not in page.text
    page = press(one, page, "ask", "Oh no. That must be so hard for all of you.")
    page = press(one, page, "end", "Oh no. That must be so hard for all of you.")
    assert rows(engine, TURNS) == [
        (1, "rater", "said", "Oh no.", None),
        (2, "partner", "said", SUGGESTED, "taken"),
        (3, "rater", "said", "Oh no. That must be so hard for all of you.", None),
        (4, "partner", "said", "<b>Call</b> **me**, any time.", "ignored"),
        (5, "rater", "said", "Oh no. That must be so hard for all of you.", None),
        (6, "partner", "failed", None, None),
    ]
    ((words, found),) = rows(engine, ENDED)
    assert words == "Oh no. That must be so hard for all of you."
    # Six of eleven words: oh no [that must be so hard for] all of you.
    assert {key: found[key] for key in ("n_suggestions", "n_taken", "n_changed", "share_of_model")} == {
        "n_suggestions": "2",
        "n_taken": "1",
        "n_changed": "1",
        "share_of_model": "0.5455",
    }
    assert len({*replies.asked}) == 3


@pytest.mark.parametrize("is_shown", [True, False])
def test_only_a_suggestion_on_the_rater_s_page_counts_as_seen(
    study: Callable[..., int],
    visitor: Callable[[], Visitor],
    engine: Engine,
    replies: FalseReplies,
    *,
    is_shown: bool,
) -> None:
    study_id = write_study(study)
    one, page = begin(visitor)
    page = press(one, page, "ask", "Oh no.")
    reply(engine, words=SUGGESTED)
    if is_shown:
        page = one.get("/s/study/rate")
        assert SUGGESTED in page.text
    press(one, page, "end", f"Oh no. {SUGGESTED}")
    ((_, found),) = rows(engine, ENDED)
    # Of nine words, those of a suggestion that the rater has not seen are the rater's own.
    seen = {"n_suggestions": "1", "n_taken": "0", "share_of_model": "0.7778"}
    unseen = {"n_suggestions": "0", "n_taken": "0", "share_of_model": "0.0"}
    assert {key: found[key] for key in seen} == (seen if is_shown else unseen)
    decided = "SELECT state, decision, problem FROM conversation_turns WHERE speaker = 'partner'"
    ignored, not_opened = ("said", "ignored", None), ("failed", None, "The rater went on without it.")
    assert rows(engine, decided) == [ignored if is_shown else not_opened]
    with engine.begin() as db:
        (row,) = list_conversations(db, study_id, get_protocol(db, study_id, 1), n=9)
    assert (row.n_replies, row.flags) == (int(found["n_suggestions"]), ())
    assert replies.asked


def test_page_that_has_inserted_the_words_says_so(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    write_study(study)
    one, page = begin(visitor)
    press(one, page, "ask", "Oh no. Call me.")
    reply(engine, words=SUGGESTED)
    page = one.get("/s/study/rate")
    press(one, page, "taken", f"Oh no. {SUGGESTED} Call me.")
    assert rows(engine, TEXT) == [(f"Oh no. {SUGGESTED} Call me.", 2)]
    assert rows(engine, TURNS)[1][-1] == "taken"
    assert replies.asked


def test_inserted_suggestion_takes_the_place_of_the_text_and_goes_out_again(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    write_study(study, INSERTED)
    one, page = begin(visitor)
    press(one, page, "ask", "Oh no.")
    reply(engine, words=SUGGESTED)
    page = one.get("/s/study/rate")
    assert f"{SUGGESTED}</textarea>" in page.text
    assert "The suggestion is in your text." in page.text
    page = press(one, page, "back", SUGGESTED)
    assert "Oh no.</textarea>" in page.text
    # The rater goes on while it is made: nothing of that is overwritten.
    page = press(one, page, "ask", "Oh no.")
    page = press(one, page, "keep", "Oh no. My dear.")
    reply(engine, words=SUGGESTED)
    page = one.get("/s/study/rate")
    assert "Oh no. My dear.</textarea>" in page.text
    assert "Replace my text" in page.text
    page = press(one, page, "take", "Oh no. My dear Anna.")
    assert f"{SUGGESTED}</textarea>" in page.text
    page = press(one, page, "back", SUGGESTED)
    assert "Oh no. My dear Anna.</textarea>" in page.text
    assert [row[-1] for row in rows(engine, TURNS)] == [None, "taken_back", None, "taken_back"]
    assert replies.asked


def test_late_copy_does_not_insert_a_suggestion_while_the_rater_goes_on(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    write_study(study, INSERTED)
    one, first = begin(visitor)
    page = press(one, first, "keep", "Oh no.")
    page = press(one, page, "ask", "Oh no.")
    reply(engine, words=SUGGESTED)
    assert press(one, first, "keep", "Oh").status_code == 422
    assert press(one, page, "keep", "Oh no. My dear.").status_code == 200
    assert rows(engine, TEXT)[0][0] == "Oh no. My dear."
    assert replies.asked


@pytest.mark.parametrize("partner", [BESIDE, INSERTED])
def test_request_that_arrives_twice_is_done_once(
    study: Callable[..., int],
    visitor: Callable[[], Visitor],
    engine: Engine,
    replies: FalseReplies,
    partner: dict[str, str],
) -> None:
    """A script sends again what was carried out before its connection broke."""
    write_study(study, partner)
    one, page = begin(visitor)
    press(one, page, "ask", "Oh no.")
    press(one, page, "keep", "Oh no. My dear.", number="1")
    reply(engine, words=SUGGESTED)
    page = one.get("/s/study/rate")
    for _ in range(2):
        taken = press(one, page, "take", "Oh no. My dear.")
        assert (taken.status_code, "another window" in taken.text) == (200, False)
    if partner is INSERTED:
        for _ in range(2):
            assert press(one, taken, "back", SUGGESTED).status_code == 200
    assert rows(engine, TURNS)[1][-1] == ("taken" if partner is BESIDE else "taken_back")
    expected = f"Oh no. My dear.\n\n{SUGGESTED}" if partner is BESIDE else "Oh no. My dear."
    assert rows(engine, TEXT)[0][0] == expected
    # The same button after the text has changed is nothing that was done.
    assert press(one, page, "take", "Something else.").status_code == 422
    assert replies.asked


def test_long_suggestion_is_cut_in_place_of_the_text_and_refused_at_its_end(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    write_study(study, draft={"partners": {"help": BESIDE}, "max_characters": 100})
    one, page = begin(visitor)
    press(one, page, "ask", "Oh no.")
    reply(engine, words="word " * 2000)
    page = press(one, one.get("/s/study/rate"), "take", "Oh no.")
    assert (page.status_code, "would be too long with this suggestion" in page.text) == (422, True)
    page = press(one, page, "take", "")
    assert rows(engine, TEXT)[0][0] == ("word " * 2000)[:100]
    assert replies.asked


@pytest.mark.parametrize(
    ("state", "problem", "words", "asks"),
    [
        ("failed", "The endpoint did not answer within 5 s.", "No suggestion came. Your text is kept.", True),
        ("withheld", "filtered: a secret", "This suggestion was withheld by a filter.", True),
        ("failed", "budget", "There are no more suggestions. You can go on writing.", False),
    ],
)
def test_rater_goes_on_without_a_suggestion_that_does_not_come(
    study: Callable[..., int],
    visitor: Callable[[], Visitor],
    engine: Engine,
    replies: FalseReplies,
    state: str,
    problem: str,
    words: str,
    *,
    asks: bool,
) -> None:
    write_study(study)
    one, page = begin(visitor)
    press(one, page, "ask", "Oh no.")
    reply(engine, state, problem=problem)
    page = one.get("/s/study/rate")
    assert words in page.text
    assert "secret" not in page.text
    assert ("Suggestion, please" in page.text) == asks
    page = press(one, page, "end", "Oh no, my dear Anna.")
    assert "How empathetic is it?" in page.text
    assert rows(engine, ENDED)[0][1]["n_suggestions"] == "0"
    assert replies.asked


def test_number_of_suggestions_and_time_are_bounded(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    write_study(study, draft={"max_suggestions": 1, "minutes": 10})
    one, page = begin(visitor)
    assert "about 10 min left" in page.text
    page = press(one, page, "ask", "Oh no.")
    reply(engine, words=SUGGESTED)
    page = press(one, one.get("/s/study/rate"), "ignore", "Oh no.")
    assert "There are no more suggestions." in page.text
    press(one, page, "ask", "Oh no.")
    assert len(rows(engine, TURNS)) == 2
    with engine.begin() as db:
        db.execute(text("UPDATE conversation_turns SET asked_at = now() - interval '11 minutes' WHERE number = 0"))
    page = one.get("/s/study/rate")
    assert "The time for this text is over." in page.text
    assert " readonly" in page.text
    page = press(one, page, "end", "Oh no.")
    assert "How empathetic is it?" in page.text
    assert rows(engine, "SELECT attributes ->> 'ended_by' FROM responses") == [("time",)]
    assert replies.asked


def test_suggestion_that_comes_after_the_time_is_neither_shown_nor_counted(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    write_study(study, INSERTED, draft={"minutes": 10})
    one, page = begin(visitor)
    press(one, page, "ask", "Oh no.")
    with engine.begin() as db:
        db.execute(text("UPDATE conversation_turns SET asked_at = now() - interval '11 minutes' WHERE number = 0"))
    reply(engine, words=SUGGESTED)
    page = one.get("/s/study/rate")
    assert SUGGESTED not in page.text
    press(one, page, "end", "Oh no.")
    ((words, found),) = rows(engine, ENDED)
    assert (words, found["n_suggestions"], found["n_taken"]) == ("Oh no.", "0", "0")
    assert replies.asked


@pytest.mark.parametrize("partner", [BESIDE, INSERTED])
@pytest.mark.parametrize("is_shown", [True, False])
def test_suggestion_that_was_not_opened_in_time_is_neither_shown_nor_counted(
    study: Callable[..., int],
    visitor: Callable[[], Visitor],
    engine: Engine,
    replies: FalseReplies,
    partner: dict[str, str],
    *,
    is_shown: bool,
) -> None:
    write_study(study, partner, draft={"minutes": 10})
    one, page = begin(visitor)
    page = press(one, page, "ask", "Oh no.")
    reply(engine, words=SUGGESTED)
    if is_shown:
        page = one.get("/s/study/rate")
    with engine.begin() as db:
        for column in ("asked_at", "said_at"):
            db.execute(text(f"UPDATE conversation_turns SET {column} = {column} - interval '11 minutes'"))  # noqa: S608 - of this list
    inserted = is_shown and partner is INSERTED
    words = SUGGESTED if inserted else "Oh no."
    # The page was open when the time was over: its button shows the suggestion, or its script says that it does.
    page = press(one, page, "keep", words)
    assert "The time for this text is over." in page.text
    assert f"{words}</textarea>" in page.text
    assert (SUGGESTED in page.text) == ("Back to my text" in page.text) == inserted
    assert "You can change it" not in page.text
    press(one, page, "end", words)
    ((ended, found),) = rows(engine, ENDED)
    assert (ended, found["n_suggestions"], found["n_taken"]) == (words, str(int(is_shown)), str(int(inserted)))
    decided = ("said", "taken" if inserted else "ignored") if is_shown else ("failed", None)
    assert rows(engine, "SELECT state, decision FROM conversation_turns WHERE speaker = 'partner'") == [decided]
    assert replies.asked


@pytest.mark.parametrize(
    ("words", "sentence"),
    [("", "Write your text first."), ("word " * 21, "at most 20 words are allowed. Please shorten it.")],
)
def test_text_that_has_to_be_changed_after_the_time_can_be_changed(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, words: str, sentence: str
) -> None:
    write_study(study, ALONE, draft={"minutes": 10})
    one, page = begin(visitor)
    page = press(one, page, "keep", words)
    with engine.begin() as db:
        db.execute(text("UPDATE conversation_turns SET asked_at = now() - interval '11 minutes' WHERE number = 0"))
    page = one.get("/s/study/rate")
    assert " readonly" in page.text
    refused = press(one, page, "end", words)
    assert (refused.status_code, sentence in refused.text, " readonly" in refused.text) == (422, True, False)
    assert "How empathetic is it?" in press(one, refused, "end", "Oh no.").text
    assert rows(engine, "SELECT text, attributes ->> 'ended_by' FROM responses") == [("Oh no.", "time")]


def test_lead_finds_drafts_and_reads_one_that_goes_on(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    write_study(study, draft={"alert_words": ["suicid*"], "alert": "Call 116 123."})
    anna, page = begin(visitor)
    page = press(anna, page, "ask", "Oh no.")
    reply(engine, words=SUGGESTED)
    page = press(anna, anna.get("/s/study/rate"), "take", "Oh no.")
    press(anna, page, "end", f"Oh no. {SUGGESTED}")
    ben, page = begin(visitor, "ben")
    press(ben, page, "keep", "I think of suicide.")
    lead = lead_of(visitor, engine)
    assert "Texts, those to look at first" in lead.get("/studies/study/raters").text
    found = lead.get("/studies/study/conversations").text
    assert "<h2>Drafts" in found
    assert "1 of them has alert words" in found
    with engine.begin() as db:
        first, last = list_conversations(db, 1, get_protocol(db, 1, 1), n=10)
    assert (first.n_words, first.n_messages, first.share_of_model, first.state) == (4, 0, None, "goes on")
    assert (last.n_words, last.n_replies, last.n_taken) == (9, 1, 1)
    assert last.share_of_model == pytest.approx(7 / 9, abs=1e-4)
    shown = re.findall(r'<a href="(/studies/study/raters/[^"]+)"', found)
    seen = [lead.get(f"{way.partition('?')[0]}/page?{way.partition('?')[2]}").text for way in shown]
    assert "I think of suicide.</textarea>" in seen[0]
    assert "Item 1 of 1</h1>" in seen[0]
    assert SUGGESTED in seen[1]
    assert replies.asked


def test_text_that_the_rater_skipped_does_not_go_on(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    study_id = write_study(study, ALONE, flow={"consent": CONSENT, "skip_reasons": ["It upsets me."]})
    one, page = begin(visitor)
    page = press(one, page, "keep", "I am sad.")
    assert "What you have written stays stored" in page.text
    found = re.search(r'action="(/s/[^"]+/skip)"', page.text)
    assert found
    one.post(found[1], data={"reason": "It upsets me."})
    with engine.begin() as db:
        (row,) = list_conversations(db, study_id, get_protocol(db, study_id, 1), n=9)
    assert (row.state, row.n_words) == ("skipped", 3)


def test_rater_gets_and_deletes_what_was_written(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    write_study(study)
    one, page = begin(visitor)
    press(one, page, "ask", "My secret")
    reply(engine, words=SUGGESTED)
    page = press(one, one.get("/s/study/rate"), "take", "My secret")
    page = press(one, page, "end", f"My secret. {SUGGESTED}")
    one.post(page.url.path, data={"q0r0": "4"})
    one.get("/s/study/rate")
    mine = one.get("/s/study/my-data.json").json()
    assert "My secret" in json.dumps(mine["conversation_turns"])
    assert [turn["decision"] for turn in mine["conversation_turns"]] == [None, None, "taken"]
    one.post("/s/study/withdraw", data={"withdraw": "delete"})
    assert rows(engine, "SELECT count(*) FROM conversation_turns") == [(0,)]
    assert rows(engine, "SELECT count(*) FROM responses") == [(0,)]
    assert replies.asked


def test_preview_shows_the_text_and_then_its_questions(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    write_study(study)
    lead = lead_of(visitor, engine)
    preview = "/studies/study/design/preview"
    assert "Suggestion, please" in lead.get(f"{preview}?at=draft").text
    asked = lead.get(f"{preview}?at=rating").text
    assert "How empathetic is it?" in asked
    assert "Here is the rater’s text." in asked


def test_copy_has_no_drafts_of_raters(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    write_study(study, ALONE)
    one, page = begin(visitor)
    press(one, page, "end", "My secret is here")
    with engine.begin() as db:
        lead, own = add_lead(db, "lead@example.org"), get_study(db, "study")
        assert own
        copy_study(db, own, lead, "copy", "A copy")
    assert rows(engine, "SELECT study_id FROM responses") == [(1,)]


def test_export_has_requests_suggestions_and_what_became_of_them(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    write_study(study)
    one, page = begin(visitor)
    press(one, page, "ask", "Oh no.")
    reply(engine, words=SUGGESTED)
    page = press(one, one.get("/s/study/rate"), "take", "Oh no.")
    press(one, page, "keep", f"Oh no. {SUGGESTED} Call me.")
    with engine.begin() as db:
        turns = study_rating_sessions(db, 1)["turns"]
    found = turns[["turn", "speaker", "text", "decision"]].astype(object).where(turns.notna(), None)
    assert [tuple(row) for row in found.itertuples(index=False)] == [
        (0, "rater", f"Oh no. {SUGGESTED} Call me.", None),
        (1, "rater", "Oh no.", None),
        (2, "partner", SUGGESTED, "taken"),
    ]
    assert turns["seconds"].notna().tolist() == [False, True, True]
    assert (turns["seconds"].dropna() >= 0).all()
    assert replies.asked


def test_simulated_raters_of_a_folder_write_its_responses(engine: Engine, tmp_path: Path) -> None:
    parts = {
        "attune": 1,
        "slug": "drafts",
        "title": "Drafts",
        "sources": {"help": {"kind": "human"}},
        "questions": [EMPATHY],
        "design": {"trials": "draft", "raters_per_trial": 2},
        "draft": {"partners": {"help": BESIDE}},
        "flow": {"consent": CONSENT},
    }
    (tmp_path / "study.yaml").write_text(json.dumps(parts))
    (tmp_path / "items.csv").write_text("item,text\ndog,My dog died.\n")
    simulate_folder(engine, tmp_path, 2, 1, lambda *_: None)
    found = read_folder(tmp_path)
    assert {*found.ratings["response"]} == {*found.responses["response"]}
    assert len(found.responses) == 2


def test_simulated_raters_write_drafts(study: Callable[..., int], engine: Engine, app: FastAPI) -> None:
    partners = {"alone": ALONE, "asks": BESIDE, "rewrites": INSERTED}
    write_study(
        study,
        draft={"partners": partners, "min_words": 30, "max_words": 60},
        conditions={"help": {"kind": "source", "levels": [*partners]}},
        design={"trials": "draft", "raters_per_trial": 4},
    )
    found = simulate(app.state.begin, "study", 12, seed=1)
    assert (found.n_finished, found.n_assignments) == (12, 12)
    ended = rows(
        engine,
        "SELECT s.key, r.text, r.attributes FROM responses r JOIN sources s ON s.id = r.source_id ORDER BY 1, r.id",
    )
    assert [row[0] for row in ended] == ["alone"] * 4 + ["asks"] * 4 + ["rewrites"] * 4
    for source, words, of in ended:
        shared = sum(word.startswith("suggested") for word in words.split()) / len(words.split())
        assert float(of["share_of_model"]) == pytest.approx(shared, abs=1e-4)
        assert 30 <= int(of["n_words"]) == len(words.split()) <= 60
        assert int(of["n_taken"]) <= int(of["n_suggestions"]) <= (0 if source == "alone" else 3)
    assert any(float(of["share_of_model"]) > 0 for _, _, of in ended)
    assert rows(engine, "SELECT count(*) FROM conversation_turns WHERE tokens_in IS NOT NULL") == [(0,)]
