"""The address of the database: validation of DATABASE_URL, and the reason if a database cannot be reached.

No message of this module contains a password.
"""

from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import ip_address

from sqlalchemy import URL, Connection, Engine, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError

EXPECTED = "Expected: postgresql://USER:PASSWORD@HOST:PORT/DATABASE."


class DatabaseAddressError(ValueError):
    """DATABASE_URL is not the address of a PostgreSQL database; the message says what is expected."""


class DatabaseUnreachableError(Exception):
    """The database does not respond or refuses the connection; the message gives the reason."""


def parse_address(named: str) -> str:
    """Convert DATABASE_URL to SQLAlchemy's format.

    Args:
        named: any `postgres://` or `postgresql://` address.

    Raises:
        DatabaseAddressError: the address is not valid.

    >>> parse_address("postgres://me:secret@db.example.org/studies")
    'postgresql+psycopg://me:secret@db.example.org/studies'
    """
    try:
        url = make_url(named.strip().replace("postgres://", "postgresql://", 1))
    except (ArgumentError, ValueError):
        raise DatabaseAddressError(f"DATABASE_URL is not a database address. {EXPECTED}") from None
    if url.get_backend_name() != "postgresql":
        raise DatabaseAddressError(f"DATABASE_URL does not name a PostgreSQL database. {EXPECTED}")
    if any("@" in part for part in (url.host or "", url.database or "")):
        raise DatabaseAddressError(
            f"DATABASE_URL has more than one @. {EXPECTED} Write an @ in a password as %40 and a / as %2F."
        )
    return url.set(drivername="postgresql+psycopg").render_as_string(hide_password=False)


def reach(engine: Engine) -> None:
    """Connect once.

    Raises:
        DatabaseUnreachableError: the server does not respond or refuses the connection.
    """
    try:
        with engine.connect():
            pass
    except DBAPIError as error:
        raise DatabaseUnreachableError(why_unreachable(engine.url, error)) from None


def why_unreachable(url: URL, error: DBAPIError) -> str:
    """The reason for a failed connection, as one sentence."""
    lines = str(error.orig).strip().splitlines() or ["no reason given"]
    reason = lines[0].rpartition("failed: ")[2].removeprefix("FATAL:").strip().rstrip(".")
    port = f", port {url.port}" if url.port else ""
    where = f" on {url.host}{port}" if url.host else ""
    return f"The database{where} cannot be reached: {reason}."


# Whether the connection to the database is encrypted, and to whom.

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


# Timeouts for a network that has stopped responding.
#
# Without these limits, a connection whose packets are dropped is noticed after a quarter of an hour by this machine,
# and after two hours by the server, which keeps its locks until then. Sockets on this machine ignore them.

# For opening a connection, and for getting one from the pool.
CONNECT_S = 5
# For packets that the other side does not acknowledge; an idle connection is asked after IDLE_S, every INTERVAL_S.
SILENCE_S, IDLE_S, INTERVAL_S = 10, 4, 2
_N_PROBES = (SILENCE_S - IDLE_S) // INTERVAL_S
# Parameters of libpq.
CLIENT_TIMEOUTS = {
    "connect_timeout": CONNECT_S,
    "keepalives_idle": IDLE_S,
    "keepalives_interval": INTERVAL_S,
    "keepalives_count": _N_PROBES,
    "tcp_user_timeout": SILENCE_S * 1000,
}
# Settings of the session, for the side of the server.
SERVER_TIMEOUTS = (
    f"-c tcp_keepalives_idle={IDLE_S} -c tcp_keepalives_interval={INTERVAL_S} -c tcp_keepalives_count={_N_PROBES}"
    f" -c tcp_user_timeout={SILENCE_S}s"
)


def client_timeouts(given: Collection[str]) -> dict[str, int]:
    """The parameters, without those that the address of the database already has."""
    return {name: value for name, value in CLIENT_TIMEOUTS.items() if name not in given}
