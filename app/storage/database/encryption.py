"""Whether the connection to the database is encrypted, and to whom."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import ip_address
from typing import TYPE_CHECKING

from sqlalchemy import text

if TYPE_CHECKING:
    from sqlalchemy import Connection

_TLS = text("SELECT version FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl")
_CHECKED = frozenset({"verify-ca", "verify-full"})


@dataclass(frozen=True, slots=True)
class Encryption:
    """`tls_version` is None without TLS; `is_checked`: whether the certificate of the server must be a trusted one."""

    host: str
    is_on_this_machine: bool
    tls_version: str | None
    is_checked: bool


def get_encryption(db: Connection) -> Encryption:
    """How this connection is protected."""
    info = db.connection.driver_connection.info  # type: ignore[union-attr]
    # Includes what is set by environment variables such as PGSSLMODE.
    mode = info.get_parameters().get("sslmode", "prefer")
    version = db.execute(_TLS).scalar_one_or_none()
    return Encryption(info.host, _is_here(info.host, info.hostaddr), version, mode in _CHECKED)


def _is_here(host: str, address: str) -> bool:
    """Whether this is a socket file or a loopback address.

    >>> _is_here("/run/postgresql", ""), _is_here("localhost", "127.0.0.1"), _is_here("db.example.org", "192.0.2.7")
    (True, True, False)
    """
    if not host or host.startswith(("/", "@")):
        return True
    try:
        return ip_address(address or host).is_loopback
    except ValueError:
        return host == "localhost"
