"""attune snapshot ..., as somebody types it."""

import json
from pathlib import Path

import pytest

from app.cli.store import store, stored_study
from app.studies.audit import list_acts
from tests.kit.command_line import Attune, attune
from tests.kit.small import small

__all__ = ["attune"]


@pytest.fixture
def stored(attune: Attune, tmp_path: Path) -> Attune:
    """The command, with the small study in the database."""
    folder = tmp_path / "small"
    folder.mkdir()
    for name, content in small().items():
        (folder / name).write_bytes(content)
    assert attune("study", "load", folder).code == 0
    return attune


def test_snapshot_is_saved_listed_and_shown(stored: Attune, tmp_path: Path) -> None:
    saved = stored("snapshot", "save", "small", "As  submitted", "--source", "person", "--address", "https://r.org/")
    assert saved.code == 0, saved.err
    address = saved.out.strip()
    assert address.startswith("https://r.org/snapshots/")
    token = address.rpartition("/")[2]
    listed = stored("snapshot", "list", "small").out.splitlines()
    assert [line.split("\t")[::2] for line in listed] == [[token, "As submitted"]]
    shown = stored("snapshot", "show", "small", address, "--json")
    document = json.loads(shown.out)
    assert document["filters"] == {"sources": ["person"]}
    assert document["data_hash"] in saved.err
    brief = stored("snapshot", "show", "small", token)
    assert "As submitted: ratings up to" in brief.err
    assert "Only responses of Person." in brief.out
    assert stored("snapshot", "show", "small", token, "--out", tmp_path / "out").code == 0
    assert json.loads((tmp_path / "out" / "report.json").read_text(encoding="utf-8")) == document


def test_snapshot_and_preregistration_are_logged(stored: Attune, tmp_path: Path) -> None:
    assert stored("snapshot", "save", "small", "As submitted").code == 0
    made = stored("preregister", "small", "--out", tmp_path / "plan", "--format", "md")
    assert made.code == 0, made.err
    assert _logged() == [
        ("preregistered", None, "command line"),
        ("snapshot saved", None, "command line"),
    ]


def _logged() -> list[tuple[str, str | None, str]]:
    """The entries of the audit log, newest first: action, lead, and by what."""
    with store() as engine, engine.connect() as db:
        study = stored_study(db, "small")
        return [(act.action, act.email, act.detail["by"]) for act in list_acts(db, study.id)]


def test_wrong_names_are_refused_with_what_to_do(stored: Attune) -> None:
    assert "attune snapshot list small" in stored("snapshot", "show", "small", "unknown").err
    assert "attune study list" in stored("snapshot", "list", "other").err
    for name in ("  ", "x" * 201):
        refused = stored("snapshot", "save", "small", name)
        assert refused.code == 2
        assert "up to 200 characters" in " ".join(refused.err.split())
    assert stored("snapshot", "list", "small").out == ""
