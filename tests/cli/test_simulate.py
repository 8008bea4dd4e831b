"""attune simulate: what a folder may hold."""

import shutil
from pathlib import Path

import pytest

from app.studies.folder.study_templates import template_folder
from tests.kit.command_line import Attune, attune

__all__ = ["attune"]


def test_simulate_enforces_folder_limits(attune: Attune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shutil.copytree(template_folder("ayers-pair"), tmp_path / "wide")
    header, *rows = (folder / "items.csv").read_text(encoding="utf-8").splitlines()
    more = "".join(f",extra_{n}" for n in range(40))
    (folder / "items.csv").write_text("\n".join([header + more, *(row + "," * 40 for row in rows)]), encoding="utf-8")
    monkeypatch.setenv("ATTUNE_MAX_UPLOAD_COLUMNS", "10")
    said = attune("simulate", folder, "--raters", "1")
    assert said.code == 1
    assert "columns" in said.err
    assert not (folder / "ratings.csv").exists()
