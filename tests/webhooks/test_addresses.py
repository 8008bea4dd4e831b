"""Which addresses webhooks may be sent to."""

import socket
from threading import Event
from typing import Any

import pytest

from app.webhooks.addresses import WebhookAddressError, parse_networks, parse_target, resolve

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
        "https://localhost",
        "https://LOCALHOST.:8443/hook",
        "https://app.localhost",
        "https://db",
        "https://printer.local",
        "https://metadata.google.internal",
        "https://127.0.0.1.",
        "https://2130706433",
        "https://0x7f000001",
        "https://0x7f.1",
        "https://0177.0.0.1",
        "https://127.1",
        "https://017700000001",
        "https://lab.example.0x",
        "https://%6cocalhost",
        "https://lab..example.org",
        "https://[2606:4700::1%25eth0]",
    ],
)
def test_unusable_address_is_refused(address: str) -> None:
    with pytest.raises(WebhookAddressError):
        parse_target(address)


# One address of every block of IANA's registries of special-purpose addresses, IPv4 and IPv6, as of 2025-05, and of
# multicast, class E, site-local and IPv4-compatible addresses.
SPECIAL = (
    *("0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.1.1", "172.31.0.1", "192.0.0.1"),  # noqa: S104 - nothing is bound
    *("192.0.0.8", "192.0.0.9", "192.0.0.10", "192.0.0.170", "192.0.2.1", "192.31.196.1", "192.52.193.1"),
    *("192.88.99.1", "192.168.1.1", "192.175.48.1", "198.18.0.1", "198.51.100.1", "203.0.113.1"),
    *("224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "::ffff:192.168.1.1", "::ffff:192.88.99.1", "::10.0.0.1", "64:ff9b::10.0.0.1", "64:ff9b:1::1"),
    *("100::1", "100:0:0:1::1", "2001::1", "2001:1::1", "2001:2::1", "2001:3::1", "2001:4:112::1", "2001:10::1"),
    *("2001:20::1", "2001:30::1", "2001:db8::1", "2002:a00:1::1", "2620:4f:8000::1", "3fff::1", "3fff:fff::1"),
    *("5f00::1", "fc00::1", "fd00::1", "fe80::1", "fec0::1", "ff02::1", "4000::1"),
)


@pytest.mark.parametrize("address", SPECIAL)
def test_special_purpose_address_is_refused_when_stored_and_when_sent(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    host = f"[{address}]" if ":" in address else address
    with pytest.raises(WebhookAddressError, match="is not a public address"):
        parse_target(f"https://{host}/hook")
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443))]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(WebhookAddressError, match="is not a public address"):
        resolve(parse_target("https://lab.example.org"))


@pytest.mark.parametrize("host", ["93.184.215.14", "[2606:2800:220:1::1]", "[::ffff:8.8.8.8]", "lab-1.example.org."])
def test_public_host_is_accepted(host: str) -> None:
    assert parse_target(f"https://{host}/hook").port == 443


def test_name_of_an_own_network_is_left_to_the_look_up_if_networks_are_named() -> None:
    assert parse_target("https://hooks.internal/", parse_networks("10.2.0.0/16")).host == "hooks.internal"
    with pytest.raises(WebhookAddressError):
        parse_target("https://localhost/", parse_networks("10.2.0.0/16"))
    assert parse_target("https://localhost/", LOOPBACK).host == "localhost"


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
