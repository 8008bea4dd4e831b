"""The page of approvals on Prolific: first what would be sent, then the results."""

import re

from fastapi import FastAPI
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.rating.life_cycle import open_study
from app.studies.audit import list_acts
from tests.kit.lead_studies import rate, study_of
from tests.kit.prolific_server import prolific_server

PASSWORD = "correct horse battery"
PAGE = "/studies/small/raters/prolific"


def prepare(db: Connection, lead: Lead) -> int:
    """A rater from Prolific who has finished."""
    study_id = study_of(db, lead)
    open_study(db, "small")
    rate(db, study_id, rater="anna", n_trials=2)
    db.execute(text("UPDATE rating_sessions SET state = 'finished', finished_at = now()"))
    db.execute(
        text(
            "INSERT INTO platform_ids (study_id, rater_id, platform, platform_id, parameters) SELECT study_id, id,"
            """ 'prolific', 'p1', '{"SESSION_ID": "s1", "STUDY_ID": "st"}' FROM raters WHERE study_id = :study"""
        ),
        {"study": study_id},
    )
    return study_id


def test_lead_sees_what_is_sent_before_it_is_sent(app: FastAPI, client: TestClient, db: Connection, lead: Lead) -> None:
    study_id = prepare(db, lead)
    with prolific_server() as server:
        server.statuses = {"s1": "AWAITING REVIEW"}
        assert "no Prolific API token" in client.get(PAGE).text
        app.state.prolific = server.client()
        assert "nothing is changed" in client.get(PAGE).text
        checked = client.post(PAGE, data={"step": "check"}).text
        assert "submissions/s1/transition/" in checked
        assert server.bodies == []
        assert "Your password, because approving pays people" in checked
        refused = client.post(PAGE, data={"step": "approve", "submission": ["s1"], "password": "a guess"})
        assert (refused.status_code, "not your password" in refused.text) == (422, True)
        assert server.bodies == []
        sent = client.post(PAGE, data={"step": "approve", "submission": ["s1"], "password": PASSWORD}).text
        assert "1 approved. 0 more" in sent
        app.state.prolific = server.client("wrong")
        assert "does not accept the token" in client.post(PAGE, data={"step": "check"}).text
    assert server.bodies == [{"action": "APPROVE"}]
    (act,) = [one for one in list_acts(db, study_id) if one.action == "Prolific approval"]
    assert act.detail == {"rater": "anna", "result": "approved"}


def test_lead_without_password_needs_a_recent_sign_in(
    app: FastAPI, client: TestClient, db: Connection, lead: Lead
) -> None:
    prepare(db, lead)
    db.execute(text("UPDATE leads SET password_hash = NULL"))
    chosen = {"step": "approve", "submission": ["s1"]}
    with prolific_server() as server:
        server.statuses = {"s1": "AWAITING REVIEW"}
        app.state.prolific = server.client()
        db.execute(text("UPDATE lead_sessions SET created_at = now() - interval '2 hours'"))
        old = client.post(PAGE, data=chosen)
        assert (old.status_code, "Sign out and sign in again" in old.text, server.bodies) == (422, True, [])
        db.execute(text("UPDATE lead_sessions SET created_at = now()"))
        assert "1 approved" in client.post(PAGE, data=chosen).text


def test_flags_are_shown_before_a_rater_is_paid(app: FastAPI, client: TestClient, db: Connection, lead: Lead) -> None:
    study_id = prepare(db, lead)
    db.execute(
        text(
            "INSERT INTO events (study_id, rater_id, kind, detail) SELECT study_id, id, 'check', jsonb_build_object("
            "'check', 'look-' || n, 'is_passed', false) FROM raters, generate_series(1, 2) n WHERE study_id = :study"
        ),
        {"study": study_id},
    )
    with prolific_server() as server:
        server.statuses = {"s1": "AWAITING REVIEW"}
        app.state.prolific = server.client()
        for page in (client.get(PAGE).text, client.post(PAGE, data={"step": "check"}).text):
            assert '<span class="flag">Failed 2 of 2 checks' in page
        assert "Decide on Prolific: approve, ask for a return, or reject" in page


def test_flagged_rater_is_approved_only_by_a_tick(app: FastAPI, client: TestClient, db: Connection, lead: Lead) -> None:
    """Twelve equal ratings were selected for payment with all others."""
    study_id = prepare(db, lead)
    db.execute(
        text(
            "INSERT INTO ratings (study_id, rater_id, question, item_id, number, turn) SELECT :s, r.id, 'empathy',"
            " (SELECT min(id) FROM items), 4, turn FROM raters r, generate_series(0, 11) turn WHERE study_id = :s"
        ),
        {"s": study_id},
    )
    with prolific_server() as server:
        server.statuses = {"s1": "AWAITING REVIEW"}
        app.state.prolific = server.client()
        page = client.post(PAGE, data={"step": "check"}).text
        assert "12 of 12 ratings are the same" in page
        assert re.search(r'href="/studies/small/raters/\d+/answers"', page)
        [box] = re.findall(r"<input[^>]*checkbox[^>]*>", page)
        assert "checked" not in box.replace("checkbox", "")
        chosen = {"step": "approve", "submission": ["s1"], "password": PASSWORD}
        assert "1 approved. 0 more" in client.post(PAGE, data=chosen).text
    assert server.bodies == [{"action": "APPROVE"}]
