"""Withdrawal: at any time, with a receipt, seats released, and answers deleted completely on request."""

import csv
import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import Engine, text

from app.base.database.engine import transactions
from app.rating.arrival.arrivals import get_arrival_study, record_invite
from app.rating.arrival.invitations import invite_raters
from app.rating.life_cycle import close_study, pause_study
from app.schema import metadata
from app.studies.coverage import get_coverage
from app.studies.studies import get_study
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.database import rows
from tests.kit.making_here import study_zip
from tests.kit.rater_pages import FULL, Visitor, form_address, heading
from tests.kit.study_report import report_of_study

WISH = {"key": "wish", "target": "rater", "type": "text", "text": "Anything else?"}
WHY = {"key": "why", "target": "item", "type": "text", "text": "Why?", "required": False}
CODES = {"code": "D0NE", "otherwise": {"withdrew": {"code": "LEFT1", "text": "Farewell."}}}
SECRET = "Nobody else may know this"


def leave(anna: Visitor, wish: str = "delete") -> Any:  # noqa: ANN401 - httpx's response
    return anna.post("/s/study/withdraw", data={"withdraw": wish})


def receipt_of(page: Any) -> str:  # noqa: ANN401
    found = re.search(r'id="receipt"[^>]*>([A-Z0-9]{4}-[A-Z0-9]{4})<', page.text)
    assert found, page.text
    return found[1]


@pytest.fixture
def anna(study: Callable[..., int], visitor: Callable[[], Visitor]) -> Visitor:
    """A rater who has entered a secret, changed it, rated one of two items and started the second."""
    questions = [PREFERENCE, EMPATHY, WHY, WISH]
    flow = {"before": [{"questions": ["wish"]}], "skip_reasons": ["I know the person"]}
    study(n_items=2, questions=questions, flow=flow, completion=CODES, design={"raters_per_trial": 1})
    anna = visitor()
    anna.arrive()
    anna.post("/s/study/questions/before-1", data={"q3": SECRET})
    first = anna.post("/s/study/start")
    second = anna.rate(first, {**FULL, "q2": SECRET})
    anna.rate(first, {**FULL, "q2": "Something else"})
    anna.post(f"{form_address(second)}/save", json={"slot": "q0", "q0": "right"})
    return anna


def everything(engine: Engine) -> str:
    """Everything in the database about the study's raters, as text."""
    tables = set(metadata.tables) - {"items", "responses", "protocols", "questions", "sources", "studies", "trials"}
    return "\n".join(str(rows(engine, f'SELECT "{name}"::text FROM "{name}"')) for name in sorted(tables))  # noqa: S608


def test_withdrawal_link_is_on_every_page(anna: Visitor) -> None:
    for path in ("rate", "start", "withdraw", "pause"):
        assert 'href="/s/study/withdraw"' in anna.get(f"/s/study/{path}").text
    page = anna.get("/s/study/withdraw")
    assert (heading(page), page.text.count('name="withdraw"')) == ("Stop taking part", 2)


def test_stopping_keeps_submitted_answers_and_releases_seats(engine: Engine, anna: Visitor) -> None:
    page = leave(anna, "stop")
    assert (page.url.path, heading(page)) == ("/s/study/withdrawn", "You have stopped taking part")
    assert "cc=LEFT1" in page.text
    assert "Farewell." in page.text
    receipt = receipt_of(page)
    assert receipt_of(leave(anna, "stop")) == receipt_of(anna.get("/s/study/withdraw")) == receipt
    assert rows(engine, "SELECT state FROM rating_sessions") == [("withdrawn",)]
    assert rows(engine, "SELECT state FROM assignments ORDER BY position") == [("done",), ("returned",)]
    assert rows(engine, "SELECT kind, detail ->> 'receipt' FROM events") == [("withdrawal", receipt)]
    with engine.connect() as db:
        counted = get_coverage(db, 1)
    assert counted.reconciliation == (2, 1, 0, 1, 0, 0, 0)
    assert (counted.rating_sessions.n_withdrawn, counted.rating_sessions.n_deleted) == (1, 0)
    assert rows(engine, "SELECT count(*) FROM ratings WHERE exclude IS NULL") == [(5,)]


def test_deleted_answers_are_removed_from_database(engine: Engine, anna: Visitor) -> None:
    assert SECRET in everything(engine)
    assert rows(engine, "SELECT count(*) FROM rating_history") == [(1,)]
    page = leave(anna)
    assert heading(page) == "Your answers have been deleted"
    left = everything(engine)
    assert SECRET not in left
    assert "anna" not in left
    assert re.search(r"\br-[a-z2-7]{16}\b", left) is None
    for table in ("raters", "platform_ids", "rating_sessions", "steps", "assignments", "ratings", "rating_history"):
        assert rows(engine, f"SELECT count(*) FROM {table}") == [(0,)]  # noqa: S608
    event = rows(engine, "SELECT rater_id, assignment_id, kind, detail FROM events")
    assert event == [(None, None, "deletion", {"receipt": receipt_of(page)})]
    assert rows(engine, "SELECT count(*) FROM seats WHERE assignment_id IS NOT NULL") == [(0,)]


