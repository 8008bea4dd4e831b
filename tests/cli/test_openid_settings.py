"""Settings of OpenID Connect: complete, or the server does not start."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app import settings as module
from app.settings import SettingsError, settings

COMPLETE = {
    "ATTUNE_OPENID_ISSUER": "https://id.example.org/realms/lab",
    "ATTUNE_OPENID_CLIENT_ID": "attune",
    "ATTUNE_OPENID_CLIENT_SECRET": "a secret",
    "ATTUNE_PUBLIC_URL": "https://rate.example.org",
}


@pytest.fixture(autouse=True)
def complete(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name, value in COMPLETE.items():
        monkeypatch.setenv(name, value)
    settings.cache_clear()
    yield
    settings.cache_clear()


def test_complete_settings_are_accepted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_text("from a file\n")
    monkeypatch.setenv("ATTUNE_OPENID_CLIENT_SECRET", "")
    monkeypatch.setenv("ATTUNE_OPENID_CLIENT_SECRET_FILE", str(tmp_path / "secret"))
    monkeypatch.setenv("ATTUNE_LOCAL_PASSWORDS", "false")
    secret = settings().openid_client_secret
    assert secret is not None
    assert secret.get_secret_value() == "from a file"
    assert "from a file" not in repr(settings())


@pytest.mark.parametrize("name", COMPLETE)
def test_missing_setting_is_named(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "")
    with pytest.raises(SettingsError, match=f"^Sign-in by OpenID Connect also needs {name}"):
        settings()


def test_missing_packages_are_reported_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "find_spec", lambda _: None)
    with pytest.raises(SettingsError) as refused:
        settings()
    said = "Sign-in by OpenID Connect needs its packages: pip install 'attune-studies[openid]'."
    assert str(refused.value) == said


def test_passwords_cannot_be_switched_off_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in COMPLETE:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ATTUNE_LOCAL_PASSWORDS", "false")
    with pytest.raises(SettingsError, match="set ATTUNE_OPENID_ISSUER"):
        settings()


@pytest.mark.parametrize("issuer", ["http://id.example.org", "id.example.org", "https://id.example.org?x=1"])
def test_issuer_must_be_https(monkeypatch: pytest.MonkeyPatch, issuer: str) -> None:
    monkeypatch.setenv("ATTUNE_OPENID_ISSUER", issuer)
    with pytest.raises(SettingsError, match="ATTUNE_OPENID_ISSUER is not valid"):
        settings()


def test_http_is_accepted_on_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATTUNE_OPENID_ISSUER", "http://127.0.0.1:9000")
    assert settings().openid_issuer == "http://127.0.0.1:9000"
