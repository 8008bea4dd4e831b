"""PostgreSQL servers over TCP with passwords, and streaming replicas of them.

The embedded programs are built without TLS; for it, those of the system are used where they are installed.
"""

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg

from app.base.postgres.account import Account, server_account
from app.base.postgres.binaries import server_binaries
from tests.kit.network_namespaces import NETWORK, within

PASSWORD = "of a test"
# A password for every connection, also for replication.
HBA = (
    "host all all 127.0.0.1/32 scram-sha-256\n"
    "host replication all 127.0.0.1/32 scram-sha-256\n"
    f"host all all {NETWORK}.0.0/16 scram-sha-256\n"
)
SETTINGS = ("fsync=off", "wal_level=replica")
IN_NAMESPACE = 5432


@dataclass(frozen=True)
class Server:
    """A running server."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes]
    address: str = "127.0.0.1"

    @property
    def url(self) -> str:
        """The address of its database, as DATABASE_URL."""
        return self.url_at(self.address)

    def url_at(self, address: str) -> str:
        """DATABASE_URL for a host that reaches this server at another address."""
        return f"postgresql://attune:{PASSWORD.replace(' ', '%20')}@{address}:{self.port}/postgres"

    def ask(self, query: str) -> object:
        """The first value of the result."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            found = connection.execute(query.encode())
            row = found.fetchone() if found.description else None
        return row[0] if row else None


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def programs(place: Path, binaries: Path | None = None) -> tuple[Account, Path]:
    account = server_account(place)
    return account, binaries or server_binaries(place, account)


def make_primary(place: Path, binaries: Path | None = None) -> Path:
    """Create the files of a primary server, by the embedded programs or by those in `binaries`."""
    account, binaries = programs(place, binaries)
    folder = place / "primary"
    place.chmod(0o777)
    (place / "password").write_text(PASSWORD)
    (place / "password").chmod(0o644)
    run(
        account,
        binaries / "initdb",
        "-D",
        folder,
        "-U",
        "attune",
        "--pwfile",
        place / "password",
        "--no-sync",
        "--auth",
        "scram-sha-256",
        "--encoding",
        "UTF8",
        "--locale",
        "C",
    )
    (folder / "pg_hba.conf").write_text(HBA)
    return folder


def copy_as_replica(place: Path, primary: Server) -> Path:
    """Make the files of a streaming replica by `pg_basebackup`, with the settings to follow the primary."""
    account, binaries = programs(place)
    folder = place / "replica"
    address = f"host=127.0.0.1 port={primary.port} user=attune password='{PASSWORD}'"
    run(
        account,
        binaries / "pg_basebackup",
        "-D",
        folder,
        "-d",
        address,
        "-R",
        "-X",
        "stream",
        "--checkpoint=fast",
        "--no-sync",
    )
    return folder


def run(account: Account, *command: str | Path) -> None:
    done = account.run(*command)
    assert done.returncode == 0, done.stdout


@contextmanager
def served(
    place: Path, folder: Path, binaries: Path | None = None, settings: tuple[str, ...] = SETTINGS
) -> Iterator[Server]:
    """Run the server of these files on a free port of 127.0.0.1; it is stopped at the end."""
    account, binaries = programs(place, binaries)
    port = free_port()
    command = [*_command(binaries, folder, port, settings), "-h", "127.0.0.1"]
    with _running(place, folder, command, account.popen_options()) as process:
        server = Server(folder, port, process)
        wait_for(server)
        yield server


@contextmanager
def served_in(namespace: str, place: Path, folder: Path, address: str) -> Iterator[Server]:
    """Run the server of these files in a network namespace, which the tests reach at this address."""
    account, binaries = programs(place)
    command = [*_command(binaries, folder, IN_NAMESPACE, SETTINGS), "-h", "*"]
    # Only root can enter the namespace, so the account is changed afterwards.
    options = account.popen_options()
    given = {name: value for name, value in options.items() if name not in {"user", "group", "extra_groups"}}
    change = ["setpriv", f"--reuid={account.uid}", f"--regid={account.gid}", "--clear-groups"]
    with _running(place, folder, [*within(namespace), *change, *command], given) as process:
        server = Server(folder, IN_NAMESPACE, process, address)
        wait_for(server)
        yield server


def _command(binaries: Path, folder: Path, port: int, settings: tuple[str, ...]) -> list[str]:
    options = [part for setting in settings for part in ("-c", setting)]
    return [str(binaries / "postgres"), "-D", str(folder), "-p", str(port), "-k", "", *options]


@contextmanager
def _running(
    place: Path, folder: Path, command: list[str], options: dict[str, object]
) -> Iterator[subprocess.Popen[bytes]]:
    with (place / f"{folder.name}.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, **options)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.kill() if process.poll() is None else None
        process.wait()


def wait_for(server: Server, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while True:
        try:
            server.ask("SELECT 1")
        except psycopg.OperationalError:
            assert server.process.poll() is None, "the server ended"
            assert time.monotonic() < end, "the server does not answer"
            time.sleep(0.05)
        else:
            return
