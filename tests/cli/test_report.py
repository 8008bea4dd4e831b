"""attune report: the files for a paper, without a database."""

from pathlib import Path

from tests.cli.test_analyze import _folder
from tests.kit.command_line import Attune, attune_alone

__all__ = ["attune_alone"]


def test_requested_report_files_are_written(attune_alone: Attune, tmp_path: Path) -> None:
    out = tmp_path / "out"
    outcome = attune_alone("report", str(_folder(tmp_path)), "--out", str(out), "--format", "md", "--numbers", "german")
    assert outcome.code == 0, outcome.err
    assert "alpha level of 0,05" in (out / "report.md").read_text(encoding="utf-8")
    names = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert {"report.md", "results.bib", "report.json"} <= names
    assert not {"report.pdf", "report.docx"} & names


def test_report_of_a_selection_names_it(attune_alone: Attune, tmp_path: Path) -> None:
    out = tmp_path / "out"
    outcome = attune_alone(
        "report",
        str(_folder(tmp_path)),
        "--out",
        str(out),
        "--format",
        "md",
        "--source",
        "person",
        "--until",
        "2100-01-01",
    )
    assert outcome.code == 0, outcome.err
    assert "responses of Person; ratings until 1 January 2100 (UTC)" in (out / "report.md").read_text(encoding="utf-8")


def test_report_overwrites_nothing(attune_alone: Attune, tmp_path: Path) -> None:
    outcome = attune_alone("report", str(_folder(tmp_path)), "--out", str(tmp_path))
    assert outcome.code == 1
    assert "nothing is overwritten" in outcome.err


def test_unknown_format_is_rejected_with_available_formats(attune_alone: Attune, tmp_path: Path) -> None:
    outcome = attune_alone("report", str(_folder(tmp_path)), "--out", str(tmp_path / "o"), "--format", "odt")
    assert outcome.code == 2
    assert "html, pdf" in outcome.err


def test_unknown_style_of_numbers_is_rejected_with_available_styles(attune_alone: Attune, tmp_path: Path) -> None:
    arguments = ("--out", str(tmp_path / "o"), "--numbers", "roman")
    outcome = attune_alone("report", str(_folder(tmp_path)), *arguments)
    assert outcome.code == 2
    assert "one of plain, apa, jama" in outcome.err
    assert "roman" in outcome.err
