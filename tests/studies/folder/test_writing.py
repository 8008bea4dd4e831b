"""Written files can be read again by Attune and by other programs."""

import csv
import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from app.analysis.data.study_folder import StudyFolder, frames_of, is_same
from app.analysis.estimate import FIELDS, Estimate
from app.base.problem import FolderExistsError
from app.protocol.rating_columns import COLUMNS, FILE_COLUMNS
from app.protocol.study import Protocol
from app.stats.result import REASONS
from app.studies.creation.read_new_study import read_upload
from app.studies.export import ASSIGNMENT_COLUMNS, CHANGE_COLUMNS, SESSION_COLUMNS
from app.studies.folder.codebook import MEANINGS, OF_LEAD
from app.studies.folder.read import read_folder
from app.studies.folder.write import write_folder, write_zip
from tests.kit.small import RATINGS, read_small
from tests.real_data.ayers import write_ayers
from tests.real_data.folder import read_rows
from tests.real_data.kumar import write_kumar
from tests.real_data.pandalm import write_pandalm

EVENTS = pd.DataFrame(
    [
        ("r1", "arrived", {"platform": "link"}, pd.Timestamp("2026-11-21T10:00:00Z")),
        ("r1", "check", {"check": "attention", "is_passed": False}, pd.Timestamp("2026-11-21T10:01:00.5Z")),
        (None, "opened", {}, pd.Timestamp("2026-11-21T09:00:00Z")),
    ],
    columns=["rater", "kind", "detail", "happened_at"],
    dtype=object,
)


def test_written_study_round_trips(tmp_path: Path) -> None:
    study = read_small()
    write_folder(tmp_path / "out", study, events=EVENTS)
    assert is_same(read_folder(tmp_path / "out"), study)


@pytest.mark.parametrize("write", [write_ayers, write_kumar, write_pandalm])
def test_real_studies_round_trip_with_identical_bytes(
    tmp_path: Path, shared: Path, write: Callable[[Path, Path], Path]
) -> None:
    study = read_folder(write(tmp_path / "raw", shared))
    write_folder(tmp_path / "one", study)
    again = read_folder(tmp_path / "one")
    assert is_same(again, study)
    for name in ("items", "responses", "raters", "ratings"):
        assert getattr(frames_of(again), name).equals(getattr(frames_of(study), name))
    write_folder(tmp_path / "two", again)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes()


def test_every_documented_file_is_written(tmp_path: Path) -> None:
    estimates = [
        Estimate("agreement", "warmth", {}, "percent_agreement", 0.5, n_items=2),
        Estimate("comparison", "warmth", {"source": "model-1"}, "mean_difference", None, reason="one_cluster"),
    ]
    write_folder(tmp_path / "out", read_small(), events=EVENTS, estimates=estimates)
    assert {file.name for file in (tmp_path / "out").iterdir()} == {
        "study.yaml",
        "items.csv",
        "responses.csv",
        "raters.csv",
        "ratings.csv",
        "checks.csv",
        "events.csv",
        "agreement.csv",
        "comparisons.csv",
        "codebook.csv",
        "datapackage.json",
    }
    (row,) = read_rows(tmp_path / "out" / "comparisons.csv")
    assert list(row) == list(FIELDS)
    assert (row["scope"], row["estimate"], row["reason"]) == ('{"source": "model-1"}', "", "one_cluster")
    (row,) = read_rows(tmp_path / "out" / "agreement.csv")
    assert (row["estimate"], row["n_items"]) == ("0.5", "2")


