"""attune study templates | new."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli import cli
from app.studies.folder.study_templates import list_templates


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_list_names_every_template() -> None:
    result = CliRunner().invoke(cli, ["study", "templates"])
    assert result.exit_code == 0
    listed = {line.split()[0] for line in result.stdout.splitlines() if line and not line.startswith(" ")}
    assert {template.name for template in list_templates()} <= listed


def test_new_study_uses_its_slug_and_is_never_overwritten(here: Path) -> None:
    first = CliRunner().invoke(cli, ["study", "new", "ayers-pair", "--slug", "night-clinic"])
    assert (first.exit_code, first.stdout.strip()) == (0, "night-clinic")
    written = (here / "night-clinic" / "study.yaml").read_text()
    assert "slug: night-clinic" in written
    assert 'title: "Night clinic"' in written
    second = CliRunner().invoke(cli, ["study", "new", "epitome", "--slug", "night-clinic"])
    assert second.exit_code == 1
    assert "already exists and is not empty" in second.stderr
    assert (here / "night-clinic" / "study.yaml").read_text() == written


@pytest.mark.parametrize("call", [["nothing-like-it"], ["epitome", "--slug", "No Slug"]])
def test_invalid_arguments_write_nothing(here: Path, call: list[str]) -> None:
    result = CliRunner().invoke(cli, ["study", "new", *call])
    assert result.exit_code == 2
    assert list(here.iterdir()) == []


def test_output_folder_can_be_chosen(here: Path) -> None:
    out = here / "deep" / "er"
    result = CliRunner().invoke(cli, ["study", "new", "ab-tie", "--out", str(out), "--title", "Zwei Antworten"])
    assert result.exit_code == 0
    assert 'title: "Zwei Antworten"' in (out / "study.yaml").read_text()
