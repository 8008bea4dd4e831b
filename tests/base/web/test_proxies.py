"""Whose statements about the visitor's address are believed."""

import logging
from collections.abc import Iterator

import pytest
from fastapi import FastAPI, Request
from httpx2 import Response
from starlette.testclient import TestClient

from app.base.web.cookies import address_of
from app.base.web.middleware.proxies import TrustedProxies
from app.settings import SettingsError, settings

PUBLIC = "https://ratings.example.org"
VISITOR = {"x-forwarded-for": "192.0.2.9", "x-forwarded-proto": "https"}


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("ATTUNE_PUBLIC_URL", "ATTUNE_TRUSTED_PROXIES"):
        monkeypatch.setenv(name, "")
    settings.cache_clear()
    yield
    settings.cache_clear()


def proxies(monkeypatch: pytest.MonkeyPatch, **variables: str) -> str:
    """The proxies that are trusted with these variables."""
    for name, value in variables.items():
        monkeypatch.setenv(f"ATTUNE_{name.upper()}", value)
    settings.cache_clear()
    return settings().proxies


def asked(proxies: str, peer: str) -> Response:
    """What a program at `peer` is answered that names a visitor: who the application takes it for."""
    app = FastAPI()

    @app.get("/")
    def show(request: Request) -> str:
        return f"{request.scope['scheme']} {address_of(request)}"

    return TestClient(TrustedProxies(app, proxies), client=(peer, 50_000)).get("/", headers=VISITOR)


def test_program_on_this_machine_is_no_proxy_once_there_is_a_public_url(monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(proxies(monkeypatch), "127.0.0.1").json() == "https 192.0.2.9"
    assert asked(proxies(monkeypatch, public_url=PUBLIC), "127.0.0.1").json() == "http 127.0.0.1"
    named = proxies(monkeypatch, public_url=PUBLIC, trusted_proxies="127.0.0.1, 172.30.83.0/28")
    assert asked(named, "127.0.0.1").json() == "https 192.0.2.9"
    assert asked(named, "172.30.83.1").json() == "https 192.0.2.9"
    assert asked(named, "172.30.84.1").json() == "http 172.30.84.1"


@pytest.mark.parametrize(
    ("peer", "named"),
    [("127.0.0.1", "127.0.0.1"), ("172.30.83.1", "172.30.83.1"), ("93.184.215.14", "a public address")],
)
def test_log_says_once_that_a_proxy_is_not_trusted(peer: str, named: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "attune.web")
    app = TrustedProxies(FastAPI(), "")
    client = TestClient(app, client=(peer, 50_000))
    for _ in range(3):
        client.get("/", headers=VISITOR)
    client.get("/")
    (line,) = caplog.messages
    assert f"from {named}, which is not in ATTUNE_TRUSTED_PROXIES" in line
    assert "192.0.2.9" not in line


def test_proxy_that_is_no_address_is_refused_at_start(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match="ATTUNE_TRUSTED_PROXIES is not valid"):
        proxies(monkeypatch, trusted_proxies="the proxy")
    assert proxies(monkeypatch, trusted_proxies="*") == "*"
