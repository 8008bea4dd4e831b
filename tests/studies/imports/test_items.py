"""Import from a spreadsheet with one row per item, whatever its columns are named."""

from contextlib import nullcontext
from pathlib import Path

import openpyxl
import pandas as pd
import pytest
from sqlalchemy import Connection, text

from app.base.problem import InvalidInputError
from app.studies.export import study_folder
from app.studies.folder.read import read_folder
from app.studies.imports.pipeline import InFolder, InStore, TextsInTheWayError, import_texts
from app.studies.imports.read_texts import Texts
from app.studies.imports.wide_table import Layout
from app.studies.load import load_study
from app.studies.studies import StudyMissingError
from tests.kit.small import YAML, read_small
from tests.real_data import ayers
from tests.real_data.folder import read_rows, write_rows

LAYOUT = Layout(responses={"person": "Human", "model-1": "GPT"}, item="ID", text="Post")
SHEET = "ID,Post,Human,GPT,Mood,feels\nx1,One,h1,g1,low,sad\nx2,=2+2,h2,,high,glad\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "study"
    place.mkdir()
    (place / "study.yaml").write_text(YAML)
    return place


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    file = tmp_path / "sheet.csv"
    file.write_text(SHEET)
    return file


def test_items_and_responses_are_written_beside_protocol(folder: Path, sheet: Path) -> None:
    added = import_texts(InFolder(folder, folder), Texts(sheet, LAYOUT))
    read = read_folder(folder)
    assert read.items[["item", "text", "Mood", "feels"]].to_numpy().tolist() == [
        ["x1", "One", "low", "sad"],
        ["x2", "=2+2", "high", "glad"],
    ]
    assert list(read.responses["response"]) == ["x1:person", "x1:model-1", "x2:person"]
    assert ["1 items have none from model-1" in note.allowed for note in added.notes] == [True]
    assert [file.name for file in sorted(folder.iterdir())] == ["items.csv", "responses.csv", "study.yaml"]


def test_parquet_file_is_imported_as_the_same_sheet_in_csv(folder: Path, sheet: Path, tmp_path: Path) -> None:
    import_texts(InFolder(folder, tmp_path / "csv"), Texts(sheet, LAYOUT))
    pd.read_csv(sheet).to_parquet(tmp_path / "sheet.parquet", index=False)
    import_texts(InFolder(folder, tmp_path / "parquet"), Texts(tmp_path / "sheet.parquet", LAYOUT))
    for name in ("items.csv", "responses.csv"):
        assert (tmp_path / "parquet" / name).read_text() == (tmp_path / "csv" / name).read_text()


def test_other_folder_gets_a_copy_of_protocol(folder: Path, sheet: Path, tmp_path: Path) -> None:
    import_texts(InFolder(folder, tmp_path / "out"), Texts(sheet, LAYOUT))
    assert (tmp_path / "out" / "study.yaml").read_text() == YAML
    assert len(read_folder(tmp_path / "out").items) == 2
    assert not (folder / "items.csv").exists()


def test_existing_items_are_kept_unless_replacement_is_allowed(folder: Path, sheet: Path) -> None:
    (folder / "items.jsonl").write_text('{"item": "mine", "text": "x", "feels": "sad"}')
    with pytest.raises(TextsInTheWayError, match=r"already contains items\.jsonl"):
        import_texts(InFolder(folder, folder), Texts(sheet, LAYOUT))
    import_texts(InFolder(folder, folder, replaces=True), Texts(sheet, LAYOUT))
    assert list(read_folder(folder).items["item"]) == ["x1", "x2"]


