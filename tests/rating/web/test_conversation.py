"""A rater's conversation without scripts: every state of it, messages that are refused or come twice, and its end."""

import csv
import json
import re
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import Engine, text

from app.accounts.lead_access import add_lead, begin_session
from app.rating.review.conversations import list_conversations
from app.rating.simulation.simulate import simulate
from app.studies.creation.copy_study import copy_study
from app.studies.export import study_folder, study_rating_sessions
from app.studies.folder.read import read_folder
from app.studies.folder.write import write_folder
from app.studies.members.members import record_member
from app.studies.protocols import get_protocol
from app.studies.studies import get_study
from tests.kit.builder import EMPATHY
from tests.kit.database import rows
from tests.kit.dyads import address, begin, say
from tests.kit.rater_pages import Visitor

CONSENT = {"version": "1", "text": "What you write is sent to a language model.", "sends_to_model": True}
BOTH = {"warm": {"model": "m", "name": "Robin", "prompt": "Listen."}, "diary": {"replies": "none"}}
HELP = "Call 116 123 at any time."
SAID = "SELECT speaker, state, text FROM conversation_turns ORDER BY assignment_id, number"


class Heard:
    """What a reply came to."""

    def __init__(self, words: str, state: str) -> None:
        """`state`: awaited, said, withheld or failed."""
        self.text, self.state = words, state


class FalseReplies:
    """In place of the engine that asks models: notes what it was asked for."""

    def __init__(self) -> None:
        """Nothing is asked for yet."""
        self.asked: list[int] = []
        self.n_prepared = 0

    def ensure(self, _study_id: int, turn_id: int) -> None:
        """Note the turn."""
        self.asked.append(turn_id)

    def prepare(self) -> None:
        """Note that a first page was shown."""
        self.n_prepared += 1

    async def listen(self, _study_id: int, turn_id: int) -> AsyncIterator[Heard]:
        """Yield two pieces and the end."""
        self.asked.append(turn_id)
        for words, state in (("I", "awaited"), ("I hear you.", "awaited"), ("I hear you.", "said")):
            yield Heard(words, state)

    def close(self) -> None:
        """Nothing is open."""


@pytest.fixture
def replies(app: FastAPI) -> Iterator[FalseReplies]:
    engine, app.state.replies = app.state.replies, FalseReplies()
    yield app.state.replies
    app.state.replies = engine


def talk(study: Callable[..., int], **parts: Any) -> int:  # noqa: ANN401 - parts of a protocol
    """Open a study of conversations; `conversation` has its bounds."""
    conversation = {"partners": {"warm": BOTH["warm"]}, "min_messages": 2, **parts.pop("conversation", {})}
    usual = {
        "sources": {key: {"kind": "model" if key == "warm" else "human"} for key in conversation["partners"]},
        "questions": [EMPATHY],
        "design": {"trials": "conversation"},
        "flow": {"consent": CONSENT},
        "texts": [{"key": "week", "text": "Your week", "responses": {}}],
    }
    return study(**{**usual, **parts, "conversation": conversation})


def reply(engine: Engine, state: str = "said", words: str | None = "I hear you.", problem: str | None = None) -> None:
    """Let the engine have done its work."""
    with engine.begin() as db:
        sql = """
            UPDATE conversation_turns SET state = :state, text = CAST(:words AS text), problem = CAST(:problem AS text),
              said_at = CASE WHEN :state = 'said' THEN now() END WHERE state = 'awaited'
        """
        db.execute(text(sql), {"state": state, "words": words if state == "said" else None, "problem": problem})


