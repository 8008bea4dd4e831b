"""attune db, doctor, backup and restore, as somebody types them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.settings import settings
from tests.cli.database import Outcome, attune

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    Attune = Callable[..., Outcome]

__all__ = ["attune"]


def test_the_doctor_names_what_could_lose_an_answer(attune: Attune) -> None:
    found = attune("doctor")
    assert [line[:6] for line in found.out.splitlines()] == ["OK    ", "OK    ", "FAILED", "OK    "]
    assert "fsync off" in found.out  # as the database of the tests runs, for speed
    assert found.code == 1


def test_the_doctor_names_a_database_of_another_version(
    attune: Attune, monkeypatch: pytest.MonkeyPatch, new_database: Callable[[str | None], str]
) -> None:
    monkeypatch.setenv("DATABASE_URL", new_database(None))
    settings.cache_clear()
    assert "attune db upgrade" in attune("doctor").out
    assert attune("db", "upgrade").code == 0
    assert "attune db upgrade" not in attune("doctor").out


def test_the_doctor_says_that_a_database_does_not_answer(attune: Attune, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://nobody:hidden@127.0.0.1:1/none")
    settings.cache_clear()
    found = attune("doctor")
    assert found.code == 1
    assert "FAILED database" in found.out
    assert "hidden" not in found.out + found.err


def test_a_backup_is_restored_into_an_empty_database_with_its_leads(
    attune: Attune, monkeypatch: pytest.MonkeyPatch, new_database: Callable[[str | None], str], data_dir: Path
) -> None:
    attune("lead", "add", "me@example.org", "--link")
    file = data_dir / "attune.dump"
    assert attune("backup", file).code == 0
    assert file.stat().st_mode & 0o077 == 0
    full = attune("restore", file)
    assert (full.code, "not empty" in full.err) == (1, True)
    monkeypatch.setenv("DATABASE_URL", new_database(None))
    settings.cache_clear()
    assert attune("restore", file).code == 0
    assert attune("lead", "list").out == "me@example.org\n"
    again = attune("backup", file)
    assert (again.code, "already exists" in again.err) == (1, True)
