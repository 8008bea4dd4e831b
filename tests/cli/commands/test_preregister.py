"""attune preregister: a folder is registered once, and its report is compared with the plan."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from tests.cli.commands.test_analyze import _attune, _folder

if TYPE_CHECKING:
    from pathlib import Path


def test_a_folder_is_registered_once_and_its_report_lists_deviations(tmp_path: Path) -> None:
    folder, out = _folder(tmp_path), tmp_path / "out"
    first = _attune(tmp_path, "preregister", str(folder), "--out", str(out), "--format", "md")
    assert first.returncode == 0, first.stderr
    saved = json.loads((folder / "preregistration.json").read_text())
    assert saved["sha256"] in first.stderr
    assert {path.name for path in out.iterdir()} == {
        "preregistration.json",
        "preregistration-osf.md",
        "preregistration-aspredicted.md",
    }
    second = _attune(tmp_path, "preregister", str(folder), "--out", str(tmp_path / "again"))
    assert second.returncode == 1
    assert "never overwritten" in second.stderr
    report = _attune(tmp_path, "report", str(folder), "--out", str(tmp_path / "report"), "--format", "md")
    assert report.returncode == 0, report.stderr
    assert "Registered and done" in (tmp_path / "report" / "report.md").read_text()


def test_a_plan_that_was_changed_stops_the_report(tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    (folder / "preregistration.json").write_text("{}")
    outcome = _attune(tmp_path, "report", str(folder), "--out", str(tmp_path / "report"), "--format", "md")
    assert outcome.returncode == 1
    assert "not a preregistration" in outcome.stderr
