"""attune items, as a lead types it."""

from pathlib import Path

import pytest

from app.base.problems import Problems
from app.protocol.yaml.study_yaml import protocol_from_bytes
from tests.kit.command_line import Attune, attune
from tests.kit.small import RATINGS, YAML, small

__all__ = ["attune"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The small study on disk."""
    place = tmp_path / "small"
    place.mkdir()
    for name, data in small().items():
        (place / name).write_bytes(data)
    return place


def test_check_lists_all_problems_and_exits_with_1(attune: Attune, folder: Path) -> None:
    (folder / "ratings.csv").write_text(f"{RATINGS}rX,a,a:person,warmth,9,,,,,,,,\nr2,a,a:person,warmth,9,,,,,,,,\n")
    said = attune("study", "check", folder)
    assert said.code == 1
    assert 'ratings.csv, row 13, column rater: found "rX"; allowed: r1 or r2.' in said.err
    assert 'ratings.csv, row 14, column value: found "9"; allowed: 1, 2 or 3' in said.err
    assert said.err.endswith("2 errors found. Nothing was saved. Correct them and try again.\n")


def test_one_problem_is_counted_as_one(attune: Attune, folder: Path) -> None:
    (folder / "ratings.csv").write_text(f"{RATINGS}rX,a,a:person,warmth,1,,,,,,,,\n")
    said = attune("study", "check", folder)
    assert said.err.endswith("1 error found. Nothing was saved. Correct it and try again.\n")


def test_taken_slug_is_a_problem(attune: Attune, folder: Path) -> None:
    attune("study", "load", folder)
    (folder / "ratings.csv").unlink()
    said = attune("study", "load", folder)
    assert said.code == 1
    assert 'study.yaml, column slug: found "small"; allowed: a unique slug' in said.err


def test_invalid_arguments_exit_with_2(attune: Attune, folder: Path, tmp_path: Path) -> None:
    assert attune("items", "import", folder, tmp_path / "x.csv", "--response", "person").code == 2
    assert attune("items", "import", "slug", tmp_path / "x.csv", "--out", tmp_path / "y").code == 2
    assert attune("items", "import", folder).code == 2


def test_spreadsheet_is_imported_into_folder_and_database(attune: Attune, folder: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("ID,Post,Human Reply,feels\nx1,One,h1,sad\n")
    options = (sheet, "--response", "person=Human Reply", "--item", "ID", "--text", "Post")
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "study.yaml").write_text(YAML)
    said = attune("items", "import", tmp_path / "new", *options)
    assert said == (0, "", f"Imported into {tmp_path / 'new'}: 1 item, 1 response.\n")
    said = attune("items", "import", tmp_path / "new", *options)
    assert (said.code, "To replace these files, add --replace." in said.err) == (1, True)
    assert attune("items", "import", tmp_path / "new", *options, "--replace").code == 0
    attune("study", "load", folder)
    assert attune("items", "import", "small", *options) == (0, "", "Imported into small: 1 item, 1 response.\n")
    said = attune("items", "import", "small", *options)
    assert (said.code, "an ID that no item of the study has yet" in said.err) == (1, True)
    unknown = attune("items", "import", "nobody", *options)
    assert (unknown.code, "No stored study has the slug nobody." in unknown.err) == (2, True)


def test_kinds_of_many_new_sources_are_found_by_their_names(attune: Attune, tmp_path: Path) -> None:
    models = [f"gpt-{n}" for n in range(10)] + [f"llama-{n}" for n in range(10)]
    people = ["Physician", "Nurse", "Peer"]
    names = [*models, *people, "B", "C", "Nurse with GPT-4"]
    sheet = tmp_path / "sheet.csv"
    long = "I am sorry that you have to go through this and I hope that you will find some help very soon"
    replies = ",".join(f"{long} {name}" for name in names)
    sheet.write_text(f"Question,{','.join(f'{name} response' for name in names)}\n" + f"Why? {long},{replies}\n" * 3)
    place = tmp_path / "new"
    place.mkdir()
    (place / "study.yaml").write_text(f"# my study\n{YAML}")
    options = ("--new-sources", "--kind", "[BC]=model", "--kind", "gpt-9=human+model")
    dry = attune("items", "import", place, sheet, *options, "--dry-run")
    assert (dry.code, list(place.iterdir())) == (0, [place / "study.yaml"]), dry.err
    assert (place / "study.yaml").read_text() == f"# my study\n{YAML}"
    said = attune("items", "import", place, sheet, *options)
    assert said.code == 0, said.err
    assert "3 items, 78 responses" in said.err
    assert "gpt-0 (model)" in said.err
    text = (place / "study.yaml").read_text()
    assert text.startswith("# my study\n")
    protocol, _ = protocol_from_bytes(text.encode(), Problems())
    kinds = {key: source.kind for key, source in protocol.sources.items()} if protocol else {}
    expected = {"person": "human", "model-1": "model"} | dict.fromkeys(models, "model") | dict.fromkeys(people, "human")
    assert kinds == expected | {"gpt-9": "human+model", "B": "model", "C": "model", "Nurse with GPT-4": "human+model"}


def test_options_for_new_sources_are_checked(attune: Attune, folder: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.csv"
    sheet.write_text("ID,Post,Human Reply\nx1,One,h1\n")
    named = ("items", "import", folder, sheet, "--response", "doctor=Human Reply", "--text", "Post", "--replace")
    assert 'found "doctor"; allowed: person or model-1.' in attune(*named).err
    assert "--kind is for --new-sources" in attune(*named, "--kind", "doctor=human").err
    assert "Expected SOURCES=KIND" in attune(*named, "--new-sources", "--kind", "doctor=robot").err
    assert attune("items", "import", "small", sheet, "--new-sources").code == 2
    said = attune(*named, "--new-sources")
    assert said.code == 0, said.err
    assert "doctor (human)" in said.err


def test_a_spreadsheet_with_only_a_header_is_refused_and_nothing_is_written(
    attune: Attune, folder: Path, tmp_path: Path
) -> None:
    sheet, out = tmp_path / "sheet.csv", tmp_path / "out"
    sheet.write_text("id,text,person,model-1\n")
    options = ("--response", "person=person", "--response", "model-1=model-1", "--out", out)
    refused = attune("items", "import", folder, sheet, *options)
    assert "no rows below the column names" in refused.err
    assert (refused.code, out.exists()) == (1, False)
