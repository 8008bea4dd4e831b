"""Consent, eligibility, questionnaires and debriefing: each step once, in order, without scripts."""

import hashlib
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine

from app.base.database.engine import transactions
from app.rating.arrival.arrivals import record_invite
from app.rating.life_cycle import close_study
from app.rating.simulation.simulate import simulate
from app.studies.coverage import get_coverage
from app.studies.data.stored_ratings import study_arrivals
from app.studies.export import study_events, study_folder, study_rating_sessions
from app.studies.folder.read import read_folder
from app.studies.folder.write import write_folder
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.database import rows
from tests.kit.rater_pages import Visitor, form_address, heading

ADULT = {"key": "adult", "target": "rater", "type": "category", "text": "Are you 18?", "codes": ["yes", "no"]}
MOOD = {"key": "mood", "target": "rater", "type": "slider", "text": "Your mood?"}
CARE = {"key": "care", "target": "rater", "type": "rating", "text": "Do you care?", "scale": {1: "no", 2: "yes"}}
WISH = {"key": "wish", "target": "rater", "type": "text", "text": "Anything else?"}
QUESTIONS = [PREFERENCE, EMPATHY, ADULT, MOOD, CARE, WISH]
CONSENT = "You may **stop** at any time. <script>alert(1)</script>"
FLOW: dict[str, Any] = {
    "consent": {"version": "2026-11", "text": CONSENT},
    "eligibility": {"accept": {"adult": "yes"}, "text": "For adults only."},
    "before": [{"title": "How are you?", "questions": ["mood"]}],
    "after": [{"title": "One more", "text": "Be *honest*.", "questions": ["care"]}],
    "debrief": {"text": "Half was written by a **model**.", "show_sources": True},
    "help": "Talk to [somebody](https://example.org/help).",
}
CODES = {
    "code": "D0NE",
    "otherwise": {"no_consent": {"code": "N0"}, "screened_out": {"code": "OUT"}, "full": {"code": "FULL1"}},
}
K1 = str(uuid.UUID(int=1))


@pytest.fixture
def anna(study: Callable[..., int], visitor: Callable[[], Visitor]) -> Visitor:
    """A visitor to a study with all optional steps before and after the trials."""
    study(n_items=1, questions=QUESTIONS, flow=FLOW, completion=CODES)
    return visitor()


def agree(anna: Visitor) -> Any:  # noqa: ANN401 - httpx's response
    anna.arrive()
    return anna.post("/s/study/consent", data={"consent": "agree"})


def be_adult(anna: Visitor, answer: str = "yes") -> Any:  # noqa: ANN401
    agree(anna)
    return anna.post("/s/study/questions/eligibility", data={"q2": answer})


def test_flow_steps_appear_in_order(engine: Engine, anna: Visitor) -> None:
    page = anna.arrive()
    assert (page.url.path, heading(page)) == ("/s/study/consent", "A study")
    assert "<strong>stop</strong>" in page.text
    assert "<script>alert" not in page.text
    page = agree(anna)
    seen = [heading(page)]
    for step, data in (("eligibility", {"q2": "yes"}), ("before-1", {"q3": "40"})):
        page = anna.post(f"/s/study/questions/{step}", data=data)
        seen.append(heading(page))
    page = anna.rate(anna.post("/s/study/start"))
    seen.append(heading(page))
    assert "<em>honest</em>" in page.text
    page = anna.post("/s/study/questions/after-1", data={"q4": "2"})
    seen.append(heading(page))
    page = anna.post("/s/study/questions/about", data={"q5": ""})
    seen.append(heading(page))
    assert "D0NE" not in page.text
    page = anna.post("/s/study/debrief")
    seen.append(heading(page))
    assert "D0NE" in page.text
    assert seen == [
        "Before you begin",
        "How are you?",
        "A study",
        "One more",
        "About you",
        "What this study was about",
        "You have finished. Thank you.",
    ]
    assert rows(engine, "SELECT question, position FROM ratings WHERE item_id IS NULL ORDER BY id") == [
        ("adult", 1),
        ("mood", 1),
        ("care", 1),
    ]
    assert rows(engine, "SELECT state FROM rating_sessions") == [("finished",)]


def test_consent_is_stored_with_version_hash_and_time(engine: Engine, anna: Visitor) -> None:
    agree(anna)
    agree(anna)
    sha256 = hashlib.sha256(CONSENT.encode()).hexdigest()
    found = rows(engine, "SELECT step, detail, done_at IS NOT NULL FROM steps")
    assert found == [("consent", {"version": "2026-11", "sha256": sha256}, True)]
    with engine.connect() as db:
        (event,) = study_events(db, 1).to_dict("records")
    assert (event["kind"], event["detail"]["sha256"]) == ("consent", sha256)
    assert event["rater"].startswith("r-")


