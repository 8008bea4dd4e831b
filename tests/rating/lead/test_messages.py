"""The page on which a lead writes to raters."""

from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.rating.life_cycle import open_study
from tests.kit.lead_studies import rate, study_of

PAGE = "/studies/small/raters/messages"


def test_lead_writes_to_one_rater(client: TestClient, db: Connection, lead: Lead) -> None:
    study_id = study_of(db, lead)
    open_study(db, "small")
    rate(db, study_id, rater="r1")
    assert f"{PAGE}?rater=r1" in client.get("/studies/small/raters").text
    assert 'value="r1"' in client.get(f"{PAGE}?rater=r1").text
    refused = client.post(PAGE, data={"rater": "r2", "text": "Please look again."})
    assert refused.status_code == 422
    assert "Please look again." in refused.text
    # A reload of a page that answers the form would send the message again.
    assert client.post(PAGE, data={"rater": "r1", "text": "Please look again."}).status_code == 303
    sent = client.get(PAGE).text
    assert "Sent to 1 rater." in sent
    assert "0 of 1" in sent
    assert "Sent to 1 rater." not in client.get(PAGE).text
