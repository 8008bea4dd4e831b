"""Passwords from data breaches are found in the sorted file of their hashes, and refused."""

import hashlib
from pathlib import Path

import pytest

from app.accounts.passwords import BREACHED, AccessError, BreachedPasswords, check_strength
from app.settings import Settings

KNOWN = [f"violet harbour sentence {n}" for n in range(40)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    hashes = sorted(hashlib.sha1(word.encode(), usedforsecurity=False).hexdigest().upper() for word in KNOWN)
    path = tmp_path / "pwned.txt"
    # As published: line ends of Windows, counts of different lengths.
    path.write_bytes(b"".join(f"{one}:{3 ** (n % 9)}\r\n".encode() for n, one in enumerate(hashes)))
    return path


def test_every_password_of_the_file_is_found_and_no_other(file: Path) -> None:
    breached = BreachedPasswords(file)
    assert [word for word in KNOWN if word not in breached] == []
    assert [word for word in (f"{word}!" for word in KNOWN) if word in breached] == []


def test_without_a_file_or_lines_nothing_is_known(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert KNOWN[0] not in BreachedPasswords()
    assert KNOWN[0] not in BreachedPasswords(tmp_path / "empty")


def test_breached_password_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_strength(KNOWN[0], "lead@example.org")
    monkeypatch.setattr(BREACHED, "file", file)
    with pytest.raises(AccessError, match="data breach"):
        check_strength(KNOWN[0], "lead@example.org")


def test_missing_file_is_reported_at_startup(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ATTUNE_BREACHED_PASSWORDS_FILE", str(tmp_path / "none"))
    with pytest.raises(ValueError, match="can be read"):
        Settings()
