"""Which addresses webhooks may be sent to."""

from __future__ import annotations

import socket
from threading import Event
from typing import Any

import pytest

from app.actions.webhooks.addresses import WebhookAddressError, parse_networks, parse_target, resolve

LOOPBACK = parse_networks("127.0.0.1")


@pytest.mark.parametrize(
    "address",
    [
        "http://lab.example.org/hook",
        "ftp://lab.example.org",
        "https://",
        "https://user:secret@lab.example.org",
        "https://lab.example.org/#part",
        "https://127.0.0.1",
        "https://10.1.2.3",
        "https://192.168.0.1",
        "https://169.254.169.254/latest/meta-data",
        "https://[::1]",
        "https://[fe80::1]",
        "https://[fd00::1]",
        "https://[fec0::1]",
        "https://[::ffff:10.0.0.1]",
        "https://[64:ff9b::7f00:1]",
        "https://[2002:7f00:1::]",
        "https://0.0.0.0",
        "https://224.0.0.1",
        "https://lab.example.org:99999",
        "https://lab.example.org/a b",
        "https://lab.example.org/" + "a" * 1000,
        "http://localhost/hook",
    ],
)
def test_unusable_address_is_refused(address: str) -> None:
    with pytest.raises(WebhookAddressError):
        parse_target(address)


def test_address_is_read_into_its_parts() -> None:
    target = parse_target("https://lab.example.org:8443/hook?study=1")
    assert (target.is_tls, target.host, target.port, target.path) == (True, "lab.example.org", 8443, "/hook?study=1")
    assert parse_target("https://lab.example.org").path == "/"


def test_loopback_and_http_are_allowed_only_by_the_setting() -> None:
    assert parse_target("http://127.0.0.1:9000/", LOOPBACK).port == 9000
    with pytest.raises(WebhookAddressError):
        parse_target("http://10.0.0.1/", parse_networks("10.0.0.0/8"))


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (["93.184.215.14"], "93.184.215.14"),
        (["10.0.0.1"], None),
        (["93.184.215.14", "127.0.0.1"], None),
        (["fe80::1%eth0"], None),
        ([], None),
    ],
    ids=["public", "private", "public and loopback", "link-local", "none"],
)
def test_name_is_refused_unless_all_its_addresses_are_public(
    monkeypatch: pytest.MonkeyPatch, found: list[str], expected: str | None
) -> None:
    def look_up(*_: Any, **__: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 - as socket's
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (one, 443)) for one in found]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    target = parse_target("https://lab.example.org")
    if expected:
        assert resolve(target) == expected
    else:
        with pytest.raises(WebhookAddressError):
            resolve(target)


def test_name_without_address_is_refused() -> None:
    with pytest.raises(WebhookAddressError, match="was not found"):
        resolve(parse_target("https://nowhere.invalid"))


def test_slow_look_up_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    is_over = Event()

    def look_up(*_: Any, **__: Any) -> list[tuple[Any, ...]]:  # noqa: ANN401 - as socket's
        is_over.wait(60)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    with pytest.raises(WebhookAddressError, match=r"Looking up slow.example.org took longer than 0.1 seconds."):
        resolve(parse_target("https://slow.example.org"), timeout_s=0.1)
    is_over.set()