def test_deleted_answers_leave_exports_and_seats_are_refilled(
    engine: Engine, anna: Visitor, visitor: Callable[[], Visitor]
) -> None:
    receipt = receipt_of(leave(anna))
    ben = visitor()
    ben.arrive("ben")
    ben.post("/s/study/questions/before-1", data={"q3": ""})
    page = ben.post("/s/study/start")
    for _ in range(2):
        page = ben.rate(page, {**FULL, "q2": ""})
    assert heading(page) == "You have finished. Thank you."
    with engine.connect() as db:
        study = get_study(db, "study")
        assert study
        report, _ = report_of_study(db, study)
        counted = get_coverage(db, study.id)
    assert {
        estimate.n_raters
        for estimate in report.estimates
        if estimate.question == "empathy" and "flagged" not in estimate.scope
    } <= {1, None}
    assert (counted.distribution, counted.reconciliation) == ([(1, 2)], (2, 2, 0, 0, 0, 0, 0))
    path = study_zip(transactions(engine), study)
    with zipfile.ZipFile(path) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    path.unlink()
    assert not any(SECRET in words or "Something else" in words for words in texts.values())
    assert len({row["rater"] for row in csv.DictReader(io.StringIO(texts["study/ratings.csv"]))}) == 1
    assert len(list(csv.DictReader(io.StringIO(texts["study/raters.csv"])))) == 1
    events = list(csv.DictReader(io.StringIO(texts["study/events.csv"])))
    assert [(e["rater"], e["detail"]) for e in events if e["kind"] == "deletion"] == [
        ("", f'{{"receipt": "{receipt}"}}')
    ]


def test_requests_after_withdrawal_lead_to_receipt(
    engine: Engine, anna: Visitor, visitor: Callable[[], Visitor]
) -> None:
    address = form_address(anna.get("/s/study/rate"))
    receipt = receipt_of(leave(anna))
    before = everything(engine)
    posts = {address: FULL, f"{address}/skip": {}, "/s/study/start": {}, "/s/study/withdraw": {"withdraw": "delete"}}
    pages = [anna.get(f"/s/study/{path}") for path in ("rate", "start", "done", "withdraw", "consent", "pause")]
    pages += [anna.post(path, data=data) for path, data in posts.items()]
    pages += [anna.arrive()]
    assert {(page.status_code, receipt_of(page)) for page in pages} == {(200, receipt)}
    saved = anna.post(f"{address}/save", json={"slot": "q0", "q0": "left"}, headers={"Accept": "application/json"})
    assert (saved.status_code, "stopped taking part" in saved.json()["detail"]) == (410, True)
    by_htmx = anna.post(address, data=FULL, headers={"HX-Request": "true"}, follow_redirects=False)
    assert by_htmx.headers["hx-redirect"] == "/s/study/withdrawn"
    assert everything(engine) == before
    assert visitor().arrive().status_code == 410


def test_stopped_rater_can_delete_later_under_same_receipt(engine: Engine, anna: Visitor) -> None:
    receipt = receipt_of(leave(anna, "stop"))
    page = leave(anna)
    assert (heading(page), receipt_of(page)) == ("Your answers have been deleted", receipt)
    assert "Something else" not in everything(engine)
    assert rows(engine, "SELECT deleted_at >= withdrew_at FROM withdrawals") == [(True,)]


def test_invalid_withdrawal_choice_is_ignored(engine: Engine, anna: Visitor, visitor: Callable[[], Visitor]) -> None:
    for wish in ("", "maybe"):
        assert heading(leave(anna, wish)) == "Stop taking part"
    assert anna.get("/s/study/withdrawn").status_code == 403
    assert visitor().get("/s/study/withdrawn").status_code == 403
    assert rows(engine, "SELECT state FROM rating_sessions") == [("active",)]


@pytest.mark.parametrize("change", [pause_study, close_study])
def test_withdrawal_is_possible_after_study_ends(engine: Engine, anna: Visitor, change: Callable[..., None]) -> None:
    with engine.begin() as db:
        change(db, "study")
    assert heading(leave(anna)) == "Your answers have been deleted"
    assert SECRET not in everything(engine)
    assert heading(anna.get("/s/study/rate")) == "Your answers have been deleted"


