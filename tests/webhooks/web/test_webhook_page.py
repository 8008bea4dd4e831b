"""Webhooks on the pages of a study, and through the API."""

import re
from datetime import timedelta

from sqlalchemy import Connection
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.studies.audit import list_acts
from app.studies.members.api_tokens import record_api_token
from app.webhooks.subscriptions import list_webhooks

PAGE = "/studies/small/settings/webhooks"
SENT = {"address": "https://lab.example.org/hook", "events": ["session.finished", "study.full"]}


def test_webhook_is_added_tested_renewed_and_deleted(client: TestClient, db: Connection, study_id: int) -> None:
    made = client.post(PAGE, data=SENT, follow_redirects=True)
    secret = re.search(r'value="(whsec_[^"]+)"', made.text)
    assert secret is not None
    (webhook,) = list_webhooks(db, study_id)
    assert client.post(f"{PAGE}/{webhook.id}/test").status_code == 303
    page = client.get(PAGE).text
    assert secret[1] not in page
    assert "Waiting" in page
    # A reload of a page that answers the form would replace the secret again.
    assert client.post(f"{PAGE}/{webhook.id}/secret").status_code == 303
    renewed = re.search(r'value="(whsec_[^"]+)"', client.get(PAGE).text)
    assert renewed is not None
    assert renewed[1] != secret[1]
    assert renewed[1] not in client.get(PAGE).text
    assert client.post(f"{PAGE}/{webhook.id}/resume").status_code == 303
    assert client.post(f"{PAGE}/{webhook.id}/delete").status_code == 303
    assert list_webhooks(db, study_id) == []
    assert [act.action for act in reversed(list_acts(db, study_id))] == [
        "webhook added",
        "webhook test sent",
        "webhook secret renewed",
        "webhook resumed",
        "webhook deleted",
    ]


def test_problem_keeps_what_was_typed(client: TestClient, study_id: int) -> None:
    answer = client.post(PAGE, data={"address": "http://10.0.0.1/hook", "events": ["study.full"]})
    assert answer.status_code == 422
    assert "not a public address" in answer.text
    assert 'value="http://10.0.0.1/hook"' in answer.text


def test_address_that_the_study_has_is_refused(client: TestClient, db: Connection, study_id: int) -> None:
    """The second click of a double click sends the form again."""
    client.post(PAGE, data=SENT)
    again = client.post(PAGE, data={**SENT, "address": f" {SENT['address']}", "events": ["study.full"]})
    assert again.status_code == 422
    assert "already has a webhook with this address" in again.text
    assert "whsec_" not in again.text
    assert [one.address for one in list_webhooks(db, study_id)] == [SENT["address"]]


def test_webhooks_through_the_api(client: TestClient, db: Connection, lead: Lead, study_id: int) -> None:
    record_api_token(db, study_id, lead.id, token="attune_t", name="t", role="editor", valid=timedelta(days=1))
    client.headers["authorization"] = "Bearer attune_t"
    api = "/api/v1/studies/small/webhooks"
    made = client.post(api, json=SENT)
    assert (made.status_code, made.json()["secret"][:6]) == (201, "whsec_")
    number = made.json()["id"]
    assert client.post(api, json=SENT).status_code == 422
    assert [one["address"] for one in client.get(api).json()["webhooks"]] == [SENT["address"]]
    assert client.post(f"{api}/{number}/test").status_code == 202
    assert client.get(f"{api}/deliveries").json()["deliveries"][0]["state"] == "waiting"
    assert client.post(api, json={**SENT, "address": "https://127.0.0.1"}).status_code == 422
    assert client.delete(f"{api}/{number}").json() == {"done": True}
    assert client.delete(f"{api}/{number}").status_code == 404