def test_values_are_written_in_readable_form(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", read_small())
    rows = {
        (row["rater"], row["question"], row["response"]): row for row in read_rows(tmp_path / "out" / "ratings.csv")
    }
    assert rows["r1", "warmth", "a:person"]["value"] == "3"
    assert rows["r1", "fit", "b1"]["value"] == "0.3"
    assert rows["r1", "warmth", "a:model-1"]["value"] == "cannot_judge"
    assert rows["r1", "does", "b3"]["value"] == "asks|validates"
    assert rows["r2", "preference", ""]["value"] == "tie"
    assert rows["r2", "each", ""]["turn"] == "2"
    assert "repeat" not in rows["r2", "each", ""]


def test_checks_and_events_are_written_with_times(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", read_small(), events=EVENTS)
    assert read_rows(tmp_path / "out" / "checks.csv") == [
        {
            "rater": "r1",
            "check": "attention",
            "is_passed": "false",
            "happened_at": "2026-11-21T10:01:00.500000Z",
            "rater_kind": "person",
            "is_simulated": "false",
        }
    ]
    assert [row["rater"] for row in read_rows(tmp_path / "out" / "events.csv")] == ["r1", "r1", ""]


def test_csv_follows_rfc_4180_and_quotes_carriage_returns(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", read_small(items='item,text,feels\na,"One\rtwo",sad\nb,"x",glad\n', ratings=None))
    assert (tmp_path / "out" / "items.csv").read_bytes() == b'item,text,feels\r\na,"One\rtwo",sad\r\nb,x,glad\r\n'


def test_spreadsheet_export_escapes_formulas_but_not_numbers(tmp_path: Path) -> None:
    study = read_small(
        ratings=RATINGS.replace('"because, well"', '"=HYPERLINK(""http://x"")"').replace("r2", "@r2"),
        raters="rater,kind,+x\nr1,person,-1\n@r2,model,\t1\n",
    )
    write_folder(tmp_path / "raw", study)
    write_folder(tmp_path / "sheet", study, spreadsheet=True)
    assert b'\n@r2,a,,why,"=HYPERLINK(""http://x"")"' in (tmp_path / "raw" / "ratings.csv").read_bytes()
    data = (tmp_path / "sheet" / "ratings.csv").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    rows = {row["question"]: row for row in read_rows(tmp_path / "sheet" / "ratings.csv") if row["rater"] == "'@r2"}
    assert rows["why"]["value"] == '\'=HYPERLINK("http://x")'
    assert rows["each"]["value"] == "-1"
    raters = read_rows(tmp_path / "sheet" / "raters.csv")
    assert [row["'+x"] for row in raters] == ["-1", "'\t1"]


def test_codebook_explains_every_column_and_scale_point(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", read_small())
    rows = read_rows(tmp_path / "out" / "codebook.csv")
    assert {row["meaning"] for row in rows if row["column"] == "feels"} == {OF_LEAD}
    labels = {row["column"]: row["label"] for row in rows if not row["question"] and row["file"] == "ratings.csv"}
    assert labels == {column.name: column.label for column in COLUMNS if column.name in labels}
    meanings = {(row["file"], row["column"]): row["meaning"] for row in rows if not row["question"]}
    of_ratings = {column.name: column.meaning for column in COLUMNS}
    assert {
        column for (file, column), words in meanings.items() if file == "ratings.csv" and words != of_ratings[column]
    } == set()
    assert meanings["responses.csv", "source"].startswith("the source that wrote the response;")
    assert meanings["raters.csv", "kind"] == "person or model"
    assert {(row["value"], row["meaning"]) for row in rows if row["question"] == "warmth"} >= {
        ("1", "cold"),
        ("3", "warm"),
    }
    assert set(MEANINGS) >= {*FILE_COLUMNS, *FIELDS, *ASSIGNMENT_COLUMNS, *SESSION_COLUMNS, *CHANGE_COLUMNS}


def test_codebook_explains_what_an_estimate_says_where_it_has_no_value_or_interval() -> None:
    """It said that inference is empty without an interval, where it is none."""
    assert MEANINGS["inference"].endswith("none without one")
    for name in ("reason", "ci_reason"):
        assert [reason for reason in REASONS if f"; {reason}: " not in MEANINGS[name]] == []


def test_data_package_describes_written_files(tmp_path: Path) -> None:
    write_folder(tmp_path / "out", read_small())
    package = json.loads((tmp_path / "out" / "datapackage.json").read_text())
    assert package["name"] == "small"
    for resource in package["resources"]:
        data = (tmp_path / "out" / resource["path"]).read_bytes()
        assert resource["hash"] == f"sha256:{hashlib.sha256(data).hexdigest()}"
        header = next(csv.reader(io.StringIO(data.decode(), newline="")))
        assert [field["name"] for field in resource["schema"]["fields"]] == header
        for key in resource["schema"].get("foreignKeys", ()):
            assert key["fields"][0] in header


def test_export_never_overwrites(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(FolderExistsError, match="is not an empty folder"):
        write_folder(tmp_path, read_small())
    assert [file.name for file in tmp_path.iterdir()] == ["file"]


def test_failed_write_leaves_no_files(tmp_path: Path) -> None:
    study = read_small()
    broken = StudyFolder(
        study.protocol, study.yaml, study.items, study.responses, study.raters, study.ratings[["rater"]]
    )
    with pytest.raises(KeyError):
        write_folder(tmp_path / "out", broken)
    assert list(tmp_path.iterdir()) == []


def test_zip_export_is_reproducible_and_can_be_uploaded() -> None:
    study, one, two = read_small(), io.BytesIO(), io.BytesIO()
    write_zip(one, study)
    write_zip(two, study)
    assert one.getvalue() == two.getvalue()
    assert "small/study.yaml" in zipfile.ZipFile(one).namelist()
    assert is_same(read_upload({"small.zip": one.getvalue()}), study)


def test_stored_protocol_round_trips() -> None:
    protocol = read_small().protocol
    assert Protocol.model_validate(protocol.model_dump(mode="json")) == protocol
