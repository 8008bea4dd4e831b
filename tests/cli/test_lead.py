"""attune lead ..., as somebody types it."""

import io
from collections.abc import Callable

import pytest

from tests.kit.command_line import Attune, attune

__all__ = ["attune"]

PASSWORD = "correct horse battery"


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """What stands on standard input."""
    return lambda words: monkeypatch.setattr("sys.stdin", io.StringIO(words))


def test_lead_is_added_with_password_from_stdin(attune: Attune, typed: Callable[[str], None]) -> None:
    typed(f"{PASSWORD}\n")
    assert attune("lead", "add", "Me@Example.org", "--password-stdin").code == 0
    assert attune("lead", "list").out == "me@example.org\n"


def test_only_the_sign_in_link_is_printed(attune: Attune) -> None:
    added = attune("lead", "add", "me@example.org", "--link", "--address", "https://rate.example.org/")
    assert added.out.startswith("https://rate.example.org/sign-in/")
    assert len(added.out.splitlines()) == 1
    assert attune("lead", "link", "me@example.org").out != added.out


def test_identity_at_the_provider_can_be_forgotten(attune: Attune) -> None:
    attune("lead", "add", "me@example.org", "--link")
    assert "No identity of me@example.org" in attune("lead", "unlink", "me@example.org").err


def test_lead_is_added_only_once(attune: Attune) -> None:
    attune("lead", "add", "me@example.org", "--link")
    again = attune("lead", "add", "ME@example.org", "--link")
    assert (again.code, again.out) == (1, "")
    assert "already has an account" in again.err


@pytest.mark.parametrize("password", ["short", ""])
def test_weak_password_adds_no_lead(attune: Attune, typed: Callable[[str], None], password: str) -> None:
    typed(f"{password}\n")
    assert attune("lead", "add", "me@example.org", "--password-stdin").code == 1
    assert attune("lead", "list").out == ""


def test_invalid_address_is_rejected(attune: Attune) -> None:
    refused = attune("lead", "add", "nobody", "--link")
    assert (refused.code, refused.err) == (1, "nobody is not an e-mail address.\n")


def test_password_can_be_changed(attune: Attune, typed: Callable[[str], None]) -> None:
    attune("lead", "add", "me@example.org", "--link")
    typed("another password\n")
    assert attune("lead", "password", "me@example.org", "--password-stdin").code == 0


@pytest.mark.parametrize("verb", ["link", "password"])
def test_unknown_lead_is_named_with_advice(attune: Attune, typed: Callable[[str], None], verb: str) -> None:
    typed(f"{PASSWORD}\n")
    unknown = attune("lead", verb, "nobody@example.org")
    assert unknown.code == 2
    assert "attune lead add nobody@example.org" in unknown.err
