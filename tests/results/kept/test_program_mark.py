"""Kept results are computed again when the code that computes them changes."""

from pathlib import Path

import pytest

import app
from app.results.reports.kept_results import FOLDERS, program_mark


@pytest.mark.parametrize("name", FOLDERS)
def test_mark_covers_code_in_each_folder(name: str) -> None:
    assert any((Path(app.__file__).parent / name).rglob("*.py"))


@pytest.mark.parametrize(
    "name", ["protocol/rater_flags.py", "studies/data/stored_ratings.py", "studies/data/sql_words.py"]
)
def test_mark_changes_with_code_that_decides_results(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = Path(app.__file__).parent / name
    read_bytes = Path.read_bytes
    before = program_mark.__wrapped__()
    monkeypatch.setattr(Path, "read_bytes", lambda file: read_bytes(file) + (b"#" if file == changed else b""))
    assert program_mark.__wrapped__() != before
