"""A study is preregistered with one click; the forms are there to take away, and the report knows the plan."""

import io
import re
import zipfile

from starlette.testclient import TestClient

from tests.studies.web.test_new_study import FOLDER, parts


def test_preregistration_stores_hash_and_offers_both_forms(client: TestClient) -> None:
    client.post("/studies/new", files=parts(FOLDER))
    assert "not registered yet" in client.get("/studies/warmth/preregistration").text
    assert "not preregistered" in client.get("/studies/warmth/results/plan").text
    assert client.post("/studies/warmth/preregistration").status_code in {200, 303}
    found = re.search(r"[0-9a-f]{64}", client.get("/studies/warmth/preregistration").text)
    assert found
    archive = client.get("/studies/warmth/preregistration/1.zip")
    with zipfile.ZipFile(io.BytesIO(archive.content)) as files:
        assert {"preregistration-osf.docx", "preregistration-aspredicted.pdf"} <= set(files.namelist())
        assert found[0] in files.read("preregistration.json").decode()
    assert found[0] in client.get("/studies/warmth/report.html").text
    plan = client.get("/studies/warmth/results/plan").text
    assert found[0] in plan
    assert "As registered" in plan
    assert client.get("/studies/warmth/preregistration/2.zip").status_code == 404
