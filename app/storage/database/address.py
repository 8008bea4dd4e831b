"""The address of the database: validation of DATABASE_URL, and the reason if a database cannot be reached.

No message of this module contains a password.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

if TYPE_CHECKING:
    from sqlalchemy import URL, Engine

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
