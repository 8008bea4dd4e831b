"""Raters who write with each other, without scripts: waiting, being matched, writing, leaving, and being alone."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from fastapi import FastAPI
from sqlalchemy import Engine, text

from app.base.database.engine import make_engine, transactions
from app.protocol.conversation import ConversationPartner
from app.rating.conversations.dyads import Member, pair, read_room
from tests.kit.database import rows
from tests.kit.dyads import PERSON, address, begin, dyads, end, rate_address, say, two
from tests.kit.rater_pages import Visitor

SAID = """
    SELECT r.key, t.number, t.text FROM conversation_turns t
    JOIN assignments a ON a.id = t.assignment_id JOIN raters r ON r.id = a.rater_id ORDER BY t.dyad_id, t.number
"""
ENTER = text("""
    WITH r AS (INSERT INTO raters (study_id, key) VALUES (:study, :key) RETURNING id),
    s AS (INSERT INTO rating_sessions (study_id, rater_id, token_hash, protocol_version, state, lease_expires_at)
          SELECT :study, id, decode(md5(:key), 'hex'), 1, 'active', now() FROM r RETURNING id, rater_id),
    f AS (SELECT trial_id, pool, seat FROM seats WHERE study_id = :study AND assignment_id IS NULL
          ORDER BY seat, trial_id LIMIT 1),
    a AS (INSERT INTO assignments (study_id, trial_id, rater_id, rating_session_id, position, response_ids, state,
                                   served_at)
          SELECT :study, f.trial_id, s.rater_id, s.id, 1, '{}', 'leased', now() FROM s, f RETURNING id, rater_id),
    w AS (INSERT INTO dyad_members (study_id, assignment_id, rater_id, is_live)
          SELECT :study, id, rater_id, true FROM a),
    t AS (UPDATE seats s SET assignment_id = a.id FROM f, a
          WHERE s.study_id = :study AND s.trial_id = f.trial_id AND s.pool = f.pool AND s.seat = f.seat)
    SELECT id FROM a