def test_finished_rater_keeps_code_after_deletion(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=1, completion=CODES, flow={"debrief": {"text": "The truth.", "offer_deletion": True}})
    anna, ben = visitor(), visitor()
    page = anna.rate(anna.begin("anna"))
    assert 'id="take-back"' in page.text
    assert "D0NE" not in page.text
    page = leave(anna)
    assert "cc=D0NE" in page.text
    ben.rate(ben.begin("ben"))
    assert heading(ben.post("/s/study/debrief")) == "You have finished. Thank you."
    confirm = ben.get("/s/study/withdraw")
    assert (heading(confirm), confirm.text.count('name="withdraw"')) == ("Delete my answers", 1)
    assert heading(leave(ben, "stop")) == "Delete my answers"
    assert rows(engine, "SELECT state FROM rating_sessions") == [("finished",)]
    assert "cc=D0NE" in leave(ben).text
    assert rows(engine, "SELECT count(*) FROM ratings") == [(0,)]
    assert rows(engine, "SELECT outcome FROM withdrawals") == [("completed",)] * 2


def test_named_rater_keeps_name_and_link_shows_receipt(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study(n_items=1, design={"pools": {"expert": {}}})
    with engine.begin() as db:
        named = "INSERT INTO raters (study_id, key, pool) VALUES (:study, 'dr-lee', 'expert')"
        db.execute(text(named), {"study": study_id})
        arrival_study = get_arrival_study(db, "study")
        assert arrival_study
        ((_, token),) = invite_raters(db, arrival_study)
    anna = visitor()
    anna.get(f"/s/study?invite={token}")
    anna.rate(anna.post("/s/study/start"))
    receipt = receipt_of(leave(anna))
    assert receipt_of(visitor().get(f"/s/study?invite={token}")) == receipt
    assert rows(engine, "SELECT key FROM raters") == [("dr-lee",)]
    assert rows(engine, "SELECT count(*) FROM ratings") == rows(engine, "SELECT count(*) FROM assignments") == [(0,)]


def test_open_invitation_shows_receipt_after_deletion(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study_id = study(n_items=1)
    with engine.begin() as db:
        token = record_invite(db, study_id)
    anna = visitor()
    anna.get(f"/s/study?invite={token}")
    anna.rate(anna.post("/s/study/start"))
    receipt = receipt_of(leave(anna))
    assert receipt_of(visitor().get(f"/s/study?invite={token}")) == receipt
    assert rows(engine, "SELECT count(*) FROM raters") == [(0,)]


def test_conditions_are_rebalanced_after_withdrawals(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    told = {"kind": "instruction", "levels": {"near": "Feel along.", "far": "Stay outside."}, "assign": "between"}
    study(n_items=1, conditions={"told": told}, design={"raters_per_trial": 3})
    for number in range(4):
        rater = visitor()
        rater.rate(rater.begin(f"rater-{number}"))
        if number == 0:
            leave(rater)
    counts = "SELECT condition, count(*), array_agg(number_in_condition ORDER BY 1) FROM rating_sessions GROUP BY 1"
    found = {condition: (n, sorted(numbers)) for condition, n, numbers in rows(engine, counts)}
    assert sorted(found.values()) == [(1, [0]), (2, [0, 1])]


def test_finished_rater_keeps_credit_and_submission_after_deletion(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    """The link's parameters are deleted with the answers; the receipt still needs them, once."""
    study(n_items=1, completion={"url": "https://uni.sona-systems.com/c?id=7&survey_code=XXXX"})
    study(slug="turk", n_items=1)
    student, worker = visitor(), visitor()
    student.get("/s/study?survey_code=47%2F11")
    worker.get("/s/turk?workerId=W1&assignmentId=A1&hitId=H1&turkSubmitTo=https://www.mturk.com")
    for who, slug in ((student, "study"), (worker, "turk")):
        who.rate(who.post(f"/s/{slug}/start"))
    credit = student.post("/s/study/withdraw", data={"withdraw": "delete"})
    assert heading(credit) == "Your answers have been deleted"
    assert 'href="https://uni.sona-systems.com/c?id=7&amp;survey_code=47%2F11"' in credit.text
    submission = worker.post("/s/turk/withdraw", data={"withdraw": "delete"})
    assert 'action="https://www.mturk.com/mturk/externalSubmit"' in submission.text
    assert 'name="assignmentId" value="A1"' in " ".join(submission.text.split())
    assert "https://www.mturk.com" in submission.headers["Content-Security-Policy"]
    assert "please return your submission" not in submission.text


def test_rater_who_stops_after_last_item_gets_credit_on_any_later_day(
    study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(
        n_items=1,
        completion={"url": "https://uni.sona-systems.com/c?survey_code=XXXX"},
        flow={"debrief": {"text": "It was about warmth."}},
    )
    student = visitor()
    student.get("/s/study?survey_code=4711")
    assert heading(student.rate(student.post("/s/study/start"))) == "What this study was about"
    student.post("/s/study/withdraw", data={"withdraw": "stop"})
    assert "survey_code=4711" in student.get("/s/study?survey_code=4711").text