def test_words_that_are_not_sent_yet_keep_the_conversation_open(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    talk(study)
    one, page = begin(visitor)
    say(one, page, "My week was long.")
    reply(engine)
    page = one.get("/s/study/rate")
    assert re.search(r'form="say-form"\s+formaction="[^"]+/end"', page.text)
    page = one.post(f"{address(page)}/end", data={"message": "And there is more."})
    assert page.status_code == 422
    assert "Your message has not been sent yet." in page.text
    assert "Item 1 of 1" in page.text
    assert "And there is more.</textarea>" in page.text
    assert "How empathetic" in one.post(f"{address(page)}/end", data={"message": " "}).text


def test_message_is_stored_with_the_reply_that_it_awaits(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    talk(study)
    one, page = begin(visitor)
    assert "Please write at least 2 messages." in page.text
    assert "end-form" not in page.text
    assert "keys-help" not in page.text  # it has none
    assert replies.n_prepared == 1
    page = say(one, page, "  My week\r\nwas long. ")
    assert rows(engine, SAID) == [("rater", "said", "My week\nwas long."), ("partner", "awaited", None)]
    assert "Reply of Robin: being written" in page.text
    assert "Show the reply" in page.text
    assert "say-form" not in page.text
    assert len(replies.asked) == 1
    reply(engine)
    page = one.get("/s/study/rate")
    assert "I hear you." in page.text
    assert "Stop here and go on to the questions" in page.text


def test_same_message_sent_twice_is_stored_once_and_another_window_is_told(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    talk(study)
    one, page = begin(visitor)
    first = page
    say(one, first, "Hello")
    assert say(one, first, "Hello").status_code == 200
    refused = say(one, first, "Something else")
    assert refused.status_code == 422
    assert "went on in another window" in refused.text
    reply(engine)
    refused = say(one, first, "Something else")
    assert "Something else</textarea>" in refused.text
    assert [row[0] for row in rows(engine, SAID)] == ["rater", "partner"]
    assert replies.asked


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (" \n ", "Write something first."),
        ("a" * 50_000, "A text has at most 4000 characters; this one has 50,000. Please shorten it."),
    ],
)
def test_message_that_does_not_fit_is_refused_and_kept(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, words: str, sentence: str
) -> None:
    talk(study)
    one, page = begin(visitor)
    page = say(one, page, words)
    assert page.status_code == 422
    assert sentence in page.text
    assert words.strip() in page.text
    assert rows(engine, SAID) == []


@pytest.mark.parametrize("number", ["", "0", "-1", "x", "²", "9" * 5000])
def test_number_that_no_form_has_is_told_from_another_window(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, number: str
) -> None:
    talk(study)
    one, page = begin(visitor)
    refused = one.post(f"{address(page)}/say", data={"number": number, "message": "Hello"})
    assert refused.status_code == 422
    assert "went on in another window" in refused.text
    assert rows(engine, SAID) == []


@pytest.mark.parametrize(("after", "n_sent"), [("0", 1), ("1", 0), ("", 1), ("x", 1), ("9" * 5000, 1)])
def test_script_gets_the_turns_that_it_does_not_have(
    study: Callable[..., int], visitor: Callable[[], Visitor], replies: FalseReplies, after: str, n_sent: int
) -> None:
    talk(study)
    one, page = begin(visitor)
    say(one, page, "My dog died.")
    page = one.get("/s/study/rate", headers={"Attune-After": after})
    assert page.status_code == 200
    assert page.text.count("My dog died.") == n_sent
    assert replies.asked


def test_first_page_speaks_of_conversations(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    talk(study, conversation={"minutes": 10})
    one = visitor()
    one.arrive("anna")
    page = one.post("/s/study/consent", data={"consent": "agree"})
    assert "You will have 1 conversation and answer questions about it" in page.text
    assert "at most 10 minutes" in page.text
    assert "no time limit" not in page.text
    assert "random order" not in page.text


def test_html_is_shown_as_text(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    talk(study)
    one, page = begin(visitor)
    say(one, page, "<b>me</b>")
    reply(engine, words="<script>alert(1)</script>")
    page = one.get("/s/study/rate")
    assert "&lt;b&gt;me" in page.text
    assert "&lt;script&gt;" in page.text
    assert "<script>alert" not in page.text
    assert replies.asked


def test_reply_that_does_not_come_can_be_tried_again_or_the_conversation_ended(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    talk(study)
    one, page = begin(visitor)
    say(one, page, "Hello")
    reply(engine, "failed", problem="The endpoint did not answer within 5 s.")
    page = one.get("/s/study/rate")
    assert "No reply came. Your message is kept." in page.text
    assert "did not answer" not in page.text
    one.post(f"{address(page)}/again")
    assert rows(engine, SAID)[-1] == ("partner", "awaited", None)
    assert len(replies.asked) == 2
    reply(engine, "failed", problem="The endpoint did not answer within 5 s.")
    page = one.get("/s/study/rate")
    page = one.post(f"{address(page)}/end")
    assert "How empathetic is it?" in page.text
    found = rows(engine, "SELECT turns, attributes ->> 'ended_by' FROM responses")
    assert found == [([{"speaker": "Participant", "text": "Hello", "by": "rater"}], "no_reply")]


def test_withheld_reply_is_not_shown_and_the_rater_goes_on(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    talk(study)
    one, page = begin(visitor)
    say(one, page, "Hello")
    reply(engine, "withheld", problem="filtered: a secret text")
    page = one.get("/s/study/rate")
    assert "withheld by a filter" in page.text
    assert "secret" not in page.text
    say(one, page, "Something else")
    assert len(rows(engine, SAID)) == 4
    assert replies.asked


def test_budget_and_number_of_messages_end_a_conversation(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    talk(study, conversation={"max_messages": 2})
    anna, page = begin(visitor)
    say(anna, page, "Hello")
    reply(engine, "failed", problem="budget")
    page = anna.get("/s/study/rate")
    assert "The conversation ends here." in page.text
    assert "Try again" not in page.text
    assert "How empathetic" in anna.post(f"{address(page)}/end").text
    ben, page = begin(visitor, "ben")
    for words in ("One", "Two"):
        say(ben, page, words)
        reply(engine)
        page = ben.get("/s/study/rate")
    assert "This was your last message." in page.text
    assert "say-form" not in page.text
    ben.post(f"{address(page)}/end")
    ended = [row[0] for row in rows(engine, "SELECT attributes ->> 'ended_by' FROM responses ORDER BY id")]
    assert ended == ["budget", "messages"]
    assert replies.asked


def test_time_ends_a_conversation(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    talk(study, conversation={"minutes": 10})
    one, page = begin(visitor)
    say(one, page, "Hello")
    reply(engine)
    assert "min left" not in one.get("/s/study/rate").text
    for minutes, words in ((6, "about 4 min left"), (6, "The time for this conversation is over.")):
        with engine.begin() as db:
            db.execute(text(f"UPDATE conversation_turns SET said_at = said_at - interval '{minutes} minutes'"))  # noqa: S608
        assert words in one.get("/s/study/rate").text
    refused = say(one, page, "Too late", 3)
    assert "The conversation is over. Your message was not sent" in refused.text
    assert "Too late</textarea>" in refused.text
    assert replies.asked


def test_words_of_alarm_show_help_and_mark_the_conversation(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    talk(study, conversation={"alert_words": ["suicid*", "end it all"], "alert": HELP})
    one, page = begin(visitor)
    say(one, page, "I want to END  it all.")
    reply(engine)
    page = one.get("/s/study/rate")
    assert HELP in page.text
    one.post(f"{address(page)}/end")
    assert rows(engine, "SELECT attributes ->> 'flags' FROM responses") == [("alert",)]
    assert replies.asked


LINES = [
    {"country": "US", "name": "Lifeline", "number": "988"},
    {"country": "AT", "name": "TelefonSeelsorge", "number": "142"},
    {"country": "DE", "name": "TelefonSeelsorge", "number": "0800 111 0 111", "url": "https://www.telefonseelsorge.de"},
    {"country": "DE", "name": "Kummer & Sorge", "number": "116 111"},
]


@pytest.mark.parametrize(
    ("language", "direction", "heading", "countries"),
    [
        ("en", "ltr", "Help lines by country", ["Austria", "Germany", "United States"]),
        ("de", "ltr", "Hilfetelefone nach Land", ["Deutschland", "Österreich", "Vereinigte Staaten"]),
        ("ar", "rtl", "خطوط المساعدة حسب البلد", ["ألمانيا", "النمسا", "الولايات المتحدة"]),
    ],
)
def test_help_lines_follow_the_text_by_country_in_the_language_of_the_study(
    study: Callable[..., int],
    visitor: Callable[[], Visitor],
    engine: Engine,
    replies: FalseReplies,
    *,
    language: str,
    direction: str,
    heading: str,
    countries: list[str],
) -> None:
    lines = [one | {"checked": f"{datetime.now(UTC).date()}"} for one in LINES]
    talk(study, language=language, conversation={"alert_words": ["suicid*"], "alert": HELP, "help_lines": lines})
    one, page = begin(visitor)
    assert heading not in page.text
    say(one, page, "I think of suicide.")
    reply(engine)
    seen = one.get("/s/study/rate").text.partition('class="notice warning')[2].partition("</ol>")[0]
    assert seen.index(HELP) < seen.index(heading) < seen.index("<summary>")
    assert re.findall(r"<summary>([^<]*)</summary>", seen) == countries
    assert seen.count(f'<details dir="{direction}">') == 3
    assert '<a href="tel:08001110111" dir="ltr">0800 111 0 111</a>' in seen
    assert '<a href="tel:988" dir="ltr">988</a>' in seen
    assert re.search(r'href="https://www\.telefonseelsorge\.de"[^>]*rel="noopener noreferrer"', seen)
    assert "Kummer &amp; Sorge" in seen
    assert replies.asked


@pytest.mark.parametrize(("name", "heading"), [("", "Your notes"), ("100% my journal", "100% my journal")])
def test_diary_awaits_no_reply(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, name: str, heading: str
) -> None:
    talk(study, conversation={"partners": {"diary": {**BOTH["diary"], "name": name}}})
    one, page = begin(visitor)
    assert "Please write at least 2 entries." in page.text
    assert "message" not in re.sub(r"<[^>]*>", "", page.text)
    for words in (" ", "a" * 50_000):
        refused = re.sub(r"<[^>]*>", "", say(one, page, words).text).split("Your entry")[1]
        assert re.search("Write something first|A text has at most", refused)
        assert "message" not in refused
    assert heading in page.text
    page = say(one, page, "A long day.")
    page = say(one, page, "A short night.")
    page = one.post(f"{address(page)}/end")
    assert heading in page.text
    assert "Conversation" not in page.text
    assert rows(engine, "SELECT state FROM assignments") == [("leased",)]
    assert rows(engine, "SELECT attributes ->> 'rater_words', attributes ->> 'n_replies' FROM responses") == [
        ("6", "0")
    ]


def test_arms_have_their_own_partner_and_label(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    talk(
        study,
        conversation={"partners": {"warm": {**BOTH["warm"], "opening": "Hello, I am here."}, "diary": BOTH["diary"]}},
        conditions={"partner": {"kind": "source", "levels": ["warm", "diary"]}},
        design={"trials": "conversation", "blind": False, "raters_per_trial": 1},
    )
    pages = [begin(visitor, who)[1].text for who in ("anna", "ben")]
    assert sorted(("Hello, I am here." in page, "Written by an AI" in page) for page in pages) == [
        (False, False),
        (True, True),
    ]
    assert rows(engine, SAID) == [("partner", "said", "Hello, I am here.")]
    assert not replies.asked


def test_questions_are_answered_only_after_the_conversation(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    talk(study)
    one, page = begin(visitor)
    place = address(page)
    assert "talk-foot" in one.post(place, data={"q0r0": "4"}).text
    assert one.post(f"{place}/save", data={"q0r0": "4"}).status_code == 409
    assert "talk-foot" in one.post(f"{place}/end").text  # nothing is written yet
    say(one, page, "Hello")
    assert "talk-foot" in one.post(f"{place}/end").text  # a reply is awaited
    reply(engine)
    assert "How empathetic" in one.post(f"{place}/end").text
    assert "How empathetic" in one.post(f"{place}/end").text
    page = one.post(place, data={"q0r0": "4"})
    assert "Thank you" in page.text
    assert rows(
        engine,
        "SELECT r.number, s.key FROM ratings r JOIN responses p ON p.id = r.response_id"
        " JOIN sources s ON s.id = p.source_id",
    ) == [(4, "warm")]
    assert one.post(f"{place}/say", data={"number": "3", "message": "More"}).status_code == 200
    assert len(rows(engine, SAID)) == 2
    assert replies.asked


def test_reply_is_streamed_to_its_rater(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    talk(study)
    one, page = begin(visitor)
    stream = f"{address(page)}/reply"
    assert one.get(stream).text == 'event: end\ndata: "said"\n\n'
    say(one, page, "Hello")
    got = one.get(stream)
    assert got.headers["content-type"].startswith("text/event-stream")
    assert got.text == 'event: text\ndata: "I"\n\nevent: text\ndata: "I hear you."\n\nevent: end\ndata: "said"\n\n'
    assert visitor().get(stream).status_code == 404
    assert len(replies.asked) == 2


def test_whole_replies_are_not_shown_in_pieces(
    study: Callable[..., int], visitor: Callable[[], Visitor], replies: FalseReplies
) -> None:
    talk(study, conversation={"replies_shown": "whole"})
    one, page = begin(visitor)
    say(one, page, "Hello")
    assert one.get(f"{address(page)}/reply").text == 'event: end\ndata: "said"\n\n'
    assert replies.asked


def test_rater_gets_and_deletes_what_was_written(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    talk(study)
    one, page = begin(visitor)
    say(one, page, "My secret")
    reply(engine)
    one.post(f"{address(page)}/end")
    one.post(address(page), data={"q0r0": "4"})
    one.get("/s/study/rate")
    mine = one.get("/s/study/my-data.json").json()
    assert "My secret" in json.dumps(mine["conversation_turns"])
    assert "warm" not in json.dumps([mine["conversation_turns"], mine["responses"]])
    one.post("/s/study/withdraw", data={"withdraw": "delete"})
    assert rows(engine, "SELECT count(*) FROM conversation_turns") == [(0,)]
    assert rows(engine, "SELECT count(*) FROM responses") == [(0,)]
    assert replies.asked


def test_export_has_turns_and_transcripts_of_conversations(
    study: Callable[..., int],
    visitor: Callable[[], Visitor],
    engine: Engine,
    replies: FalseReplies,
    tmp_path: Path,
) -> None:
    talk(study, conversation={"partners": {"warm": {**BOTH["warm"], "opening": "Hello."}}})
    one, page = begin(visitor)
    say(one, page, "I miss my dog, <b>me</b>.")
    reply(engine)
    one.post(f"{address(page)}/end")
    other, page = begin(visitor, "ben")
    say(other, page, "Goes on.")
    assert replies.asked
    with engine.begin() as db:
        folder = study_folder(db, 1)
        write_folder(tmp_path / "study", folder, rating_sessions=study_rating_sessions(db, 1))
    with (tmp_path / "study" / "turns.csv").open(encoding="utf-8", newline="") as file:
        turns = list(csv.DictReader(file))
    assert [(row["speaker"], row["state"], row["text"], row["n_words"], row["ended_by"]) for row in turns] == [
        ("partner", "said", "Hello.", "1", "rater_early"),
        ("rater", "said", "I miss my dog, <b>me</b>.", "5", "rater_early"),
        ("partner", "said", "I hear you.", "3", "rater_early"),
        ("partner", "said", "Hello.", "1", ""),
        ("rater", "said", "Goes on.", "2", ""),
        ("partner", "awaited", "", "", ""),
    ]
    assert {row["response"] == "" for row in turns[:3]} == {False}
    assert turns[0]["seconds"] == ""
    assert float(turns[1]["seconds"]) >= 0
    lines = (tmp_path / "study" / "transcripts.jsonl").read_text(encoding="utf-8").splitlines()
    first, last = (json.loads(line) for line in lines)
    assert [turn["text"] for turn in first["turns"]] == ["Hello.", "I miss my dog, <b>me</b>.", "I hear you."]
    assert (first["source"], first["ended_by"], last["ended_by"]) == ("warm", "rater_early", None)
    # Of I, miss, my, dog, b, me, b: three.
    assert folder.responses["rater_first_person_share"].tolist() == ["0.4286"]
    assert read_folder(tmp_path / "study").responses["rater_first_person_share"].tolist() == ["0.4286"]


def test_simulated_raters_have_conversations(study: Callable[..., int], engine: Engine, app: FastAPI) -> None:
    talk(
        study,
        conversation={"partners": BOTH},
        conditions={"partner": {"kind": "source", "levels": ["warm", "diary"]}},
        design={"trials": "conversation", "raters_per_trial": 3},
    )
    found = simulate(app.state.begin, "study", 6, seed=1)
    assert (found.n_finished, found.n_assignments) == (6, 6)
    counted = "SELECT s.key, count(*) FROM responses r JOIN sources s ON s.id = r.source_id GROUP BY 1 ORDER BY 1"
    assert rows(engine, counted) == [("diary", 3), ("warm", 3)]
    assert rows(engine, "SELECT count(DISTINCT response_id) FROM ratings") == [(6,)]


def lead_of(visitor: Callable[[], Visitor], engine: Engine) -> Visitor:
    """The browser of the study's lead."""
    one = visitor()
    with engine.begin() as db:
        lead = add_lead(db, "lead@example.org")
        record_member(db, db.execute(text("SELECT id FROM studies")).scalar_one(), lead.id, "owner")
        one.cookies.set("attune-lead", begin_session(db, lead))
    return one


def test_lead_finds_conversations_to_look_at_and_reads_one_that_goes_on(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    talk(study, conversation={"alert_words": ["suicid*"], "alert": HELP})
    anna, page = begin(visitor)
    say(anna, page, "All is well.")
    reply(engine)
    anna.post(f"{address(page)}/end")
    ben, page = begin(visitor, "ben")
    say(ben, page, "I think of suicide.")
    lead = lead_of(visitor, engine)
    found = lead.get("/studies/study/conversations")
    rows_shown = re.findall(r'<a href="(/studies/study/raters/[^"]+)"', found.text)
    assert "1 of them has alert words" in found.text
    assert len(rows_shown) == 2
    with engine.begin() as db:
        db.execute(text("UPDATE conversation_turns SET flags = '{cut_off,leak}' WHERE text = 'I hear you.'"))
        (first, last) = list_conversations(db, 1, get_protocol(db, 1, 1), n=10)
    assert (first.n_messages, first.n_replies, first.state, first.notes) == (1, 0, "goes on", "alert words")
    assert (last.n_messages, last.n_replies, last.state) == (1, 1, "by the rater, early")
    assert last.notes == "reply cut off at its limit, the reply quotes its instructions"
    assert "Conversations, those to look at first" in lead.get("/studies/study/raters").text
    at = rows_shown[0].partition("?")
    seen = lead.get(f"{at[0]}/page?{at[2]}").text
    assert "I think of suicide." in seen
    assert HELP in seen
    at = rows_shown[1].partition("?")
    assert "All is well." in lead.get(f"{at[0]}/page?{at[2]}").text
    assert replies.asked


def test_lead_reads_why_replies_do_not_come(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    talk(study)
    lead = lead_of(visitor, engine)
    for who, problem in (("anna", "The server Local does not accept the key."), ("ben", "budget")):
        one, page = begin(visitor, who)
        say(one, page, "Hello?")
        reply(engine, "failed", problem=problem)
    found = lead.get("/studies/study/conversations").text
    assert "Replies that raters did not get:" in found
    assert re.search(r"The server Local does not accept the key\. <span class=\"soft\">1 reply, last ", found)
    # That the budget is used up is how a conversation ends, and no problem of a server.
    assert found.count(", last ") == 1
    assert replies.asked


def test_preview_shows_the_conversation_and_then_its_questions(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    talk(study, conversation={"partners": {"warm": {**BOTH["warm"], "opening": "Hello, I am here."}}})
    lead = lead_of(visitor, engine)
    preview = "/studies/study/design/preview"
    assert "Hello, I am here." in lead.get(f"{preview}?at=conversation").text
    asked = lead.get(f"{preview}?at=rating").text
    assert "How empathetic is it?" in asked
    assert "Here is the partner’s reply." in asked


def test_conversation_of_a_loaded_study_does_not_stop_one_with_the_same_numbers(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    """A study that was exported and loaded again has conversations of the other installation's raters."""
    talk(study)
    loaded = """
        INSERT INTO responses (study_id, key, position, item_id, source_id, text)
        SELECT i.study_id, 'conversation-' || n, n, i.id, s.id, 'Earlier' FROM items i
        JOIN sources s ON s.study_id = i.study_id, generate_series(1, 50) AS n
    """
    with engine.begin() as db:
        db.execute(text(loaded))
    one, page = begin(visitor)
    say(one, page, "Hello")
    reply(engine)
    assert "How empathetic" in one.post(f"{address(page)}/end").text
    assert rows(engine, "SELECT count(*), max(position) FROM responses") == [(51, 51)]
    assert replies.asked


def test_copy_has_no_conversations_of_raters(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, replies: FalseReplies
) -> None:
    talk(study)
    one, page = begin(visitor)
    say(one, page, "My secret")
    reply(engine)
    one.post(f"{address(page)}/end")
    with engine.begin() as db:
        lead = add_lead(db, "lead@example.org")
        own = get_study(db, "study")
        assert own
        copy_study(db, own, lead, "copy", "A copy")
    assert rows(engine, "SELECT study_id FROM responses") == [(1,)]
    assert replies.asked


def test_study_is_not_opened_without_a_server_that_has_its_model(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    talk(study)
    with engine.begin() as db:
        db.execute(text("UPDATE studies SET status = 'draft', opened_at = NULL"))
    lead = lead_of(visitor, engine)
    words = "No server of this installation has the model m."
    assert words in lead.get("/studies/study").text
    refused = lead.post("/studies/study/status", data={"status": "open"})
    assert refused.status_code == 400
    assert words in refused.text
    assert rows(engine, "SELECT status FROM studies") == [("draft",)]


def test_form_offers_the_models_of_the_installation(
    study: Callable[..., int],
    visitor: Callable[[], Visitor],
    engine: Engine,
    app: FastAPI,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    talk(study)
    servers = [SimpleNamespace(name="One", models=("m", "n")), SimpleNamespace(name="Two", models=("n",))]
    monkeypatch.setattr(app.state, "model_servers", servers)
    form = lead_of(visitor, engine).get("/studies/study/design/conversation").text
    lists = {
        name: re.findall(r'value="([^"]*)"', part)
        for name, part in re.findall(r'<datalist id="known-(\w+)">(.*?)</datalist>', form, re.DOTALL)
    }
    assert lists == {"model": ["m", "n"], "server": ["One", "Two"]}
    assert re.search(r'name="conversation.partners.[^"]*model"[^>]*list="known-model"', form)
    assert re.search(r'name="conversation.partners.[^"]*server"[^>]*list="known-server"', form)
