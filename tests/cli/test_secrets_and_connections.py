from pathlib import Path

import pytest
import typer
from pydantic import ValidationError
from sqlalchemy import Connection

from app.base.database.engine import connections_needed, count_connections, max_workers
from app.cli.serve import check_connections
from app.settings import Settings, SettingsError, settings


@pytest.fixture(autouse=True)
def _no_database(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)


def secret(folder: Path, text: str) -> Path:
    path = folder / "secret"
    path.write_text(text)
    return path


def test_database_url_is_read_from_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL_FILE", str(secret(tmp_path, "postgresql://a:b@db/attune\n")))
    assert Settings().database_url == "postgresql://a:b@db/attune"


def test_password_with_special_characters_is_read_from_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://attune@db:5432/attune?sslmode=require")
    monkeypatch.setenv("DATABASE_PASSWORD_FILE", str(secret(tmp_path, "p@ss/w:rd\n")))
    assert Settings().database_url == "postgresql://attune:p%40ss%2Fw%3Ard@db:5432/attune?sslmode=require"


@pytest.mark.parametrize(
    ("url", "name", "text", "said"),
    [
        ("postgresql://a@db/x", "DATABASE_URL_FILE", "postgresql://b@db/x", "both set"),
        ("postgresql://a:b@db/x", "DATABASE_PASSWORD_FILE", "c", "without a password"),
        ("", "DATABASE_PASSWORD_FILE", "c", "with a user name"),
        ("postgresql://a@db/x", "DATABASE_PASSWORD_FILE", " \n", "which is empty"),
    ],
)
def test_conflicting_settings_are_rejected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, name: str, text: str, said: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    monkeypatch.setenv(name, str(secret(tmp_path, text)))
    with pytest.raises(ValidationError, match=said):
        Settings()


def test_missing_secret_file_is_reported_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL_FILE", str(tmp_path / "nowhere"))
    settings.cache_clear()
    with pytest.raises(SettingsError) as caught:
        settings()
    assert str(caught.value) == (
        f"DATABASE_URL_FILE names {tmp_path / 'nowhere'}, which cannot be read: No such file or directory."
    )


@pytest.mark.parametrize("name", ["ATTUNE_MODEL_KEY", "ATTUNE_PROLIFIC_TOKEN"])
def test_a_key_that_no_request_can_carry_is_refused_and_not_quoted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(f"{name}_FILE", str(secret(tmp_path, "sk-1\n# of the lab\n")))
    settings.cache_clear()
    with pytest.raises(SettingsError) as caught:
        settings()
    assert str(caught.value) == f"{name}_FILE must have one line of ASCII characters."


def test_a_secret_that_is_not_text_is_reported_in_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "secret").write_bytes(b"\xff\xfe")
    monkeypatch.setenv("ATTUNE_MODEL_KEY_FILE", str(tmp_path / "secret"))
    settings.cache_clear()
    with pytest.raises(SettingsError) as caught:
        settings()
    assert str(caught.value) == f"ATTUNE_MODEL_KEY_FILE names {tmp_path / 'secret'}, which is not text in UTF-8."


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("ATTUNE_PUBLIC_URL", f"https://rate.example.org{rest}") for rest in ("/attune", "?x=1", ":99999", ":x")],
        *[("ATTUNE_PUBLIC_URL", value) for value in ("https://a b.org", "https://me:pw@rate.example.org", "HTTPS://x")],
        *[("ATTUNE_ALLOWED_HOSTS", value) for value in ("https://a.org", "a.org:443", "a.org b.org", "a.org, b.org/")],
        ("DATABASE_REPLICA_URL", "replica.example.org"),
        ("ATTUNE_METRICS_TOKEN_FILE", "/no/such/file"),
        ("ATTUNE_BREACHED_PASSWORDS_FILE", "/"),
    ],
)
def test_value_that_no_server_could_use_is_refused_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)
    settings.cache_clear()
    with pytest.raises(SettingsError, match=rf"^(The environment variable )?{name} [^\n]+\.$"):
        settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("ATTUNE_PUBLIC_URL", f"https://Rate.example.org{rest}") for rest in ("", "/", ":8443", ":8443/")],
        *[("ATTUNE_PUBLIC_URL", value) for value in ("http://127.0.0.1:8000", "http://[::1]:8000", "")],
        *[("ATTUNE_ALLOWED_HOSTS", value) for value in ("", "*", "*.a.org, b_c.org", "::1,[::1], 10.0.0.1,", "lab")],
        ("DATABASE_REPLICA_URL", "postgres://me:secret@replica.example.org/attune"),
        ("DATABASE_REPLICA_URL", "postgresql+psycopg://me:secret@replica.example.org/attune"),
    ],
)
def test_value_that_a_server_can_use_is_kept(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    settings.cache_clear()
    assert settings()


def test_available_connections_are_read_from_database(db: Connection) -> None:
    assert count_connections(db) == 197


def test_fitting_processes_are_reported_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    check_connections(2, 16, 97)
    said = capsys.readouterr().err
    assert said == "2 processes with 16 threads: up to 44 of the 97 connections that the database allows.\n"


TOO_MANY = (
    "5 processes with 16 threads may need 104 database connections, and the database allows 97: "
    "start 4 with --workers 4, or set max_connections in PostgreSQL to 107 or more."
)
TOO_SMALL = "set ATTUNE_N_THREADS to a lower value, or set max_connections in PostgreSQL to 27 or more."


@pytest.mark.parametrize(("workers", "n_available", "said"), [(5, 97, TOO_MANY), (1, 20, TOO_SMALL)])
def test_too_many_processes_are_rejected_with_advice(
    capsys: pytest.CaptureFixture[str], workers: int, n_available: int, said: str
) -> None:
    with pytest.raises(typer.Exit):
        check_connections(workers, 16, n_available)
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("n_available", [23, 24, 44, 97, 200])
def test_max_workers_is_exact(n_available: int) -> None:
    fit = max_workers(n_available, 16)
    assert fit == 0 or connections_needed(fit, 16) <= n_available
    assert connections_needed(fit + 1, 16) > n_available
