"""What we ask a running server: is it the one of these files, is it safe, is there a database."""

from __future__ import annotations

from typing import TYPE_CHECKING, LiteralString

from app.postgres.cluster import SUPERUSER
from app.postgres.errors import EmbeddedError
from app.postgres.filesystem.sockets import PORT

if TYPE_CHECKING:
    from pathlib import Path

    import psycopg


class Client:
    """Connections of the superuser to the server of `cluster` by the socket in `folder`."""

    def __init__(self, folder: Path, password: str, cluster: Path) -> None:
        self._folder = folder
        self._password = password
        self._cluster = cluster

    def url(self, database: str) -> str:
        """An address for SQLAlchemy; the port stands in it so that PGPORT in the environment does not change it."""
        from sqlalchemy import URL

        query = {"host": str(self._folder), "port": PORT}
        address = URL.create("postgresql+psycopg", SUPERUSER, self._password, database=database, query=query)
        place, mark, options = address.render_as_string(hide_password=False).partition("?")
        return place + mark + options.replace("+", "%20")  # SQLAlchemy takes both for a space, psql only this one

    def answers(self) -> bool:
        """Does the server answer, and is it the one of these files?

        Raises:
            EmbeddedError: it refuses our password, or works on other files.
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
        """Refuse to trust studies to a server that a test started without safety.

        Raises:
            EmbeddedError: safety is asked for, and the running server has none.
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
