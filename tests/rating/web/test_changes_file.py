"""changes.csv: the earlier values of answers that a rater changed or cleared, with both times."""

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import Engine, text

from app.base.database.engine import transactions
from app.studies.creation.read_new_study import read_upload
from app.studies.studies import get_study
from tests.kit.builder import EMPATHY, PREFERENCE
from tests.kit.making_here import study_zip
from tests.kit.rater_pages import FULL, Visitor, form_address

WHY = {"key": "why", "target": "item", "type": "text", "text": "Why?", "required": False}
DOES = {
    "key": "does",
    "target": "item",
    "type": "category",
    "text": "What does it do?",
    "multiple": True,
    "required": False,
    "codes": {"asks": "Asks", "tells": "Tells"},
}


@pytest.fixture
def exported(engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]) -> Iterator[zipfile.ZipFile]:
    """The study folder after a rater has changed one answer of each kind, and cleared the text."""
    study(n_items=2, questions=[PREFERENCE, EMPATHY, WHY, DOES])
    anna = visitor()
    page = anna.begin()
    anna.rate(page, {**FULL, "q2": "a word", "q3": ["asks", "tells"]})
    anna.rate(anna.get(form_address(page)), {**FULL, "q0": "right", "q1r0": "1", "q2": "", "q3": ["asks"]})
    with engine.connect() as db:
        row = get_study(db, "study")
    assert row
    path = study_zip(transactions(engine), row)
    with zipfile.ZipFile(path) as archive:
        yield archive
    path.unlink()


def rows(archive: zipfile.ZipFile, name: str) -> list[dict[str, Any]]:
    return list(csv.DictReader(io.StringIO(archive.read(f"study/{name}.csv").decode())))


def test_earlier_values_are_exported_with_both_times(exported: zipfile.ZipFile) -> None:
    changes = {row["question"]: row for row in rows(exported, "changes")}
    now = {(row["question"], row["side"]): row for row in rows(exported, "ratings")}
    assert {key: row["value"] for key, row in changes.items()} == {
        "preference": changes["preference"]["left_response"],
        "empathy": "4",
        "why": "a word",
        "does": "asks|tells",
    }
    assert changes["preference"]["side"] == "left"
    for key, row in changes.items():
        later = now[key, {"preference": "right", "empathy": "left"}.get(key, "")]
        same = ("rater", "item", "response", "left_response", "right_response")
        assert [row[name] for name in same] == [later[name] for name in same]
        assert row["value"] != later["value"]
        assert row["rated_at"] < later["rated_at"] <= row["replaced_at"]


def test_changes_are_described_and_ignored_when_the_folder_is_read(exported: zipfile.ZipFile) -> None:
    described = {one["name"]: one for one in json.loads(exported.read("study/datapackage.json"))["resources"]}
    kinds = {field["name"]: field["type"] for field in described["changes"]["schema"]["fields"]}
    assert (kinds["rated_at"], kinds["replaced_at"], kinds["value"]) == ("datetime", "datetime", "string")
    meanings = {row["column"]: row["meaning"] for row in rows(exported, "codebook") if row["file"] == "changes.csv"}
    assert "replaced" in meanings["replaced_at"]
    files = {name: exported.read(name) for name in exported.namelist()}
    read = read_upload(files)
    assert [str(note) for note in read.notes if "ignored" in str(note)] == []
    assert len(read.ratings) == len(rows(exported, "ratings"))


def test_unticking_every_code_of_an_optional_question_clears_them(
    engine: Engine, study: Callable[..., int], visitor: Callable[[], Visitor]
) -> None:
    study(n_items=2, questions=[PREFERENCE, EMPATHY, WHY, DOES])
    anna = visitor()
    page = anna.begin()
    anna.rate(page, {**FULL, "q2": "a word", "q3": ["", "asks", "tells"]})
    # The form of the page sends an empty value beside the boxes, none of which is ticked.
    anna.rate(anna.get(form_address(page)), {**FULL, "q2": "a word", "q3": [""]})
    with engine.connect() as db:
        codes = db.execute(text("SELECT codes FROM ratings WHERE question = 'does'")).scalars().all()
    assert codes == [[]]