def test_refused_consent_leaves_only_a_count(engine: Engine, anna: Visitor, tmp_path: Path) -> None:
    anna.arrive()
    for _ in range(2):
        page = anna.post("/s/study/consent", data={"consent": "refuse"})
        assert (page.url.path, heading(page)) == ("/s/study/refused", "You are not taking part")
        assert 'href="https://app.prolific.com/submissions/complete?cc=N0"' in page.text
    for table in ("raters", "platform_ids", "rating_sessions", "steps", "ratings", "events"):
        assert rows(engine, f"SELECT count(*) FROM {table}") == [(0,)]  # noqa: S608
    with engine.connect() as db:
        assert get_coverage(db, 1).rating_sessions.n_refused == 1
        write_folder(tmp_path / "out", study_folder(db, 1), rating_sessions=study_rating_sessions(db, 1))
        arrivals = study_arrivals(db, 1)
    assert arrivals is not None
    exported = read_folder(tmp_path / "out").arrivals
    assert exported is not None
    assert exported.to_numpy().tolist() == arrivals.to_numpy().tolist() == [[None, "refused", None, None, None]]
    assert "Please open the study with the link" in anna.get("/s/study/rate").text
    assert heading(anna.arrive()) == "A study"


def test_personal_link_can_be_reused_after_refusal(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study(flow=FLOW, questions=QUESTIONS)
    with engine.begin() as db:
        invite = record_invite(db, study_id)
    anna = visitor()
    for _ in range(2):
        assert heading(anna.get(f"/s/study?invite={invite}")) == "A study"
        anna.post("/s/study/consent", data={"consent": "refuse"})


def test_refusal_page_requires_a_refusal(anna: Visitor) -> None:
    assert anna.get("/s/study/refused").status_code == 404
    assert anna.get("/s/none/refused").status_code == 404
    assert anna.post("/s/study/consent", data={"consent": "agree"}).status_code == 403


def test_given_consent_cannot_be_refused_and_must_be_valid(engine: Engine, anna: Visitor) -> None:
    anna.arrive()
    assert heading(anna.post("/s/study/consent", data={"consent": "maybe"})) == "A study"
    agree(anna)
    page = anna.post("/s/study/consent", data={"consent": "refuse"})
    assert heading(page) == "Before you begin"
    assert rows(engine, "SELECT count(*) FROM raters") == [(1,)]


def test_steps_cannot_be_skipped_by_address(engine: Engine, anna: Visitor) -> None:
    anna.arrive()
    for path in ("start", "rate", "wait", "debrief", "done", "ended", "questions/before-1", "questions/nonsense"):
        assert anna.get(f"/s/study/{path}").url.path == "/s/study/consent"
    for path in ("start", "debrief", "questions/about", "questions/nonsense", "keys"):
        assert anna.post(f"/s/study/{path}", data={"q2": "yes"}).url.path == "/s/study/consent"
    assert rows(engine, "SELECT count(*) FROM steps") == rows(engine, "SELECT count(*) FROM ratings") == [(0,)]


def test_ineligible_rater_gets_code_and_answers_are_deleted(engine: Engine, anna: Visitor) -> None:
    agree(anna)
    anna.post("/s/study/questions/eligibility/save", json={"slot": "q2", "q2": "no", "q2.key": K1})
    assert rows(engine, "SELECT codes, exclude FROM ratings") == [(["no"], "not submitted")]
    page = anna.post("/s/study/questions/eligibility", data={"q2": "no"})
    assert (page.url.path, heading(page)) == ("/s/study/ended", "Thank you for your interest")
    assert "For adults only." in page.text
    assert "cc=OUT" in page.text
    assert rows(engine, "SELECT count(*) FROM ratings") == [(0,)]
    again = anna.post("/s/study/questions/eligibility", data={"q2": "yes"})
    assert heading(again) == heading(anna.arrive()) == "Thank you for your interest"
    with engine.begin() as db:
        assert get_coverage(db, 1).rating_sessions.n_screened_out == 1
        close_study(db, "study")
    assert heading(anna.get("/s/study/ended")) == "Thank you for your interest"


def test_questionnaire_answers_autosave_and_count_on_submit(engine: Engine, anna: Visitor) -> None:
    be_adult(anna)
    address = "/s/study/questions/before-1"
    save = {"slot": "q3", "q3": "30", "q3.key": K1}
    for _ in range(2):
        assert anna.post(f"{address}/save", json=save).json()["saved"] == ["q3"]
    assert 'value="30"' in anna.get(address).text
    mood = "SELECT number, exclude FROM ratings WHERE question = 'mood'"
    assert rows(engine, mood) == [(30.0, "not submitted")]
    for _ in range(2):
        assert heading(anna.post(address, data={"q3": "35"})) == "A study"
    assert rows(engine, mood) == [(35.0, None)]
    assert anna.post(f"{address}/save", json={**save, "q3": "99"}).status_code == 409
    detail = rows(engine, "SELECT detail ->> 'protocol_version' FROM steps WHERE step = 'before-1'")
    assert detail == [("1",)]


@pytest.mark.parametrize("fields", [{"slot": "q9"}, {"slot": "q3", "q3": "x"}, {"slot": "q3", "q3.key": "no"}])
def test_invalid_questionnaire_save_is_rejected(engine: Engine, anna: Visitor, fields: dict[str, str]) -> None:
    be_adult(anna)
    assert anna.post("/s/study/questions/before-1/save", json=fields).status_code == 422
    assert rows(engine, "SELECT count(*) FROM ratings WHERE question = 'mood'") == [(0,)]


def test_incomplete_questionnaire_shows_what_is_missing(anna: Visitor) -> None:
    be_adult(anna)
    page = anna.post("/s/study/questions/before-1", data={"q3": "200"})
    assert page.status_code == 422
    assert "<title>Error: How are you?" in page.text
    assert 'value="200"' in page.text


def test_ratings_are_locked_after_debriefing(engine: Engine, anna: Visitor) -> None:
    be_adult(anna)
    anna.post("/s/study/questions/before-1", data={"q3": "40"})
    item = anna.post("/s/study/start")
    anna.rate(item)
    assert heading(anna.get(form_address(item))) == "Item 1 of 1"
    anna.post("/s/study/questions/after-1", data={"q4": "2"})
    page = anna.post("/s/study/questions/about", data={})
    assert "person on item-0" in page.text
    assert "Written by an AI" in page.text
    assert heading(anna.get(form_address(item))) == "What this study was about"
    assert anna.post(f"{form_address(item)}/save", json={"slot": "q0", "q0": "right"}).status_code == 409
    anna.rate(item, {"q0": "right", "q1r0": "1", "q1r1": "1"})
    assert rows(engine, "SELECT side FROM ratings WHERE question = 'preference'") == [("left",)]


def test_help_link_is_on_every_page(anna: Visitor) -> None:
    pages = [anna.arrive(), agree(anna), be_adult(anna)]
    pages += [anna.post("/s/study/questions/before-1", data={"q3": "40"}), anna.post("/s/study/start")]
    pages += [anna.rate(pages[-1])]
    assert all('href="https://example.org/help"' in page.text for page in pages)


def test_rater_without_seat_gets_full_study_code(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1, design={"raters_per_trial": 1}, completion=CODES)
    anna, ben = visitor(), visitor()
    anna.rate(anna.begin("anna"))
    page = ben.begin("ben")
    assert heading(page) == "All places are taken"
    assert "cc=FULL1" in page.text
    assert "D0NE" not in page.text


def test_simulated_raters_complete_the_flow(engine: Engine, study: Callable[..., int]) -> None:
    study_id = study(n_items=2, questions=QUESTIONS, flow=FLOW, design={"raters_per_trial": 2})
    outcome = simulate(transactions(engine), "study", 3, 7)
    assert (outcome.n_finished, outcome.n_assignments) == (2, 4)
    with engine.connect() as db:
        ratings = study_folder(db, study_id).ratings
    about = ratings[ratings["item"].isna()]
    assert sorted(about["question"].unique()) == ["adult", "care", "mood"]
    assert set(about["codes"].dropna()) == {"yes"}


@pytest.mark.parametrize(("layout", "n_heads"), [("matrix", 1), ("separate", 3)])
def test_labels_of_statements_with_one_scale_are_shown_once(
    study: Callable[..., int], visitor: Callable[[], Visitor], layout: str, n_heads: int
) -> None:
    statements = [{**CARE, "key": f"care{n}", "text": f"Statement {n}"} for n in (1, 2, 3)]
    flow = {"before": [{"title": "About you", "questions": [one["key"] for one in statements]}]}
    study(n_items=1, questions=[PREFERENCE, EMPATHY, *statements], flow=flow, layout=layout)
    ben = visitor()
    page = ben.arrive().text
    assert page.count('<div class="heads"') == n_heads
    assert page.count("<legend>") == len(statements)
    answer = ben.post("/s/study/questions/before-1", data={"q2": "1", "q3": "2"})
    assert answer.status_code == 422
    assert answer.text.count('class="error-text"') == 1
