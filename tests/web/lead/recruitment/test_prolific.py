"""The page of approvals on Prolific: first what would be sent, then the results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import text

from app.actions.studies.life_cycle import open_study
from app.storage.leads.audit import list_acts
from tests.prolific_server import prolific_server
from tests.web.lead.build import rate, study_of

if TYPE_CHECKING:
    from fastapi import FastAPI
    from sqlalchemy import Connection
    from starlette.testclient import TestClient

    from app.storage.leads.leads import Lead

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
        sent = client.post(PAGE, data={"step": "approve", "submission": ["s1"]}).text
        assert "1 approved. 0 more" in sent
        app.state.prolific = server.client("wrong")
        assert "does not accept the token" in client.post(PAGE, data={"step": "check"}).text
    assert server.bodies == [{"action": "APPROVE"}]
    (act,) = [one for one in list_acts(db, study_id) if one.action == "Prolific approval"]
    assert act.detail == {"rater": "anna", "result": "approved"}
