"""Where webhooks may be sent: to public addresses, unless the settings name networks of this installation.

A webhook's address is typed by a lead, and the request comes from this server. Without these checks it could reach
services that trust the server's network, such as a database or the metadata service of a cloud.
"""

import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from queue import Empty, SimpleQueue
from threading import Thread
from urllib.parse import urlsplit

from app.webhooks.events import LONGEST_ADDRESS

Address = IPv4Address | IPv6Address
Networks = Sequence[IPv4Network | IPv6Network]


# An IPv6 address of this network stands for an IPv4 address, which a gateway of the network translates.
_NAT64 = IPv6Network("64:ff9b::/96")
# IANA has given out addresses of hosts from this network only.
_UNICAST = IPv6Network("2000::/3")
# The blocks of IANA's registries of special-purpose addresses (RFC 6890), and multicast. No host that is meant for the
# public has such an address, even where the block is reachable. `ipaddress` knows some of them only in newer Pythons.
_SPECIAL: Networks = (
    *map(
        IPv4Network,
        (
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "169.254.0.0/16",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.31.196.0/24",
            "192.52.193.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "192.175.48.0/24",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/3",
        ),
    ),
    *map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20")),
)
_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*", re.ASCII)
# Libraries read such a last part as a number of an IPv4 address, whatever its base: 2130706433, 0x7f.1, 0177.0.0.1.
_ENDS_IN_NUMBER = re.compile(r"(.*\.)?(\d+|0x[0-9a-f]*)", re.ASCII)
# Names that only a local network or the machine itself resolves.
_LOCAL_NAMES = (".local", ".localdomain", ".internal", ".intranet", ".lan", ".home.arpa")
# For a name server; a part of the time that a whole request may take.
LOOKUP_S = 5.0
PLAIN = "A webhook needs an address that begins with https://."
NOT_PUBLIC = (
    "{host} is not a public address. Use a public one, or ask the administrator of this server to add its network to "
    "ATTUNE_WEBHOOK_NETWORKS."
)

NOT_A_HOST = "{host} is not a host. Use a host name, or an IP address of four decimal numbers or of IPv6 in [brackets]."


class WebhookAddressError(ValueError):
    """Nothing can be sent to this address; the sentence says why."""


@dataclass(frozen=True, slots=True)
class Target:
    """Where to send a request: `path` includes the query."""

    is_tls: bool
    host: str
    port: int
    path: str


def parse_networks(words: str) -> Networks:
    """Networks separated by commas.

    >>> parse_networks("127.0.0.1, 10.2.0.0/16")
    (IPv4Network('127.0.0.1/32'), IPv4Network('10.2.0.0/16'))

    Raises:
        ValueError: one of them is not a network.
    """
    return tuple(ip_network(word.strip()) for word in words.split(",") if word.strip())


def parse_target(address: str, networks: Networks = ()) -> Target:
    """Read the address of a webhook; nothing is looked up.

    Args:
        address: as the lead typed it.
        networks: networks that may be reached although they are not public; http is allowed for loopback in them.

    Raises:
        WebhookAddressError: the address cannot be used.
    """
    if len(address) > LONGEST_ADDRESS or not address.isascii() or not address.isprintable() or " " in address:
        raise WebhookAddressError(f"The address must be at most {LONGEST_ADDRESS} ASCII characters without spaces.")
    try:
        parts = urlsplit(address)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise WebhookAddressError(PLAIN) from None
    if parts.scheme not in {"https", "http"} or not host:
        raise WebhookAddressError(PLAIN)
    if parts.username is not None or parts.fragment:
        raise WebhookAddressError("The address must not contain a user name, a password or a part after #.")
    host = host.removesuffix(".")
    literal = _literal(host)
    if literal is None and (_ENDS_IN_NUMBER.fullmatch(host) or not _NAME.fullmatch(host)):
        raise WebhookAddressError(NOT_A_HOST.format(host=host))
    # Whether a name of the own networks is allowed there is known only once it has been looked up.
    is_refused = not is_allowed(literal, networks) if literal is not None else not networks and _is_local(host)
    if is_refused:
        raise WebhookAddressError(NOT_PUBLIC.format(host=host))
    is_tls = parts.scheme == "https"
    if not is_tls and not (literal is not None and literal.is_loopback):
        raise WebhookAddressError(PLAIN)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(is_tls, host, port or (443 if is_tls else 80), path)


def resolve(target: Target, networks: Networks = (), *, timeout_s: float = LOOKUP_S) -> str:
    """The IP address to connect to. All addresses of the name must be allowed, so that none can be slipped in.

    Raises:
        WebhookAddressError: the name has no address, or one that is not allowed, or was not found in time.
    """
    try:
        addresses = _look_up(target, timeout_s)
    except Empty:
        raise WebhookAddressError(f"Looking up {target.host} took longer than {timeout_s:g} seconds.") from None
    if not addresses:
        raise WebhookAddressError(f"The host name {target.host} was not found.")
    if not all(is_allowed(ip_address(one.partition("%")[0]), networks) for one in addresses):
        raise WebhookAddressError(NOT_PUBLIC.format(host=target.host))
    return addresses[0]


def _look_up(target: Target, timeout_s: float) -> list[str]:
    """All IP addresses of the host; none if there is no such name.

    A look-up cannot be cancelled, and a slow name server can take minutes. It is left to a thread that ends by itself.

    Raises:
        Empty: it took too long.
    """
    found: SimpleQueue[list[str]] = SimpleQueue()

    def ask() -> None:
        try:
            entries = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
        except (OSError, UnicodeError):
            entries = []
        found.put([str(entry[4][0]) for entry in entries])

    Thread(target=ask, name="attune-look-up", daemon=True).start()
    return found.get(timeout=timeout_s)


def is_allowed(address: Address, networks: Networks = ()) -> bool:
    """Whether an IP address is public, or in one of these networks.

    >>> [is_allowed(ip_address(one)) for one in ("93.184.215.14", "10.0.0.1", "::ffff:127.0.0.1", "169.254.169.254")]
    [True, False, False, False]
    """
    meant = _meant(address)
    if any(meant in network for network in networks):
        return True
    is_special = any(meant in network for network in _SPECIAL)
    return meant.is_global and not is_special and (isinstance(meant, IPv4Address) or meant in _UNICAST)


def _meant(address: Address) -> Address:
    """The IPv4 address that an IPv6 address stands for, if it does."""
    if isinstance(address, IPv4Address):
        return address
    if address in _NAT64:
        return IPv4Address(int(address) & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or address


def _literal(host: str) -> Address | None:
    """The address that the host is (RFC 6761 for localhost); None for a name, or for an address with a zone."""
    if f".{host}".endswith(".localhost"):
        return IPv4Address("127.0.0.1")
    try:
        return None if "%" in host else ip_address(host)
    except ValueError:
        return None


def _is_local(name: str) -> bool:
    """Whether a name means this machine or one of its network.

    >>> [_is_local(one) for one in ("db", "files.lan", "lab.example.org")]
    [True, True, False]
    """
    return "." not in name or name.endswith(_LOCAL_NAMES)
