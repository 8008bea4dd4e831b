"""attune db, doctor, backup and restore, as somebody types them."""

import errno
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from app.settings import settings
from tests.kit.command_line import Attune, attune

__all__ = ["attune"]


def test_doctor_names_risks_to_answers(attune: Attune) -> None:
    found = attune("doctor")
    checks = re.findall(r"^(OK|WARNING|FAILED) +(\w+)", found.out, re.MULTILINE)
    well = [
        "programs",
        "files",
        "disk",
        "encryption",
        "replica",
        "connections",
        "clock",
        "migrations",
        "leases",
        "reconciliation",
    ]
    assert [name for state, name in checks if state == "OK"] == well
    assert [name for state, name in checks if state == "WARNING"] == ["backups"]
    assert "fsync off" in found.out  # as the database of the tests runs, for speed
    assert "Set fsync = on" in found.out
    assert found.code == 1


def test_doctor_names_outdated_database(
    attune: Attune, monkeypatch: pytest.MonkeyPatch, new_database: Callable[[str | None], str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", new_database(None))
    settings.cache_clear()
    found = attune("doctor")
    assert "the tables need an upgrade, so the studies were not checked" in found.out
    assert "attune db upgrade" in found.out
    assert "psycopg" not in found.out
    assert attune("db", "upgrade").code == 0
    assert "attune db upgrade" not in attune("doctor").out


@pytest.mark.parametrize(
    ("name", "value"), [("ATTUNE_TRUSTED_PROXIES", "the proxy"), ("ATTUNE_MODEL_SERVERS_FILE", "/no/such/file")]
)
def test_doctor_names_a_setting_that_is_not_valid_once(
    attune: Attune, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    settings.cache_clear()
    found = attune("doctor")
    assert (found.code, found.out, found.err.count(name)) == (2, "", 1)


def test_doctor_names_a_full_disk_as_the_reason_why_there_is_no_database(
    attune: Attune, monkeypatch: pytest.MonkeyPatch
) -> None:
    def start(*_: object) -> str:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/data/postgres/starting")

    monkeypatch.setattr("app.cli.doctor.database_url", start)
    found = attune("doctor")
    assert (found.code, found.err) == (1, "")
    assert "FAILED  database: the embedded database cannot be started: No space left on device\n" in found.out


def test_doctor_reports_unreachable_database(attune: Attune, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody:hidden@127.0.0.1:1/none")
    settings.cache_clear()
    found = attune("doctor")
    assert found.code == 1
    assert "FAILED  database" in found.out
    assert "hidden" not in found.out + found.err


def test_backup_is_restored_into_empty_database_with_leads(
    attune: Attune, monkeypatch: pytest.MonkeyPatch, new_database: Callable[[str | None], str], data_dir: Path
) -> None:
    monkeypatch.setenv("ATTUNE_BACKUP_DIR", str(data_dir))
    settings.cache_clear()
    attune("lead", "add", "me@example.org", "--link")
    (data_dir / "deletions.jsonl").write_text('{"kind": "study", "study": 7, "token": "gone"}\n')
    file = data_dir / "attune.dump"
    saved = attune("backup", file)
    assert (saved.code, "every table was the same" in saved.err) == (0, True)
    assert file.stat().st_mode & 0o077 == 0
    full = attune("restore", file)
    assert (full.code, "not empty" in full.err) == (1, True)
    monkeypatch.setenv("DATABASE_URL", new_database(None))
    settings.cache_clear()
    restored = attune("restore", file)
    assert (restored.code, "Every table is the same as in the backup" in restored.err) == (0, True)
    assert "Deletions on record: 1. Repeated in this database: 0." in restored.err
    assert attune("lead", "list").out == "me@example.org\n"
    again = attune("backup", file)
    assert (again.code, "already exists" in again.err) == (1, True)
