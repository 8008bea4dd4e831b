"""Queries to a running server: whether it serves our files, whether it is durable, and whether the database exists."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, LiteralString

from app.base.postgres.cluster import SUPERUSER
from app.base.postgres.errors import EmbeddedError
from app.base.postgres.sockets import PORT

if TYPE_CHECKING:
    import psycopg


class Client:
    """Superuser connections to the server of `cluster` through the socket in `folder`."""

    def __init__(self, folder: Path, password: str, cluster: Path) -> None:
        self._folder = folder
        self._password = password
        self._cluster = cluster

    def url(self, database: str) -> str:
        """The address for SQLAlchemy; it contains the port, so that PGPORT in the environment has no effect."""
        from sqlalchemy import URL

        query = {"host": str(self._folder), "port": PORT}
        address = URL.create("postgresql+psycopg", SUPERUSER, self._password, database=database, query=query)
        place, mark, options = address.render_as_string(hide_password=False).partition("?")
        return place + mark + options.replace("+", "%20")  # SQLAlchemy reads both as a space, psql only this one

    def answers(self) -> bool:
        """Whether the server responds; also verifies that it serves our files.

        Raises:
            EmbeddedError: it rejects our password, or serves other files.
        """
        import psycopg

        try:
            found = self._ask("SELECT current_setting('data_directory')")
        except psycopg.OperationalError as error:
            if "password authentication failed" in str(error):
                raise EmbeddedError(
                    f"The database in {self._cluster} does not accept its own password file."
                ) from error
            return False
        if found != str(self._cluster):
            raise EmbeddedError(f"The server at {self._folder} serves the files in {found}, not in {self._cluster}.")
        return True

    def check_durable(self, *, durable: bool) -> None:
        """Reject a server that a test started without durability.

        Raises:
            EmbeddedError: durability is required, and the running server does not provide it.
        """
        if durable and self._ask("SELECT current_setting('fsync')") != "on":
            raise EmbeddedError(
                f"The database in {self._cluster} was started by a test that does not keep its data safe."
            )

    def ensure_database(self, name: LiteralString) -> None:
        """Create the database if it is missing."""
        with self._connect() as connection:
            if not connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", (name,)).fetchone():
                connection.execute(f'CREATE DATABASE "{name}"')

    def _ask(self, query: LiteralString) -> object:
        with self._connect() as connection:
            row = connection.execute(query).fetchone()
        return row[0] if row else None

    def _connect(self) -> psycopg.Connection:
        import psycopg

        return psycopg.connect(
            host=str(self._folder),
            port=PORT,
            user=SUPERUSER,
            password=self._password,
            dbname="postgres",
            connect_timeout=5,
            autocommit=True,
        )
