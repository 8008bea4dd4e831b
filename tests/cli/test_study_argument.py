"""Which study a command means: never a guess between a stored study and a folder of that name."""

import shutil
from pathlib import Path

import pytest

from app.studies.folder.study_templates import template_folder
from tests.kit.command_line import AS_WRITTEN, Attune, attune

__all__ = ["attune"]

SLUG = "three-point"
# Every command that takes a slug or a folder, with what stands after STUDY.
COMMANDS = {
    "analyze": ("--json",),
    "plan": ("--items", "4", "--raters", "4", "--simulations", "2", "--json"),
    "simulate": ("--raters", "1"),
    "items import": ("more.csv", "--item", "ID", "--text", "Post", "--response", "pairs=Reply"),
}
every_command = pytest.mark.parametrize("command", COMMANDS)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a folder that is named like the slug of a study, and a spreadsheet."""
    shutil.copytree(template_folder(SLUG), tmp_path / SLUG)
    (tmp_path / "more.csv").write_text("ID,Post,Reply\nx1,One,Two\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@every_command
def test_ambiguous_name_shows_how_to_name_study_or_folder(attune: Attune, here: Path, command: str) -> None:
    attune("study", "load", SLUG)
    before = files(here / SLUG)
    said = attune(*command.split(), SLUG, *COMMANDS[command])
    assert (said.code, said.out) == (2, "")
    assert f"attune {command} {SLUG} --stored" in said.err
    assert f"attune {command} ./{SLUG}" in said.err
    assert files(here / SLUG) == before


@every_command
def test_bare_folder_name_shows_how_to_name_folder(attune: Attune, here: Path, command: str) -> None:
    said = attune(*command.split(), SLUG, *COMMANDS[command])
    assert (said.code, said.out) == (2, "")
    assert f"attune {command} ./{SLUG}" in said.err
    assert "--stored" not in said.err


@every_command
def test_unknown_study_argument_exits_with_2(attune: Attune, here: Path, command: str) -> None:
    for unknown, words in (("nothing", "attune study list"), ("./nothing", "There is no folder ./nothing")):
        said = attune(*command.split(), unknown, *COMMANDS[command])
        assert (said.code, said.out) == (2, "")
        assert words in said.err


@pytest.mark.usefixtures("each_report_once")
def test_path_or_stored_option_selects_study(attune: Attune, here: Path) -> None:
    attune("study", "load", SLUG)
    attune("study", "open", SLUG, *AS_WRITTEN)
    assert attune("simulate", SLUG, "--stored", "--raters", "3").code == 0
    stored = attune("analyze", SLUG, "--stored", "--json")
    for folder in ((f"./{SLUG}",), (SLUG, "--folder"), (here / SLUG,)):
        unrated = attune("analyze", *folder, "--json")
        assert unrated.code == 0
        assert unrated.out != stored.out
    assert not (here / SLUG / "ratings.csv").exists()


def test_slug_without_matching_folder_needs_no_option(
    attune: Attune, here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    attune("study", "load", SLUG)
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    assert attune("analyze", SLUG, "--json").code == 0
    assert attune("analyze", SLUG, "--stored", "--json").code == 0


def test_pilot_argument_follows_same_rule(attune: Attune, here: Path) -> None:
    said = attune("plan", f"./{SLUG}", *COMMANDS["plan"], "--pilot", SLUG)
    assert said.code == 2
    assert f"--pilot ./{SLUG}" in said.err


@pytest.mark.parametrize("verb", ["open", "pause", "close", "invite", "export"])
def test_unknown_slug_exits_with_2_for_every_command(attune: Attune, tmp_path: Path, verb: str) -> None:
    more = ("--out", tmp_path / "out") if verb == "export" else ()
    said = attune("study", verb, "nothing", *more)
    assert (said.code, said.out) == (2, "")
    assert "No stored study has the slug nothing. To see all of them: attune study list" in said.err
