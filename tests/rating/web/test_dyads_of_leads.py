"""Raters who write with each other, as their lead has them: tried out, simulated, listed, exported, rated again."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, text

from app.accounts.lead_access import add_lead, begin_session
from app.rating.review.conversations import conversations_used, list_conversations
from app.rating.second_study.second_study import make_second_study
from app.rating.second_study.shared_texts import list_shared_texts, record_review
from app.rating.simulation.simulate import simulate
from app.studies.export import study_folder, study_rating_sessions
from app.studies.folder.write import write_folder
from app.studies.members.members import record_member
from app.studies.protocols import get_protocol
from app.studies.studies import get_study
from tests.kit.database import rows
from tests.kit.dyads import CONSENT, begin, dyads, end, rate_address, say, two
from tests.kit.rater_pages import Visitor

OPEN = {**CONSENT, "shows_to_others": True}


def lead_of(visitor: Callable[[], Visitor], engine: Engine) -> Visitor:
    """The owner of the study, signed in."""
    with engine.begin() as db:
        lead = add_lead(db, "lead@example.org")
        record_member(db, db.execute(text("SELECT min(id) FROM studies")).scalar_one(), lead.id, "owner")
        token = begin_session(db, lead)
    one = visitor()
    one.cookies.set("attune-lead", token)
    return one


def spoken(visitor: Callable[[], Visitor], *who: str) -> tuple[Visitor, Visitor]:
    """The seeker and the supporter of a conversation that both have rated."""
    (seeker, page), (supporter, _) = two(visitor, *who)
    say(seeker, page, "My name is Anna, and my week was long.")
    say(supporter, supporter.get("/s/study/rate"), "I hear you.")
    for one in (seeker, supporter):
        page = end(one, one.get("/s/study/rate"))
        one.post(rate_address(page), data={"q0r0": "4"})
    return seeker, supporter


def test_simulated_raters_are_matched_and_an_odd_one_is_alone(
    study: Callable[..., int], engine: Engine, visitor: Callable[[], Visitor]
) -> None:
    dyads(study, design={"raters_per_trial": 8})
    waiting, _ = begin(visitor, "anna")  # a person is not matched with a simulated rater
    found = simulate(engine.begin, "study", 5, 0)
    assert (found.n_raters, found.n_finished) == (5, 4)
    assert rows(engine, "SELECT count(*) FROM dyads") == [(2,)]
    assert "Waiting for another" in waiting.get("/s/study/rate").text
    alone = "SELECT count(*) FROM dyad_members m JOIN raters r ON r.id = m.rater_id WHERE is_simulated AND alone_at"
    assert rows(engine, f"{alone} IS NOT NULL") == [(1,)]
    assert rows(engine, "SELECT count(*), count(DISTINCT response_id) FROM ratings") == [(4, 2)]
    done = "SELECT count(*) FROM rating_sessions s JOIN raters r ON r.id = s.rater_id WHERE is_simulated"
    assert rows(engine, f"{done} AND s.state = 'finished'") == [(5,)]


def walking(study: Callable[..., int], engine: Engine, visitor: Callable[[], Visitor]) -> tuple[Visitor, str]:
    """A lead who walks through a study of pairs, and its address."""
    dyads(study)
    lead = lead_of(visitor, engine)
    lead.post("/studies/study/walk-through")
    with engine.begin() as db:
        return lead, db.execute(text("SELECT slug FROM studies WHERE slug LIKE 'walk%'")).scalar_one()


def test_lead_who_tries_the_pages_alone_writes_with_a_simulated_partner(
    study: Callable[..., int], engine: Engine, visitor: Callable[[], Visitor]
) -> None:
    lead, address = walking(study, engine, visitor)
    lead.post(f"/s/{address}/consent", data={"consent": "agree"})
    page = lead.post(f"/s/{address}/start")
    assert "In a walk-through, no one else comes." in page.text
    page = lead.post(f"/s/{address}/walk-through/partner")
    assert "Conversation with" in page.text
    if "Please begin" not in page.text:
        assert "Simulated message 1." in page.text
    page = say(lead, page, "Hello from the lead.")
    assert "Simulated message" in page.text
    assert "How empathetic is it?" in end(lead, page).text


def test_lead_can_skip_over_a_conversation_of_two(
    study: Callable[..., int], engine: Engine, visitor: Callable[[], Visitor]
) -> None:
    lead, address = walking(study, engine, visitor)
    assert "PAID1" in lead.post(f"/s/{address}/walk-through/skip", data={"to": "done"}).text


def test_lead_sees_who_wrote_with_whom_who_waits_and_who_was_alone(
    study: Callable[..., int], engine: Engine, visitor: Callable[[], Visitor]
) -> None:
    study_id = dyads(study, conversation={"alert_words": ["long"], "alert": "Call 116 123."})
    spoken(visitor)
    begin(visitor, "carl")
    with engine.begin() as db:
        protocol = get_protocol(db, study_id, 1)
        found = list_conversations(db, study_id, protocol, n=10)
        used = conversations_used(db, study_id)
    assert [(row.role, row.ended_by, row.n_messages, row.n_replies) for row in found] == [
        *sorted([("Seeker", "rater", 1, 1), ("Supporter", "rater", 1, 1)], key=lambda row: row[0] != found[0].role),
        (None, "waits", 0, 0),
    ]
    assert [row.other for row in found[:2]] == [row.rater for row in reversed(found[:2])]
    assert {row.state for row in found} == {"by Seeker", "waits"}
    assert [row.flags for row in found if row.role == "Seeker"] == [("alert",)]
    assert (used.n, used.n_dyads, used.n_alone, used.n_alerts) == (3, 1, 0, 1)
    lead = lead_of(visitor, engine)
    shown = lead.get("/studies/study/conversations").text
    assert "1 pair of raters, who waited for 0.0 minutes (median). To 0 raters nobody came." in shown
    for row in found:
        at = f"/studies/study/raters/{row.rater_id}/answers"
        seen = lead.get(f"{at}/page?at={row.id}").text
        assert ("I hear you." in seen) == (row.role is not None)
        assert ("Waiting for another participant" in seen) == (row.role is None)
    assert "Tell what has been on your mind." in lead.get("/studies/study/design/preview?at=conversation").text
    form = lead.get("/studies/study/design/conversation").text
    assert all(f"conversation.partners.peer.{name}" in form for name in ("roles", "wait_minutes", "when_alone"))


def test_files_have_each_turn_once_with_its_writer_and_role(
    study: Callable[..., int], engine: Engine, visitor: Callable[[], Visitor], tmp_path: Path
) -> None:
    study_id = dyads(study)
    spoken(visitor)
    spoken(visitor, "carl", "dora")
    with engine.begin() as db:
        folder = study_folder(db, study_id)
        write_folder(tmp_path / "out", folder, rating_sessions=study_rating_sessions(db, study_id))
    with (tmp_path / "out" / "turns.csv").open(encoding="utf-8", newline="") as file:
        turns = [*csv.DictReader(file)]
    assert [(row["dyad"], row["turn"], row["writer_role"]) for row in turns] == [
        ("1", "1", "seeker"),
        ("1", "2", "supporter"),
        ("2", "1", "seeker"),
        ("2", "2", "supporter"),
    ]
    assert len({row["rater"] for row in turns}) == 4
    lines = (tmp_path / "out" / "transcripts.jsonl").read_text(encoding="utf-8").splitlines()
    talks: list[dict[str, Any]] = [json.loads(line) for line in lines]
    assert [[turn["writer_role"] for turn in talk["turns"]] for talk in talks] == [["seeker", "supporter"]] * 2
    assert [talk["turns"][1]["rater"] for talk in talks] == [row["rater"] for row in turns[1::2]]


def test_second_study_needs_the_consent_of_both_and_names_neither(
    study: Callable[..., int], engine: Engine, visitor: Callable[[], Visitor]
) -> None:
    study_id = dyads(study, flow={"consent": OPEN})
    seeker, supporter = spoken(visitor)
    spoken(visitor, "carl", "dora")
    with engine.begin() as db:
        lead = add_lead(db, "lead@example.org")
        record_member(db, study_id, lead.id, "owner")
        own = get_study(db, "study")
        assert own
        shared = list_shared_texts(db, study_id)
        assert (len(shared.texts), shared.left_out) == (2, {})
        for one in shared.texts:
            record_review(db, study_id, one.id, ["My week was long.", "I hear you."], lead.id, is_shown=True)
        made = make_second_study(db, own, lead.id, "", "Second", lead=lead)
        second = study_folder(db, int(db.execute(text("SELECT max(id) FROM studies")).scalar_one()))
    keys = {row[0] for row in rows(engine, "SELECT key FROM raters")}
    assert made.n_texts == 2
    assert not keys & {str(cell) for cell in second.responses.to_numpy().ravel()}
    assert '"speaker": "Seeker"' in second.responses["turns"][0]
    supporter.post("/s/study/withdraw", data={"withdraw": "delete"})
    with engine.begin() as db:
        assert len(list_shared_texts(db, study_id).texts) == 1
        again = study_folder(db, second_id(engine))
    assert sorted(str(words) for words in again.responses["text"]) == ["None", "[deleted by its writer]"]
    assert seeker


def second_id(engine: Engine) -> int:
    return int(rows(engine, "SELECT max(id) FROM studies")[0][0])
