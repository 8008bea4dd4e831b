"""The answers in other shapes: what each file holds, read back by a program that knows nothing of this one."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pandas as pd
import pytest
from openpyxl import load_workbook
from pyarrow.parquet import read_table
from ruamel.yaml import YAML

from app.analysis.data.study_folder import StudyFolder, is_same
from app.base.limits import ON_THIS_COMPUTER
from app.results.downloads import workbook
from app.results.downloads.hugging_face import write_hugging_face
from app.results.downloads.label_studio import write_label_studio
from app.results.downloads.parquet import write_parquet
from app.results.downloads.psych_ds import write_psych_ds
from app.results.downloads.r_script import r_script
from app.results.downloads.spss_script import spss_script
from app.results.downloads.wide_table import wide_table
from app.results.downloads.workbook import write_workbook
from app.results.making.task import RefusedError
from app.studies.folder.read import read_files, read_folder
from app.studies.folder.write import write_folder
from app.studies.folder.written_tables import tables_of
from app.studies.imports.column_meanings import NewRaters, RatingLayout
from app.studies.imports.read_ratings import Ratings
from tests.kit.folder import N_ITEMS, RATERS, rated_folder


@pytest.fixture
def study() -> StudyFolder:
    return read_files(rated_folder())


def test_ratings_include_source_number_and_label(study: StudyFolder) -> None:
    table = pd.DataFrame(tables_of(study)["ratings"])
    rated = table[table["question"] == "empathy"].iloc[0]
    words = dict(enumerate(("not", "slightly", "moderately", "quite", "very"), start=1))
    assert rated["source"] == rated["response"].rpartition(":")[2]
    assert rated["value_number"] == rated["value"]
    assert rated["value_label"] == words[int(rated["value"])]
    chosen = table[table["question"] == "preference"]
    assert set(chosen["value_label"]) <= {"Person", "Machine", "Tie"}
    assert chosen.loc[chosen["value"] == "tie", "source"].isna().all()


def test_derived_columns_are_ignored_on_reading(study: StudyFolder, tmp_path: Path) -> None:
    files = rated_folder()
    head, *rows = files["ratings.csv"].decode().splitlines()
    files["ratings.csv"] = "\n".join([f"{head},source,value_label", *(f"{row},nobody,other" for row in rows)]).encode()
    again = read_files(files)
    assert again.notes == study.notes
    pd.testing.assert_frame_equal(again.ratings, study.ratings)


def test_question_key_matching_a_column_gets_its_own_column() -> None:
    files = {name: content.replace(b"empathy", b"source") for name, content in rated_folder().items()}
    wide = pd.DataFrame(wide_table(read_files(files)))
    assert set(wide["source"]) == {"", "person", "machine"}
    assert set(wide["source_answer"].dropna()) <= {1, 2, 3, 4, 5}


def test_wide_row_holds_one_rater_and_response(study: StudyFolder) -> None:
    wide = pd.DataFrame(wide_table(study))
    assert len(wide) == len(RATERS) * N_ITEMS * 3
    ratings = pd.DataFrame(tables_of(study)["ratings"])
    one = wide[wide["response"] != ""].iloc[0]
    same = ratings[(ratings["rater"] == one["rater"]) & (ratings["response"] == one["response"])]
    assert one["empathy"] == same["value"].item()
    assert wide["empathy"].notna().sum() + wide["preference"].notna().sum() == len(ratings)


def test_parquet_holds_same_answers_with_types(study: StudyFolder, tmp_path: Path) -> None:
    write_parquet(tmp_path / "a.parquet", study)
    found = read_table(tmp_path / "a.parquet").to_pandas()
    table = pd.DataFrame(tables_of(study)["ratings"])
    assert list(found) == list(table)
    assert found["value_number"].dtype == float
    assert found["value_number"].sum() == table["value_number"].sum()


def test_workbook_has_one_sheet_per_table_and_escapes_formulas(tmp_path: Path) -> None:
    files = rated_folder()
    files["items.csv"] = files["items.csv"].replace(b"The situation of item-0", b"=1+1")
    write_workbook(tmp_path / "a.xlsx", read_files(files))
    book = load_workbook(tmp_path / "a.xlsx", read_only=True)
    assert book.sheetnames == ["items", "responses", "raters", "ratings", "codebook"]
    texts = [row[1] for row in book["items"].iter_rows(values_only=True)]
    assert texts[:2] == ["text", "'=1+1"]
    assert sum(1 for _ in book["ratings"].iter_rows()) == 1 + len(RATERS) * N_ITEMS * 3
    book.close()


def test_study_exceeding_excel_row_limit_is_rejected(
    study: StudyFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workbook, "MAX_ROWS", 5)
    with pytest.raises(RefusedError, match="more rows than a sheet of Excel can hold"):
        write_workbook(tmp_path / "a.xlsx", study)


def test_psych_ds_dataset_describes_every_column(study: StudyFolder, tmp_path: Path) -> None:
    write_psych_ds(tmp_path / "a.zip", study)
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        described = json.loads(archive.read("rated/dataset_description.json"))
        data = [name for name in archive.namelist() if name.startswith("rated/data/")]
        heads = {column for name in data for column in archive.read(name).decode().splitlines()[0].split(",")}
    assert all(name.endswith("_data.csv") for name in data)
    assert {"@context", "@type", "name", "description", "variableMeasured"} <= set(described)
    assert heads == {variable["name"] for variable in described["variableMeasured"]}


def test_downloads_say_what_the_texts_are(tmp_path: Path) -> None:
    files = rated_folder()
    files["study.yaml"] += b"description: A test.\nabout_texts: |\n  Questions from a forum;\n  the replies are ours.\n"
    study, said = read_files(files), "Questions from a forum; the replies are ours."
    write_psych_ds(tmp_path / "a.zip", study)
    with zipfile.ZipFile(tmp_path / "a.zip") as archive:
        described = json.loads(archive.read("rated/dataset_description.json"))
        readme = archive.read("rated/README.md").decode()
    assert described["description"] == f"A test.\n\n{said}"
    assert said in readme
    variables = {one["name"]: one["description"] for one in described["variableMeasured"]}
    assert [name for name, words in variables.items() if said in words] == ["text"]
    write_folder(tmp_path / "out", study)
    rows = pd.read_csv(tmp_path / "out" / "codebook.csv", keep_default_na=False)
    assert [*rows["file"][rows["meaning"].str.contains(said)]] == ["items.csv", "responses.csv"]
    package = json.loads((tmp_path / "out" / "datapackage.json").read_text())
    assert package["description"] == f"A test.\n\n{said}"


def unzipped(write: Callable[[Path, StudyFolder], None], study: StudyFolder, folder: Path) -> Path:
    """The study's folder in one of the zip files."""
    write(folder / "a.zip", study)
    with zipfile.ZipFile(folder / "a.zip") as archive:
        archive.extractall(folder)
    return folder / "rated"


