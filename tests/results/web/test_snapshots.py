import json
import re

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.studies.studies import delete_study
from tests.kit.folder import rated_folder
from tests.studies.web.test_new_study import parts

RATED = {name: content.decode() for name, content in rated_folder().items()}


def _save(client: TestClient, query: str = "") -> str:
    answer = client.post(f"/studies/rated/snapshots{query}", data={"name": "As submitted"})
    assert answer.status_code == 303
    return answer.headers["location"]


def test_snapshot_has_the_same_digits_after_further_ratings(client: TestClient, db: Connection) -> None:
    client.post("/studies/new", files=parts(RATED))
    address = _save(client)
    token = address.partition("=")[2]
    before = client.get(f"/studies/rated/results.json?snapshot={token}").text
    db.execute(text("UPDATE ratings SET number = 1 WHERE number IS NOT NULL"))
    assert client.get(f"/studies/rated/results.json?snapshot={token}").text == before
    assert json.loads(client.get("/studies/rated/results.json").text)["data_hash"] != json.loads(before)["data_hash"]
    page = client.get(address).text
    assert "Snapshot <strong><bdi>As submitted</bdi></strong>" in page
    assert f"/snapshots/{token}" in page
    assert json.loads(before)["data_hash"] in page
    section = client.get(f"/studies/rated/results/comparison?snapshot={token}")
    assert f"<code>attune snapshot show rated {token} --json</code>" in section.text
    assert client.get(f"/snapshots/{token}").headers["location"] == address
    kept_out = "A snapshot keeps no results of individual raters."
    assert kept_out in client.get(f"/studies/rated/results/raters?snapshot={token}").text, "the page had no word"
    assert kept_out not in client.get("/studies/rated/results/raters").text


def test_snapshot_keeps_its_filters_and_is_listed(client: TestClient) -> None:
    client.post("/studies/new", files=parts(RATED))
    source = re.search(r'name="source"\s+value="([^"]+)"', client.get("/studies/rated/results").text)
    assert source is not None
    address = _save(client, f"?source={source[1]}")
    assert json.loads(client.get(address.replace("results?", "results.json?")).text)["filters"] == {
        "sources": [source[1]]
    }
    assert "Only responses of" in client.get(address).text
    assert "As submitted" in client.get("/studies/rated/results").text


def test_snapshot_of_a_deleted_study_says_so(client: TestClient, db: Connection) -> None:
    client.post("/studies/new", files=parts(RATED))
    address = _save(client)
    token = address.partition("=")[2]
    delete_study(db, db.execute(text("SELECT id FROM studies WHERE slug = 'rated'")).scalar_one())
    addresses = (f"/snapshots/{token}", address, f"/studies/rated/results/comparison?snapshot={token}")
    for gone in (client.get(one) for one in addresses):
        assert gone.status_code == 410
        assert "The study of this snapshot was deleted on" in gone.text
        assert 'href="/studies"' in gone.text
    client.post("/studies/new", files=parts(RATED))
    assert client.get(address).status_code == 410
    assert db.execute(text("SELECT name, report FROM snapshots")).one() == ("", None)


def test_snapshot_needs_a_name_and_an_unknown_one_is_not_found(client: TestClient) -> None:
    client.post("/studies/new", files=parts(RATED))
    for name in ("", "  ", "x" * 201):
        assert client.post("/studies/rated/snapshots", data={"name": name}).status_code == 400
    assert client.get("/studies/rated/results?snapshot=unknown").status_code == 404
    assert client.get("/studies/rated/charts.json?snapshot=unknown").status_code == 404


def test_snapshot_of_a_blinded_study_stays_closed(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    client.post("/studies/new", files=parts(RATED))
    address = _save(client)
    monkeypatch.setattr("app.results.blinding.is_blinded", lambda *_: True)
    assert client.get(address).status_code == 403
    assert client.post("/studies/rated/snapshots", data={"name": "x"}).status_code == 403