""")


def let_pass(engine: Engine, minutes: float, what: str = "waits_since") -> None:
    with engine.begin() as db:
        sql = f"UPDATE dyad_members SET {what} = {what} - make_interval(secs => :s)"  # noqa: S608 - ours
        db.execute(text(sql), {"s": minutes * 60})


def test_two_raters_wait_are_matched_write_and_answer_about_one_conversation(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    dyads(study)
    one, page = begin(visitor, "anna")
    start = one.get("/s/study/start").text
    assert "This includes waiting for another participant, each time for 10 minutes at most." in start
    assert "Waiting for another participant" in page.text
    assert "at most 10 more minutes" in page.text
    (seeker, page), (supporter, other) = two(visitor, "anna", "ben")
    assert "Conversation with Supporter" in page.text
    assert "You are connected. Please begin." in page.text
    assert "Your partner (Seeker) begins" in other.text
    assert "say-form" not in other.text  # the seeker begins
    page = say(seeker, page, "My week was long.")
    other = supporter.get("/s/study/rate")
    assert "My week was long." in other.text
    other = say(supporter, other, "I am here.")
    other = say(supporter, other, "Tell me more.")
    page = seeker.get("/s/study/rate")
    assert "Tell me more." in page.text
    page = end(seeker, page)
    assert "How empathetic is it?" in page.text
    other = supporter.get("/s/study/rate")
    assert "Your partner (Seeker) has ended the conversation." in other.text
    other = end(supporter, other)
    assert "How empathetic is it?" in other.text
    said = [row[1:] for row in rows(engine, SAID)]
    assert said == [(1, "My week was long."), (2, "I am here."), (3, "Tell me more.")]
    [(turns, attributes)] = rows(engine, "SELECT turns, attributes FROM responses")
    assert [(turn["by"], turn["speaker"]) for turn in turns] == [
        ("seeker", "Seeker"),
        ("supporter", "Supporter"),
        ("supporter", "Supporter"),
    ]
    assert attributes["ended_by"] == "rater"
    assert attributes["ended_role"] == "seeker"
    assert (attributes["seeker_messages"], attributes["supporter_messages"]) == ("1", "2")
    assert {attributes["written_by"], attributes["written_with"]} == {
        row[0] for row in rows(engine, "SELECT key FROM raters")
    }
    assert rows(engine, "SELECT DISTINCT response_ids = ARRAY[p.id] FROM assignments, responses p") == [(True,)]
    assert page.text.count('<p class="speaker" dir="auto">You</p>') == 1
    assert other.text.count('<p class="speaker" dir="auto">You</p>') == 2
    assert one


def test_message_that_comes_twice_or_late_is_stored_once(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    dyads(study)
    (seeker, page), (supporter, other) = two(visitor)
    for _ in range(2):
        say(seeker, page, "Hello.", 1)
    other = supporter.get("/s/study/rate")
    say(supporter, other, "Hi.", 1)
    # The seeker's page does not show the reply yet, and the message is theirs, with their own number.
    assert "went on in another window" not in say(seeker, page, "And more.", 2).text
    assert "went on in another window" in say(seeker, page, "From another tab.", 2).text
    end(supporter, other)
    late = say(seeker, page, "Too late.", 3)
    assert "The conversation is over. Your message was not sent" in late.text
    assert "Too late." in late.text
    assert [row[1:] for row in rows(engine, SAID)] == [(1, "Hello."), (2, "Hi."), (3, "And more.")]


def test_rater_to_whom_nobody_came_is_told_and_paid(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    dyads(study, {"wait_minutes": 2}, design={"trials_per_rater": None, "raters_per_trial": 2, "max_raters": 2})
    one, page = begin(visitor, "anna")
    place = re.search(r"/s/[^/]+/rate/[^/]+(?=/partner)", page.text)
    assert place
    assert "Waiting" in one.post(f"{place[0]}/alone").text  # not yet
    let_pass(engine, 2)
    page = one.get("/s/study/rate")
    assert "Nobody came" in page.text
    done = one.post(f"{address(page)}/alone")
    assert "PAID1" in done.text
    assert rows(engine, "SELECT state, skip_reason FROM assignments") == [("skipped", "no partner")]
    assert rows(engine, "SELECT count(*) FROM seats WHERE assignment_id IS NOT NULL") == [(0,)]
    assert rows(engine, "SELECT state FROM rating_sessions") == [("finished",)]
    assert rows(engine, "SELECT alone_at IS NOT NULL, dyad_id FROM dyad_members") == [(True, None)]
    # Whoever comes later waits anew. The place of a rater who rated nothing is free again.
    two(visitor, "ben", "carl")
    assert rows(engine, "SELECT count(*) FROM dyads") == [(1,)]
    assert "Waiting for another participant" not in begin(visitor, "dora")[1].text


def test_rater_who_is_alone_goes_on_with_the_next_item_if_the_design_says_so(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    texts: list[dict[str, Any]] = [{"key": key, "text": key, "responses": {}} for key in ("week", "work")]
    dyads(study, {"when_alone": "next"}, design={"trials_per_rater": None}, texts=texts)
    one, _ = begin(visitor, "anna")
    for is_last in (False, True):
        let_pass(engine, 10)
        page = one.get("/s/study/rate")
        page = one.post(f"{address(page)}/alone")
        assert ("PAID1" in page.text) == is_last
        assert ("Waiting" in page.text) != is_last
    assert rows(engine, "SELECT skip_reason, count(*) FROM assignments GROUP BY 1") == [("no partner", 2)]


def test_rater_who_closed_the_page_waits_anew_and_is_not_matched_meanwhile(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    dyads(study)
    one, _ = begin(visitor, "anna")
    let_pass(engine, 9)
    let_pass(engine, 9, "seen_at")
    assert "Waiting" in begin(visitor, "ben")[1].text
    let_pass(engine, 1, "seen_at")
    assert "at most 10 more minutes" in one.get("/s/study/rate").text


def test_partner_who_left_may_come_back_until_the_other_ends_it(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    dyads(study, conversation={"min_messages": 3})
    (seeker, page), (supporter, other) = two(visitor)
    say(seeker, page, "Hello?")
    with engine.begin() as db:
        db.execute(text("UPDATE dyads SET paired_at = paired_at - interval '4 minutes'"))
    page = seeker.get("/s/study/rate")
    assert "There has been no sign of Supporter for a while." in page.text
    say(supporter, supporter.get("/s/study/rate"), "I am back.")
    page = seeker.get("/s/study/rate")
    assert "no sign of" not in page.text
    with engine.begin() as db:
        db.execute(text("UPDATE conversation_turns SET said_at = said_at - interval '4 minutes'"))
    page = end(seeker, seeker.get("/s/study/rate"))
    assert "How empathetic is it?" in page.text
    [(attributes,)] = rows(engine, "SELECT attributes FROM responses")
    assert attributes["ended_by"] == "partner_left"
    assert "has ended the conversation" in supporter.get("/s/study/rate").text
    assert other


@pytest.mark.parametrize(("hours", "seen", "has_left"), [(0, 0, True), (3, 3, True), (3, 0, False)])
def test_what_was_said_while_the_clock_was_fast_is_no_sign_of_a_partner_who_has_left(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, hours: int, seen: int, has_left: object
) -> None:
    dyads(study, conversation={"min_messages": 3})
    (seeker, page), (supporter, _) = two(visitor)
    say(seeker, page, "Hello?")
    say(supporter, supporter.get("/s/study/rate"), "I must go.")
    paired = f"paired_at - interval '4 minutes' + interval '{hours} hours'"
    with engine.begin() as db:
        db.execute(text(f"UPDATE dyads SET paired_at = {paired}"))  # noqa: S608 - ours
        db.execute(text("UPDATE conversation_turns SET said_at = said_at + interval '3 hours'"))
        db.execute(text("UPDATE dyad_members SET typed_at = now() + interval '3 hours'"))
    let_pass(engine, -60 * seen, "seen_at")
    page = seeker.get("/s/study/rate")
    assert ("There has been no sign of Supporter for a while." in page.text) is has_left
    with engine.connect() as db:
        members = db.execute(text("SELECT study_id, assignment_id FROM dyad_members")).all()
        assert [read_room(db, Member(*one)).is_typing for one in members] == [False, False]  # type: ignore[union-attr]


def test_rater_who_came_while_the_clock_was_fast_waits_no_longer_than_others(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    dyads(study)
    one, _ = begin(visitor, "anna")
    for _ in range(2):
        let_pass(engine, -180)
        let_pass(engine, -180, "seen_at")
        assert "at most 10 more minutes" in one.get("/s/study/rate").text
    let_pass(engine, -180, "seen_at")
    assert "Waiting" in begin(visitor, "ben")[1].text  # whether anna is still there is not known
    assert "You are connected." in one.get("/s/study/rate").text


def test_dyad_in_which_nobody_wrote_a_word_ends_without_questions(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    dyads(study)
    (seeker, page), (supporter, _) = two(visitor)
    assert "PAID1" in end(seeker, page).text
    other = supporter.get("/s/study/rate")
    assert "left before the conversation began" in other.text
    assert "PAID1" in end(supporter, other).text
    assert rows(engine, "SELECT count(*) FROM responses") == [(0,)]


def test_partner_who_stops_taking_part_is_gone_at_once(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    dyads(study, conversation={"min_messages": 3})
    (seeker, page), (supporter, _) = two(visitor)
    say(seeker, page, "Hello?")
    supporter.post("/s/study/withdraw", data={"withdraw": "delete"})
    page = seeker.get("/s/study/rate")
    assert "Your partner (Supporter) has left the conversation." in page.text
    assert "You can wait" not in page.text
    assert "Please write at least" not in page.text
    assert "Stop here and go on to the questions" in page.text


def test_words_of_a_rater_who_has_them_deleted_are_gone_and_those_of_the_partner_are_kept(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    dyads(study)
    (seeker, page), (supporter, _) = two(visitor)
    say(seeker, page, "My secret.")
    say(supporter, supporter.get("/s/study/rate"), "I hear you.")
    end(seeker, seeker.get("/s/study/rate"))
    page = end(supporter, supporter.get("/s/study/rate"))
    supporter.post(rate_address(page), data={"q0r0": "4"})
    seeker.post("/s/study/withdraw", data={"withdraw": "delete"})
    [(turns, attributes, key)] = rows(
        engine, "SELECT turns, p.attributes, r.key FROM responses p JOIN raters r ON r.id = p.rater_id"
    )
    assert [turn["text"] for turn in turns] == ["[deleted by its writer]", "I hear you."]
    assert attributes["written_by"] == key
    assert not {"written_with", "seeker_messages", "seeker_words"} & attributes.keys()
    assert attributes["supporter_words"] == "3"
    assert rows(engine, "SELECT text FROM conversation_turns") == [("I hear you.",)]
    assert rows(engine, "SELECT number FROM ratings") == [(4,)]
    supporter.post("/s/study/withdraw", data={"withdraw": "delete"})
    assert rows(engine, "SELECT count(*) FROM responses") == [(0,)]
    assert rows(engine, "SELECT count(*) FROM dyads") == [(0,)]


def test_no_process_shows_words_that_their_writer_has_had_deleted(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine, app: FastAPI
) -> None:
    """Each process has connections of its own, and with them the texts that it showed last."""
    dyads(study)
    (seeker, page), (supporter, _) = two(visitor)
    say(seeker, page, "My secret.")
    say(supporter, supporter.get("/s/study/rate"), "I hear you.")
    end(seeker, seeker.get("/s/study/rate"))
    own = rate_address(end(supporter, supporter.get("/s/study/rate")))
    other = make_engine(engine.url.render_as_string(hide_password=False))
    processes = [app.state.begin, transactions(other)]

    def seen() -> list[str]:
        pages = []
        for app.state.begin in processes:
            pages += [supporter.get(own).text, supporter.post(own, data={"q0r0": "9"}).text]
        return pages

    assert ["My secret." in page for page in seen()] == [True] * 4
    seeker.post("/s/study/withdraw", data={"withdraw": "delete"})
    after = seen()
    assert ["My secret." in page for page in after] == [False] * 4
    assert all("[deleted by its writer]" in page and "I hear you." in page for page in after)
    other.dispose()


def test_raters_download_their_own_words_only(study: Callable[..., int], visitor: Callable[[], Visitor]) -> None:
    dyads(study)
    (seeker, page), (supporter, _) = two(visitor)
    say(seeker, page, "My week.")
    say(supporter, supporter.get("/s/study/rate"), "I hear you.")
    end(seeker, seeker.get("/s/study/rate"))
    seeker.post("/s/study/withdraw", data={"withdraw": "stop"})
    data = seeker.get("/s/study/my-data.json").text
    assert "My week." in data
    assert "I hear you." not in data


def test_raters_of_other_items_are_matched_where_one_waits(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    texts = [{"key": str(number), "text": f"Item {number}", "responses": {}} for number in range(6)]
    dyads(study, texts=texts)
    for (_, page), (_, other) in (two(visitor), two(visitor, "carl", "dora")):
        assert re.findall(r"Item \d\b(?! of)", page.text) == re.findall(r"Item \d\b(?! of)", other.text) != []
    assert rows(engine, "SELECT count(*) FROM dyads") == [(2,)]
    together = "SELECT dyad_id, count(*), count(DISTINCT a.trial_id) FROM dyad_members m JOIN assignments a"
    assert [row[1:] for row in rows(engine, f"{together} ON a.id = m.assignment_id GROUP BY 1")] == [(2, 1)] * 2
    taken = "SELECT count(*) FROM seats s JOIN assignments a ON a.id = s.assignment_id AND a.trial_id = s.trial_id"
    assert rows(engine, taken) == [(4,)]
    assert rows(engine, "SELECT count(*) FROM seats WHERE assignment_id IS NOT NULL") == [(4,)]


def test_item_that_comes_later_in_a_list_is_brought_forward(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    texts = [{"key": str(number), "text": f"Item {number}", "responses": {}} for number in range(4)]
    dyads(study, design={"trials_per_rater": None}, texts=texts)
    for _ in range(4):  # each pair writes about all items, one after the other
        (seeker, page), (supporter, _) = two(visitor)
        say(seeker, page, "Hello.")
        for one in (seeker, supporter):
            page = end(one, one.get("/s/study/rate"))
            one.post(rate_address(page), data={"q0r0": "4"})
    positions = rows(engine, "SELECT rater_id, array_agg(position ORDER BY position) FROM assignments GROUP BY 1")
    assert all(len(set(places)) == 4 for _, places in positions)
    assert rows(engine, "SELECT count(*), count(DISTINCT trial_id) FROM dyads") == [(4, 4)]
    roles = "SELECT rater_id, count(*) FILTER (WHERE role = 'seeker') FROM dyad_members GROUP BY 1"
    assert [n for _, n in rows(engine, roles)] == [2, 2]


def test_many_who_come_at_once_are_in_one_dyad_each(study: Callable[..., int], engine: Engine) -> None:
    n = 40
    texts = [{"key": str(number), "text": f"Item {number}", "responses": {}} for number in range(7)]
    study_id = dyads(study, design={"raters_per_trial": n}, texts=texts)
    partner = ConversationPartner.model_validate(PERSON)
    with engine.begin() as db:
        ids = [db.execute(ENTER, {"study": study_id, "key": f"r{number}"}).scalar_one() for number in range(n)]
    barrier = Barrier(8)

    def look(own: list[int]) -> None:
        barrier.wait()
        for _ in range(3):
            for one in own:
                with engine.begin() as db:
                    pair(db, partner, Member(study_id, one), 0)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(look, [ids[nth::8] for nth in range(8)]))
    assert rows(engine, "SELECT count(*) FROM dyads") == [(n // 2,)]
    counts = "SELECT count(*), count(DISTINCT m.rater_id), count(DISTINCT role), count(DISTINCT a.trial_id)"
    of = "FROM dyad_members m JOIN assignments a ON a.id = m.assignment_id GROUP BY dyad_id"
    assert set(rows(engine, f"{counts} {of}")) == {(2, 2, 2, 1)}
    first = "SELECT count(*) FROM dyad_members m JOIN dyads d ON d.id = m.dyad_id WHERE role = 'seeker'"
    assert rows(engine, first) == [(n // 2,)]
    taken = "SELECT count(*) FROM seats s JOIN assignments a ON a.id = s.assignment_id AND a.trial_id = s.trial_id"
    assert rows(engine, taken) == [(n,)]


def test_roles_are_balanced_over_dyads(
    study: Callable[..., int], visitor: Callable[[], Visitor], engine: Engine
) -> None:
    dyads(study, design={"raters_per_trial": 8})
    for number in range(4):
        two(visitor, f"early{number}", f"late{number}")
    early = """
        SELECT role, count(*) FROM (
          SELECT role, row_number() OVER (PARTITION BY dyad_id ORDER BY rater_id) AS n FROM dyad_members
        ) AS m WHERE n = 1 GROUP BY 1 ORDER BY 1
    """
    assert rows(engine, early) == [("seeker", 2), ("supporter", 2)]


@pytest.mark.parametrize("is_waiting", [True, False])
def test_page_of_an_unknown_room_hears_that_it_is_over(
    study: Callable[..., int], visitor: Callable[[], Visitor], *, is_waiting: bool
) -> None:
    dyads(study)
    one, page = begin(visitor, "anna")
    found = re.search(r'data-events="([^"?]+)', page.text)
    assert found
    if not is_waiting:
        begin(visitor, "ben")
        page = one.get("/s/study/rate")
        end(one, page)
    heard = one.get(f"{found[1]}?mark=other")
    assert heard.text == 'event: end\ndata: ""\n\n'
