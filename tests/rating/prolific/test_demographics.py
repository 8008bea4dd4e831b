"""Prolific's demographic data become attributes of the raters who came from there."""

from pathlib import Path

import pytest
from sqlalchemy import Connection, text
from starlette.testclient import TestClient

from app.accounts.leads import Lead
from app.base.files.spreadsheet import table_of
from app.base.files.table import Table
from app.base.problem import InvalidInputError
from app.base.problems import Problems
from app.rating.prolific.demographics import demographics_of, store_demographics
from tests.kit.builder import build_study, protocol_of
from tests.kit.lead_studies import study_of

HEAD = "Submission id,Participant id,Status,Time taken,Age,Sex,Ethnicity simplified"


@pytest.fixture
def study_id(db: Connection) -> int:
    study_id = build_study(db, protocol_of())
    db.execute(
        text("""
            WITH r AS (INSERT INTO raters (study_id, key, attributes)
              VALUES (:study, 'a', '{"site": "north", "sex": "Male"}'), (:study, 'b', '{}') RETURNING id, key)
            INSERT INTO platform_ids (study_id, rater_id, platform, platform_id)
            SELECT :study, id, 'prolific', 'participant-' || key FROM r
        """),
        {"study": study_id},
    )
    return study_id


def exported(folder: Path, *rows: str) -> Table:
    path = folder / "prolific.csv"
    path.write_text("\n".join([HEAD, *rows]) + "\n")
    return table_of(path, Problems())


def test_what_is_said_about_people_is_stored_and_what_was_taken_back_is_not(
    db: Connection, study_id: int, tmp_path: Path
) -> None:
    table = exported(
        tmp_path,
        "s1,participant-a,APPROVED,300,41,CONSENT_REVOKED,White",
        "s2,participant-b,RETURNED,10,,Female,Asian",
        "s3,participant-b,APPROVED,280,DATA_EXPIRED,Female,Mixed",
        "s4,participant-z,APPROVED,280,30,Female,Mixed",
    )
    stored = store_demographics(db, study_id, demographics_of(table))
    assert stored.sentences == (
        "Stored for 2 raters: age, sex and ethnicity simplified. "
        "Left out: 1 row of participants who are no raters of the study."
    )
    rows = db.execute(text("SELECT key, attributes FROM raters ORDER BY key"))
    found = {key: attributes for key, attributes in rows}  # noqa: C416 - rows are no pairs for dict()
    assert found == {
        "a": {"site": "north", "age": "41", "ethnicity_simplified": "White"},
        "b": {"sex": "Female", "ethnicity_simplified": "Mixed"},
    }


def test_another_file_is_refused(db: Connection, study_id: int, tmp_path: Path) -> None:
    path = tmp_path / "other.csv"
    for text_, words in (("rater,Age\na,41\n", "no column Participant id"), ("Participant id,Kind\na,x\n", "Kind")):
        path.write_text(text_)
        with pytest.raises(InvalidInputError, match=words):
            demographics_of(table_of(path, Problems()))


def test_a_lead_stores_the_file_on_the_page_of_raters(client: TestClient, db: Connection, lead: Lead) -> None:
    study = study_of(db, lead)
    db.execute(
        text("""
            WITH r AS (INSERT INTO raters (study_id, key) VALUES (:study, 'a') RETURNING id)
            INSERT INTO platform_ids (study_id, rater_id, platform, platform_id)
            SELECT :study, id, 'prolific', 'participant-a' FROM r
        """),
        {"study": study},
    )
    content = f"{HEAD}\ns1,participant-a,APPROVED,300,41,Male,White\ns2,<b>,APPROVED,300,41,Male,White\n"
    path = "/studies/small/raters/demographics"
    page = client.post(path, files={"file": ("prolific.csv", content)}).text
    assert "Stored for 1 rater: age, sex and ethnicity simplified. Left out: 1 row of participants" in page
    assert db.execute(text("SELECT attributes ->> 'age' FROM raters")).scalar_one() == "41"
    for upload, words in (
        ("rater,Age\na,41\n", "no column Participant id"),
        ("", "no header"),
        ("\x00\x01", "not text"),
    ):
        refused = client.post(path, files={"file": ("prolific.csv", upload)})
        assert (refused.status_code, words in refused.text) == (422, True)
