"""attune preregister: a folder is registered once, and its report is compared with the plan."""

import errno
import json
import os
from pathlib import Path

import pytest

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


def test_folder_whose_forms_could_not_be_written_is_not_registered(
    attune_alone: Attune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, out = _folder(tmp_path), tmp_path / "out"
    write = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        if path.suffix == ".md":
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    outcome = attune_alone("preregister", str(folder), "--out", str(out), "--format", "md")
    assert (outcome.code, outcome.err.strip()) == (1, f"{out}: No space left on device.")
    assert not out.exists()
    monkeypatch.setattr(Path, "write_bytes", write)
    again = attune_alone("preregister", str(folder), "--out", str(out), "--format", "md")
    assert again.code == 0, again.err
