"""attune study templates | new."""

from pathlib import Path

import pytest

from app.studies.folder.study_templates import list_templates
from tests.kit.command_line import Attune, attune_alone

__all__ = ["attune_alone"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def test_list_names_every_template(attune_alone: Attune) -> None:
    said = attune_alone("study", "templates")
    assert said.code == 0
    listed = {line.split()[0] for line in said.out.splitlines() if line and not line.startswith(" ")}
    assert {template.name for template in list_templates()} <= listed


def test_new_study_uses_its_slug_and_is_never_overwritten(attune_alone: Attune, here: Path) -> None:
    first = attune_alone("study", "new", "ayers-pair", "--slug", "night-clinic")
    assert (first.code, first.out.strip()) == (0, "night-clinic")
    written = (here / "night-clinic" / "study.yaml").read_text()
    assert "slug: night-clinic" in written
    assert 'title: "Night clinic"' in written
    second = attune_alone("study", "new", "epitome", "--slug", "night-clinic")
    assert (second.code, "night-clinic is not an empty folder" in second.err) == (1, True)
    assert (here / "night-clinic" / "study.yaml").read_text() == written


@pytest.mark.parametrize("call", [["nothing-like-it"], ["epitome", "--slug", "No Slug"]])
def test_invalid_arguments_write_nothing(attune_alone: Attune, here: Path, call: list[str]) -> None:
    assert attune_alone("study", "new", *call).code == 2
    assert list(here.iterdir()) == []


def test_output_folder_can_be_chosen(attune_alone: Attune, here: Path) -> None:
    out = here / "deep" / "er"
    assert attune_alone("study", "new", "ab-tie", "--out", out, "--title", "Zwei Antworten").code == 0
    assert 'title: "Zwei Antworten"' in (out / "study.yaml").read_text()