def test_excel_cells_are_read_as_displayed(folder: Path, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in (
        ["ID", "Post", "Human", None, "feels"],
        [7, "One", "h", None, "sad"],
        [],
        [8.5, True, "h", None, "glad"],
    ):
        book.active.append(row)
    book.save(tmp_path / "sheet.xlsx")
    layout = Layout(responses={"person": "Human"}, item="ID", text="Post")
    import_texts(InFolder(folder, folder), Texts(tmp_path / "sheet.xlsx", layout))
    assert [(row["item"], row["text"]) for row in read_rows(folder / "items.csv")] == [("7", "One"), ("8.5", "true")]


def test_oversized_excel_dimension_is_read_by_actual_cells(folder: Path, tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    assert book.active is not None
    for row in (["ID", "text", "feels"], ["a", "One", "sad"]):
        book.active.append(row)
    book.active["XFD1048576"] = "far away"
    book.save(tmp_path / "sheet.xlsx")
    import_texts(InFolder(folder, folder), Texts(tmp_path / "sheet.xlsx", Layout(item="ID")))
    assert [row["item"] for row in read_rows(folder / "items.csv")] == ["a"]


def test_excel_file_unpacking_beyond_limit_is_rejected(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = openpyxl.Workbook()
    book.save(tmp_path / "sheet.xlsx")
    monkeypatch.setattr("app.base.files.input_limits.MEBIBYTE", 1)
    assert problem_of(folder, tmp_path / "sheet.xlsx", Layout())[3].endswith("MiB unpacked")


def test_excel_file_needs_a_header_of_limited_width(folder: Path, tmp_path: Path) -> None:
    for width, found in ((0, "no header"), (4_001, "4,001 columns")):
        book = openpyxl.Workbook()
        assert book.active is not None
        book.active.append([f"c{n}" for n in range(width)])
        book.save(tmp_path / "sheet.xlsx")
        assert problem_of(folder, tmp_path / "sheet.xlsx", Layout())[3] == found


def test_json_lines_are_read_and_missing_ids_numbered(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "sheet.jsonl").write_text('{"text": "One", "feels": "sad"}\n{"text": "Two", "feels": "glad"}\n')
    import_texts(InFolder(folder, folder), Texts(tmp_path / "sheet.jsonl", Layout()))
    assert [row["item"] for row in read_rows(folder / "items.csv")] == ["1", "2"]


def test_columns_named_like_those_of_the_format_are_what_the_lead_says(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "sheet.csv"
    file.write_text("item,response,source\nMy dog died.,Oh no!,Reddit\nI won!,Great!,Reddit\n")
    added = import_texts(InFolder(folder, folder), Texts(file, Layout({"person": "response"}, text="item")))
    assert added.items[["item", "text", "source"]].to_numpy().tolist() == [
        ["1", "My dog died.", "Reddit"],
        ["2", "I won!", "Reddit"],
    ]
    assert list(added.responses["text"]) == ["Oh no!", "Great!"]


def test_only_named_attributes_are_kept(folder: Path, sheet: Path) -> None:
    layout = Layout(responses=LAYOUT.responses, item="ID", text="Post", attributes=["feels"])
    import_texts(InFolder(folder, folder), Texts(sheet, layout))
    assert list(read_rows(folder / "items.csv")[0]) == ["item", "text", "feels"]


def problem_of(folder: Path, sheet: Path, layout: Layout) -> tuple[str, int | None, str | None, str]:
    with pytest.raises(InvalidInputError) as raised:
        import_texts(InFolder(folder, folder), Texts(sheet, layout))
    problem = raised.value.problems[0]
    assert not (folder / "items.csv").exists()
    return problem.file, problem.row, problem.column, problem.found


def test_unknown_source_is_reported_once(folder: Path, sheet: Path) -> None:
    unknown = Layout(responses={"robot": "Human", "model-1": "GPT"}, item="ID", text="Post")
    with pytest.raises(InvalidInputError) as raised:
        import_texts(InFolder(folder, folder), Texts(sheet, unknown))
    (problem,) = raised.value.problems
    assert (problem.file, problem.row, problem.column, problem.found) == ("--response", None, "source", "robot")
    assert problem.allowed == "person or model-1"


def test_each_spreadsheet_problem_is_named(folder: Path, sheet: Path, tmp_path: Path) -> None:
    missing = Layout(responses={"person": "Humans"}, item="ID", text="Post")
    assert problem_of(folder, sheet, missing) == (
        "sheet.csv",
        1,
        "Humans",
        "ID, Post, Human, GPT, Mood and feels",
    )
    sheet.write_text(SHEET.replace("x2", "x1"))
    assert problem_of(folder, sheet, LAYOUT) == ("sheet.csv", 3, "ID", "x1")
    sheet.write_text(SHEET.replace("One", " "))
    assert problem_of(folder, sheet, LAYOUT) == ("sheet.csv", 2, "Post", " ")
    assert problem_of(folder, tmp_path / "no.csv", LAYOUT)[3] == "no such file"
    (tmp_path / "no.xlsx").write_bytes(b"PK\x03\x04")
    assert problem_of(folder, tmp_path / "no.xlsx", LAYOUT)[3].startswith("a file that is not readable as Excel")
    (folder / "study.yaml").unlink()
    assert problem_of(folder, sheet, LAYOUT)[3] == "no such file"


def test_imported_items_are_appended_to_stored_study(db: Connection, sheet: Path) -> None:
    study_id = load_study(db, read_small())
    import_texts(InStore(lambda: nullcontext(db), "small"), Texts(sheet, LAYOUT))
    stored = study_folder(db, study_id)
    assert list(stored.items["item"]) == ["a", "b", "x1", "x2"]
    assert list(stored.responses["response"])[-3:] == ["x1:person", "x1:model-1", "x2:person"]
    assert list(stored.items["Mood"]) == [None, None, "low", "high"]


def test_existing_item_id_is_rejected_and_nothing_saved(db: Connection, sheet: Path) -> None:
    load_study(db, read_small())
    sheet.write_text(SHEET.replace("x2", "b"))
    with pytest.raises(InvalidInputError, match="an ID that no item of the study has yet"):
        import_texts(InStore(lambda: nullcontext(db), "small"), Texts(sheet, LAYOUT))
    assert db.execute(text("SELECT count(*) FROM items")).scalar_one() == 2
    with pytest.raises(StudyMissingError):
        import_texts(InStore(lambda: nullcontext(db), "nobody"), Texts(sheet, LAYOUT))


def test_raw_ayers_file_gives_the_converted_study_folder(tmp_path: Path, shared: Path) -> None:
    (tmp_path / "study.yaml").write_text(ayers.YAML)
    layout = Layout(
        responses={"physician": "Physician Response", "chatgpt": "ChatGPT Response"},
        item="postID",
        text="Question",
        attributes=["submissionID", "commentID"],
    )
    added = import_texts(InFolder(tmp_path, tmp_path), Texts(ayers.raw_csv(shared), layout))
    assert [(note.file, note.found) for note in added.notes] == [
        ("JAMA.csv", "bytes that are not UTF-8, first in line 4")
    ]
    raw = ayers.raw_rows(shared)
    write_rows(tmp_path / "raters.csv", ayers.rater_rows(raw))
    write_rows(tmp_path / "ratings.csv", ayers.rating_rows(raw))
    imported = read_folder(tmp_path)
    converted = read_folder(ayers.write_ayers(tmp_path / "converted", shared))
    assert imported.items[["item", "text"]].equals(converted.items[["item", "text"]])
    assert imported.responses[["response", "item", "source", "text"]].equals(
        converted.responses[["response", "item", "source", "text"]]
    )
    assert imported.ratings.equals(converted.ratings)
    assert imported.items["submissionID"].iloc[0] == "y2c05a"


def test_text_column_is_found_by_its_content(folder: Path, sheet: Path) -> None:
    long = "I lost my keys on the way home and now I am waiting in the rain until somebody opens."
    sheet.write_text(f"Post,Human,GPT,feels\n{long},h1,g1,sad\n{long},h2,g2,glad\n")
    sheet.write_text(sheet.read_text().replace("Post", "What they wrote"))
    added = import_texts(InFolder(folder, folder), Texts(sheet, Layout(responses=LAYOUT.responses)))
    assert list(added.items["text"]) == [long, long]
    assert "What they wrote was read as the text of the items" in added.notes[0].allowed


def test_short_texts_need_a_named_column(folder: Path, sheet: Path) -> None:
    sheet.write_text(SHEET.replace("Post", "Note"))
    with pytest.raises(InvalidInputError, match="column text"):
        import_texts(InFolder(folder, folder), Texts(sheet, Layout(responses=LAYOUT.responses)))


def test_text_column_is_found_by_its_name(folder: Path, sheet: Path) -> None:
    added = import_texts(InFolder(folder, folder), Texts(sheet, Layout(responses=LAYOUT.responses, item="ID")))
    assert list(added.items["text"]) == ["One", "=2+2"]


def test_dry_run_stores_nothing_and_labels_name_sources(folder: Path, sheet: Path) -> None:
    labelled = YAML.replace("model-1: {", 'model-1: {label: "GPT-4o, new", ', 1)
    assert labelled != YAML
    (folder / "study.yaml").write_text(labelled)
    layout = Layout(responses={"person": "Human", "gpt 4o new": "GPT"}, item="ID", text="Post")
    added = import_texts(InFolder(folder), Texts(sheet, layout), is_dry_run=True)
    assert list(added.responses["source"]) == ["person", "model-1", "person"]
    assert [file.name for file in folder.iterdir()] == ["study.yaml"]