def test_crate_describes_each_file_and_column(study: StudyFolder, tmp_path: Path) -> None:
    """Read without problems by rocrate 0.16 too."""
    root = unzipped(write_psych_ds, study, tmp_path)
    crate = json.loads((root / "ro-crate-metadata.json").read_text())
    of = {entity["@id"]: entity for entity in crate["@graph"]}
    assert of["ro-crate-metadata.json"]["about"] == {"@id": "./"}
    assert {"name", "description", "datePublished", "license"} <= of["./"].keys()
    files = {path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()}
    own = {"ro-crate-metadata.json", "dataset_description.json"}
    assert {part["@id"] for part in of["./"]["hasPart"]} == files - own
    for path in root.glob("data/*.csv"):
        columns = [of[one["@id"]]["name"] for one in of[f"data/{path.name}"]["variableMeasured"]]
        assert columns == path.read_text().splitlines()[0].split(",")


def test_hugging_face_card_names_a_file_for_each_configuration(study: StudyFolder, tmp_path: Path) -> None:
    """Loaded by datasets 5.2 too, as `load_dataset(folder, name, split="train")`."""
    root = unzipped(write_hugging_face, study, tmp_path)
    card = (root / "README.md").read_text()
    head = YAML(typ="safe").load(card.split("---\n")[1])
    found = {one["config_name"]: read_table(root / one["data_files"][0]["path"]) for one in head["configs"]}
    assert {name: (table.num_rows, table.column_names) for name, table in found.items()} == {
        name: (len(next(iter(columns.values()))), [*columns]) for name, columns in tables_of(study).items()
    }
    assert [one["config_name"] for one in head["configs"] if one.get("default")] == ["ratings"]
    assert (head["language"], "| ratings | rater_kind |" in card) == (["en"], True)


