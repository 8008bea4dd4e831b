"""attune ratings, as a lead types it."""

import json
from pathlib import Path

import pytest

from tests.kit.command_line import Attune, attune
from tests.kit.small import small

__all__ = ["attune"]
SHEET = "rater,item,warmth (Person),warmth (Model 1)\nx,a,warm,cold\ny,a,2,3\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The small study on disk, without raters and ratings."""
    place = tmp_path / "small"
    place.mkdir()
    for name, data in small(raters=None, ratings=None).items():
        (place / name).write_bytes(data)
    return place


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    """Two raters' ratings of one pair."""
    path = tmp_path / "found.csv"
    path.write_text(SHEET)
    return path


def test_ratings_are_imported_into_folder_and_analysed(attune: Attune, folder: Path, sheet: Path) -> None:
    said = attune("ratings", "import", folder, sheet)
    assert (said.code, said.out) == (0, "")
    assert said.err.splitlines() == [
        "Columns: item from item; rater from rater; warmth from warmth (Person), warmth (Model 1)",
        f"Imported into {folder}: 4 ratings by 2 raters, 2 of them new.",
    ]
    assert (folder / "raters.csv").read_text().splitlines()[1] == "x,person,,false,true"
    report = json.loads(attune("analyze", folder, "--json").out)
    means = {
        estimate["scope"]["source"]: estimate["estimate"]
        for estimate in report["estimates"]
        if (estimate["statistic"], estimate["question"], list(estimate["scope"])) == ("mean", "warmth", ["source"])
    }
    assert means == {"person": 2.5, "model-1": 2.0}


def test_dry_run_and_error_change_nothing(attune: Attune, folder: Path, sheet: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    said = attune("ratings", "import", folder, sheet, "--dry-run")
    assert said.err.endswith("Nothing was saved. The import would add 4 ratings by 2 raters, 2 of them new.\n")
    sheet.write_text(SHEET.replace("2,3", "2,4"))
    said = attune("ratings", "import", folder, sheet)
    assert (said.code, said.out) == (1, "")
    assert 'found.csv, row 3, column warmth (Model 1): found "4"; allowed: 1, 2 or 3 (the scale of' in said.err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_dry_run_names_each_kind_of_error_once_with_the_option_that_helps(
    attune: Attune, folder: Path, sheet: Path
) -> None:
    sheet.write_text("rater,item,warmth (Person)\n" + "".join(f"r{n},a,{n % 2}.0\n" for n in range(40)))
    said = attune("ratings", "import", folder, sheet, "--dry-run")
    assert said.err.splitlines() == [
        (
            'found.csv, column warmth (Person), 20 cells from row 2 on: found "0.0" (20 cells); allowed: 1, 2 or 3 (the'
            ' scale of `warmth`), or cannot_judge. If it stands for an answer, use --recode "warmth:0.0=VALUE"; if it '
            'means no answer, use --missing "0.0".'
        ),
        "20 errors found. Nothing was saved. Correct them and try again.",
    ]
    assert attune("ratings", "import", folder, sheet, "--dry-run", "--recode", "warmth:0.0=cold").code == 0


def test_columns_of_raters_are_said(attune: Attune, folder: Path, sheet: Path) -> None:
    sheet.write_text("item,rating_person,annotator_person,rating_model-1,annotator_model-1\na,3,x,1,y\n")
    said = attune(
        *("ratings", "import", folder, sheet, "--dry-run"),
        *("--rater", "annotator_{source}", "--question", "warmth=rating_{source}"),
    )
    assert said.err.splitlines()[0] == (
        "Columns: item from item; rater from annotator_person, annotator_model-1;"
        " warmth from rating_person, rating_model-1"
    )


def test_ratings_are_imported_into_database_and_exported(
    attune: Attune, folder: Path, sheet: Path, tmp_path: Path
) -> None:
    attune("study", "load", folder)
    attune("study", "open", "small")
    seats = attune("study", "list").out
    said = attune("ratings", "import", "small", sheet, "--rater-kind", "model", "--pool", "llm")
    assert (said.code, said.err.splitlines()[-1]) == (0, "Imported into small: 4 ratings by 2 raters, 2 of them new.")
    again = attune("ratings", "import", "small", sheet)
    assert (again.code, "answers that the study does not have yet" in again.err) == (1, True)
    attune("study", "export", "small", "--out", tmp_path / "out")
    assert (tmp_path / "out" / "raters.csv").read_text().splitlines()[1:] == [
        "x,model,llm,false,true",
        "y,model,llm,false,true",
    ]
    assert len((tmp_path / "out" / "ratings.csv").read_text().splitlines()) == 5
    assert attune("study", "list").out == seats
    assert attune("study", "load", tmp_path / "out").code == 0


def test_invalid_arguments_exit_with_2(attune: Attune, folder: Path, sheet: Path) -> None:
    assert attune("ratings", "import", folder, sheet, "--question", "warmth").code == 2
    assert attune("ratings", "import", folder, sheet, "--recode", "warmth=3").code == 2
    assert attune("ratings", "import", folder, sheet, "--rater", "rater", "--rater-id", "x").code == 2
    said = attune("ratings", "import", "nobody", sheet)
    assert (said.code, "No stored study has the slug nobody." in said.err) == (2, True)
