"""attune items, as a lead types it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.command_line import Outcome, attune
from tests.kit.small import RATINGS, YAML, small

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Attune = Callable[..., Outcome]

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
