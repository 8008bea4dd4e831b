"""Prolific's demographic data become attributes of the raters who came from there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from app.base.files.spreadsheet import table_of
from app.base.problem import InvalidInputError
from app.base.problems import Problems
from app.rating.prolific.demographics import store_demographics
from tests.kit.builder import build_study, protocol_of

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

    from app.base.files.table import Table

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
    assert store_demographics(db, study_id, table) == (2, 1)
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
            store_demographics(db, study_id, table_of(path, Problems()))
