"""A database that does not answer, or an address that is none: one sentence in every command, and no password."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app.settings import settings
from app.studies.folder.study_templates import template_folder
from tests.kit.command_line import Attune, Outcome, attune

__all__ = ["attune"]

CHECKOUT = Path(__file__).resolve().parents[2]
UNREACHABLE = "postgresql://nobody:hidden@127.0.0.1:1/none"
MALFORMED = (
    "hidden",
    "postgresql://nobody:hidden@127.0.0.1:port/none",
    "mysql://nobody:hidden@127.0.0.1/none",
    "postgresql://nobody:hid@hidden@127.0.0.1/none",
    "postgresql://nobody:hid@hidden/den@127.0.0.1/none",
)
REFUSED = ("postgresql://nobody:hidden@127.0.0.1:99999/none", f"{UNREACHABLE}?nonsense=1", f"{UNREACHABLE}?sslmode=x")
COMMANDS = (
    ("analyze", "small"),
    ("plan", "small"),
    ("simulate", "small", "--raters", "1"),
    ("items", "import", "small", "sheet.csv"),
    ("study", "list"),
    ("study", "open", "small"),
    ("study", "invite", "small"),
    ("study", "load", "folder"),
    ("study", "export", "small", "--out", "out"),
    ("lead", "list"),
    ("lead", "add", "me@example.org", "--link"),
    ("lead", "link", "me@example.org"),
    ("db", "upgrade"),
    ("backup", "new.dump"),
    ("restore", "old.dump"),
)


@pytest.fixture
def on(attune: Attune, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Attune:
    """A command on this database, where there is a folder, a spreadsheet and a file to restore."""
    shutil.copytree(template_folder("three-point"), tmp_path / "folder")
    for name in ("sheet.csv", "old.dump"):
        (tmp_path / name).write_text("item,text\n")
    monkeypatch.chdir(tmp_path)

    def run(url: str, *arguments: str) -> Outcome:
        monkeypatch.setenv("DATABASE_URL", url)
        settings.cache_clear()
        return attune(*arguments)

    return run


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_unreachable_database_is_reported_in_one_sentence(on: Attune, command: tuple[str, ...]) -> None:
    said = on(UNREACHABLE, *command)
    assert (said.code, said.out) == (1, "")
    assert said.err == (
        "The database on 127.0.0.1, port 1 cannot be reached: Connection refused."
        " Check DATABASE_URL, and check that the server is running.\n"
    )


@pytest.mark.parametrize("url", MALFORMED)
def test_invalid_database_url_exits_with_2(on: Attune, url: str) -> None:
    said = on(url, "study", "list")
    assert (said.code, said.out, len(said.err.splitlines())) == (2, "", 1)
    assert said.err.startswith("DATABASE_URL ")
    assert "Expected: postgresql://USER:PASSWORD@HOST:PORT/DATABASE." in said.err
    assert not {"hid", "hidden", "den"} & set(said.err.replace("@", " ").replace("/", " ").split())


@pytest.mark.parametrize("url", REFUSED)
def test_url_rejected_by_libpq_is_reported_in_one_sentence(on: Attune, url: str) -> None:
    for command in (("study", "list"), ("backup", "new.dump")):
        said = on(url, *command)
        assert (said.code, said.out, len(said.err.splitlines())) == (1, "", 1)
        assert "cannot be reached" in said.err
        assert "hidden" not in said.err


@pytest.mark.parametrize("url", [UNREACHABLE, MALFORMED[0], MALFORMED[1]])
def test_doctor_reports_unusable_database_in_its_line(on: Attune, url: str) -> None:
    said = on(url, "doctor")
    (line,) = (line for line in said.out.splitlines() if line.startswith("FAILED"))
    assert "database: " in line
    assert (said.code, said.err, "hidden" in said.out) == (1, "", False)


@pytest.mark.parametrize("command", [("serve", "--port", "0"), ("demo", "--port", "0")], ids=" ".join)
def test_servers_report_unreachable_database_and_stop(command: tuple[str, ...]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "app", *command],
        check=False,
        capture_output=True,
        text=True,
        cwd=CHECKOUT,
        env=os.environ | {"DATABASE_URL": UNREACHABLE},
        timeout=120,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert len(done.stderr.splitlines()) == 1
    assert "cannot be reached: Connection refused." in done.stderr


def test_invalid_setting_is_named(on: Attune, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTUNE_MAX_UPLOAD_MB", "many")
    said = on(UNREACHABLE, "study", "list")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith("The environment variable ATTUNE_MAX_UPLOAD_MB is not valid; expected ")
