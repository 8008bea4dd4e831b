"""attune report: the files for a paper, without a database."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.commands.test_analyze import _attune, _folder

if TYPE_CHECKING:
    from pathlib import Path


def test_a_folder_gives_the_files_that_are_asked_for(tmp_path: Path) -> None:
    out = tmp_path / "out"
    outcome = _attune(tmp_path, "report", str(_folder(tmp_path)), "--out", str(out), "--format", "md")
    assert outcome.returncode == 0, outcome.stderr
    names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert {"report.md", "results.bib", "report.json"} <= names
    assert not {"report.pdf", "report.docx"} & names


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    outcome = _attune(tmp_path, "report", str(_folder(tmp_path)), "--out", str(tmp_path))
    assert outcome.returncode == 1
    assert "nothing is overwritten" in outcome.stderr


def test_an_unknown_format_is_refused_with_those_that_exist(tmp_path: Path) -> None:
    outcome = _attune(tmp_path, "report", str(_folder(tmp_path)), "--out", str(tmp_path / "o"), "--format", "odt")
    assert outcome.returncode == 2
    assert "html, pdf" in outcome.stderr
