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


def test_raters_whom_a_quota_turns_away_are_not_told_as_a_lack_of_trials(attune: Attune, tmp_path: Path) -> None:
    folder = shutil.copytree(template_folder("ayers-pair"), tmp_path / "adults")
    question = "  - {key: adult, target: rater, type: category, text: Adult?, codes: {'yes': 'Yes', 'no': 'No'}}\n"
    study = (folder / "study.yaml").read_text(encoding="utf-8")
    study = study.replace("\ndesign: {", f"\n{question}design: {{quotas: {{adult: {{'yes': 90}}}}, ", 1)
    asked = "\nflow:\n  before:\n    - {title: About you, questions: [adult]}\n"
    (folder / "study.yaml").write_text(study.replace("\nflow:\n", asked, 1), encoding="utf-8")
    said = attune("simulate", folder, "--raters", "4")
    assert (said.code, "of 4 simulated raters completed" in said.err) == (0, True)
    assert "The others were not admitted, or no trials were left for them." in said.err
