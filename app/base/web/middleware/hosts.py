"""The host names that this server accepts.

A page of another site can point its own host name at this server's address (DNS rebinding) and then read what a browser
behind a firewall can see. It cannot do so with an IP address or with a configured name.
"""

from __future__ import annotations

import re
import socket
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
# A name or address, and a port. Anything else could name another host once it is part of a link.
_HEADER = re.compile(r"(?:\[([0-9a-f:.]+)\]|([\w.-]+?)\.?)(?::\d{0,5})?", re.ASCII | re.IGNORECASE)


class AllowedHosts:
    """Accepts the names in `hosts` and that of `public_url`; if neither is given, all names of this machine."""

    def __init__(self, hosts: Iterable[str] = (), public_url: str | None = None) -> None:
        """`hosts` as in a Host header, without port; `*.example.org` means all its subdomains, `*` any name."""
        named = {host.strip().lower().strip("[]") for host in hosts} - {""}
        if public_url and (host := urlsplit(public_url).hostname):
            named.add(host)
        self._is_open = not named
        own = {socket.gethostname().lower()}
        self._names = named | LOCAL | (own | {f"{name}.local" for name in own} if self._is_open else set())
        self._endings = tuple(name[1:] for name in named if name.startswith("*."))
        self.allows = lru_cache(maxsize=256)(self._allows)

    def _allows(self, header: str) -> bool:
        """Whether a Host header names this server.

        >>> unset, public = AllowedHosts(), AllowedHosts(public_url="https://rate.example.org")
        >>> unset.allows("192.168.1.7:8000"), unset.allows("evil.example"), public.allows("rate.example.org")
        (True, False, True)
        """
        name = _name_of(header)
        if not name:
            return False
        if name in self._names or "*" in self._names or name.endswith(self._endings or ("\0",)):
            return True
        return self._is_open and (name.endswith(".localhost") or _is_address(name))


def _name_of(header: str) -> str:
    """The host without port; empty if the header is not valid.

    >>> _name_of("RATE.example.org.:443"), _name_of("[::1]:8000"), _name_of("127.0.0.1:80@evil.example")
    ('rate.example.org', '::1', '')
    """
    found = _HEADER.fullmatch(header)
    return (found[1] or found[2]).lower() if found else ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
