"""The commands of the README and of the page on the command line, word for word."""

import json
import re
import shlex
from pathlib import Path

import pytest
from openpyxl import Workbook

from app.base.database.engine import make_engine, transactions
from app.cli.make_demo import FOLDER as DEMO
from app.cli.make_demo import open_demo, simulate_demo
from app.settings import settings
from app.studies.folder.read import read_folder
from tests.kit.builder import TEMPLATE_WORDS
from tests.kit.command_line import Attune, attune

__all__ = ["attune"]

ROOT = Path(__file__).resolve().parents[2]


def sequence(page: str) -> list[list[str]]:
    """The block of commands that creates a study, without comments."""
    blocks = re.findall(r"^```\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (block,) = (block for block in blocks if "attune study new" in block)
    lines = block.replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def fill_in(protocol: Path) -> None:
    """Replace every placeholder, as the comment between the commands says."""
    words = protocol.read_text(encoding="utf-8")
    for placeholder in TEMPLATE_WORDS:
        words, n_filled = re.subn(r"\s+".join(map(re.escape, placeholder.split())), "Filled in", words)
        assert n_filled
    protocol.write_text(words, encoding="utf-8")


def test_readme_commands_work_on_the_demo_study(
    attune: Attune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, each_report_once: None
) -> None:
    monkeypatch.chdir(tmp_path)
    address = settings().database_url
    assert address
    engine = make_engine(address)
    open_demo(transactions(engine), read_folder(DEMO))
    simulate_demo(transactions(engine))
    engine.dispose()
    said = [attune(*arguments) for _, *arguments in sequence("README.md")]
    assert [(one.code, one.err) for one in said if one.code] == []
    of_server, _, of_files, *_ = said
    assert of_server.out.splitlines()[1:] == of_files.out.splitlines()[1:]
    assert len((tmp_path / "mine" / "ratings.csv").read_text("utf-8").splitlines()) > 12


def test_commands_from_a_spreadsheet_produce_results_of_rated_study(
    attune: Attune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    book = Workbook()
    assert book.active is not None
    book.active.append(["id", "Question", "Physician Response", "ChatGPT Response"])
    for n in range(6):
        book.active.append([f"post-{n}", f"Question {n}?", f"Short answer {n}.", f"A longer and warmer answer {n}."])
    book.save(tmp_path / "replies.xlsx")
    commands = sequence("docs/command-line.md")
    assert len(commands) >= 8
    for program, *arguments in commands:
        assert program == "attune"
        if arguments[:2] == ["study", "check"]:
            fill_in(tmp_path / "my-folder" / "study.yaml")
        said = attune(*arguments)
        assert said.code == 0, (arguments, said.err)
    stored = json.loads(attune("analyze", "my-study", "--json").out)
    archived = json.loads(attune("analyze", "./archive", "--json").out)
    assert stored["study"] == archived["study"] == "my-study"
    assert [one["estimate"] for one in stored["estimates"]] == [one["estimate"] for one in archived["estimates"]]
    assert max(one["n_ratings"] or 0 for one in stored["estimates"]) > 0
    assert {"post-0"} <= set((tmp_path / "archive" / "ratings.csv").read_text("utf-8").replace(",", "\n").split())
