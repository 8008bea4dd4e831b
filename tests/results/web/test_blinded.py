"""With `blind_interim` nothing tells the estimates until the study closes; then it cannot be reopened."""

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.base.problem import BlindedError
from app.rating.life_cycle import OpeningError, close_study, open_study
from app.studies.studies import get_study
from tests.kit.study_report import report_of_study
from tests.studies.web.test_new_study import FOLDER, parts

HIDDEN = (
    "results.json",
    "results.csv",
    "charts.json",
    "drawings/comparison.svg",
    "charts/comparison.json",
    "charts/comparison.svg",
    "report.html",
    "report.zip",
    "results.json?snapshot=any",
    "ratings.csv",
    "export.zip",
    "downloads/wide.csv",
    "downloads/ratings.parquet",
)
VISIBLE = ("", "/raters", "/design", "/preregistration")
YAML = FOLDER["study.yaml"].rstrip() + "\nmonitoring: {blind_interim: true}\n"


@pytest.fixture
def blinded(client: TestClient) -> TestClient:
    """A lead with a study whose estimates are hidden."""
    client.post("/studies/new", files=parts(FOLDER | {"study.yaml": YAML}))
    return client


def test_blinded_study_hides_estimates_and_files_and_shows_the_rest(blinded: TestClient) -> None:
    for path in HIDDEN:
        answer = blinded.get(f"/studies/warmth/{path}")
        assert answer.status_code == 403, path
        assert "hidden until it closes" in answer.text, path
    for path in ("/results", "/results/comparison"):
        answer = blinded.get(f"/studies/warmth{path}")
        assert answer.status_code == 200, path
        assert "Estimates are hidden until the study closes" in answer.text, path
    for path in VISIBLE:
        assert blinded.get(f"/studies/warmth{path}").status_code == 200, path


def test_closing_reveals_estimates_and_is_final(blinded: TestClient, db: Connection) -> None:
    db.execute(text("UPDATE studies SET status = 'open', opened_at = now()"))
    study = get_study(db, "warmth")
    assert study is not None
    with pytest.raises(BlindedError):
        report_of_study(db, study)
    close_study(db, "warmth")
    assert blinded.get("/studies/warmth/results.json").status_code == 200
    with pytest.raises(OpeningError, match="cannot be reopened"):
        open_study(db, "warmth")