def test_ratings_of_label_studio_tasks_come_back(study: StudyFolder, tmp_path: Path) -> None:
    root = unzipped(write_label_studio, study, tmp_path)
    tasks = json.loads((root / "tasks.json").read_text())
    interface = ET.parse(root / "labeling_interface.xml")  # noqa: S314 - our own file
    (choices,) = interface.findall("Choices")
    assert [choice.get("alias") for choice in choices] == ["1", "2", "3", "4", "5"]
    assert {name for task in tasks for name in task["data"]} == {"item", "situation", "reply"}
    result = {"from_name": choices.get("name"), "type": "choices", "value": {"choices": ["4"]}}
    rated = [
        {"id": place, **task, "annotations": [{"completed_by": 7, "result": [result]}]}
        for place, task in enumerate(tasks)
    ]
    (tmp_path / "export.json").write_text(json.dumps(rated))
    empty = read_files(
        {name: file for name, file in rated_folder().items() if name not in {"ratings.csv", "raters.csv"}}
    )
    layout = RatingLayout(response="reply")
    found = Ratings(tmp_path / "export.json", layout, NewRaters(), study=empty).read(ON_THIS_COMPUTER).ratings
    assert set(found["response"]) == set(study.responses["response"])
    assert (set(found["rater"]), set(found["number"])) == ({"7"}, {4.0})


def test_spss_and_r_scripts_label_columns_and_scales(study: StudyFolder) -> None:
    columns = list(tables_of(study)["ratings"])
    syntax = spss_script(study.protocol, columns)
    assert [line.split()[0] for line in syntax.splitlines() if line.startswith("    ")] == columns
    assert "  1 'not'" in syntax
    # The syntax counted excluded answers and planned repeats, which estimates and the script for R leave out.
    kept = ["exclude", "repeat", *columns]
    assert "SELECT IF (exclude = '').\n" in spss_script(study.protocol, kept)
    assert "SELECT IF (planned_repeat = 0).\n" in spss_script(study.protocol, kept)
    script = r_script(study.protocol)
    assert 'levels = c("1", "2", "3", "4", "5"), labels = c("not", "slightly", "moderately", "quite", "very")' in script
    assert script.count("(") == script.count(")")


def test_every_file_with_raters_tells_people_from_models_and_simulated_raters(tmp_path: Path) -> None:
    files = rated_folder()
    rows = [f"{name},person,{'true' if place else 'false'}" for place, name in enumerate(RATERS)]
    study = read_files(files | {"raters.csv": "\n".join(["rater,kind,is_simulated", *rows]).encode()})
    events = pd.DataFrame(
        {
            "rater": [study.raters["rater"][0], None],
            "kind": ["check", "opened"],
            "detail": [{"check": "look", "is_passed": True}, {}],
            "happened_at": pd.to_datetime(["2026-01-01T00:00:00Z"] * 2),
        }
    )
    sessions = {"rating_sessions": pd.DataFrame({"rater": list(study.raters["rater"][:2]), "state": "finished"})}
    write_folder(tmp_path / "out", study, events=events, rating_sessions=sessions)
    expected = dict(zip(study.raters["rater"], study.raters["is_simulated"], strict=True))
    assert set(expected.values()) == {True, False}
    for name in ("ratings", "checks", "events", "rating_sessions"):
        table = pd.read_csv(tmp_path / "out" / f"{name}.csv", dtype={"rater": str}).dropna(subset="rater")
        assert set(table["rater_kind"]) == {"person"}, name
        assert table["is_simulated"].astype(bool).tolist() == [expected[rater] for rater in table["rater"]], name
    raters = pd.read_csv(tmp_path / "out" / "raters.csv", dtype={"rater": str})
    assert dict(zip(raters["rater"], raters["is_simulated"], strict=True)) == expected
    wide = pd.DataFrame(wide_table(study))
    assert wide["is_simulated"].tolist() == [expected[rater] for rater in wide["rater"]]
    assert set(wide["rater_kind"]) == {"person"}
    again = read_folder(tmp_path / "out")
    assert is_same(again, study)
    for name in ("ratings.csv", "raters.csv"):
        lines = pd.read_csv(tmp_path / "out" / name, dtype=str, keep_default_na=False)
        lines.drop(columns=["rater_kind", "is_simulated"], errors="ignore").to_csv(tmp_path / "out" / name, index=False)
    assert not read_folder(tmp_path / "out").raters["is_simulated"].any(), "files without these columns are read"
