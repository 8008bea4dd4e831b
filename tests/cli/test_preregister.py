"""attune preregister: a folder is registered once, and its report is compared with the plan."""

import json
from pathlib import Path

from tests.cli.test_analyze import _folder
from tests.kit.command_line import Attune, attune_alone

__all__ = ["attune_alone"]


def test_folder_is_registered_once_and_report_lists_deviations(attune_alone: Attune, tmp_path: Path) -> None:
    folder, out = _folder(tmp_path), tmp_path / "out"
    first = attune_alone("preregister", str(folder), "--out", str(out), "--format", "md")
    assert first.code == 0, first.err
    saved = json.loads((folder / "preregistration.json").read_text())
    assert saved["sha256"] in first.err
    assert {path.name for path in out.iterdir()} == {
        "preregistration.json",
        "preregistration-osf.md",
        "preregistration-aspredicted.md",
    }
    second = attune_alone("preregister", str(folder), "--out", str(tmp_path / "again"))
    assert second.code == 1
    assert "never overwritten" in second.err
    report = attune_alone("report", str(folder), "--out", str(tmp_path / "report"), "--format", "md")
    assert report.code == 0, report.err
    assert "Registered and done" in (tmp_path / "report" / "report.md").read_text()


def test_invalid_registration_stops_report(attune_alone: Attune, tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    (folder / "preregistration.json").write_text("{}")
    outcome = attune_alone("report", str(folder), "--out", str(tmp_path / "report"), "--format", "md")
    assert outcome.code == 1
    assert "not a preregistration" in outcome.err
