"""Two `attune serve` with two workers each on one embedded database, and all the ways to kill parts of them."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import psycopg

from app.base.postgres.postmaster import proven_pid
from benchmarks import fault_clock
from benchmarks.fault_disk import empty, fill
from tests.kit.embedded_processes import keepers, server_processes
from tests.kit.postgres_fixture import libpq_url
from tests.kit.processes import workers_of

N_WORKERS = 2
DISK_FULL = "disk full"
# How long there is no space: long enough for raters to be refused, and for a crash of the database.
FULL_SECONDS = 3.0


class Server:
    """One `attune serve`, restarted on the same port when it exits, as by a service manager."""

    def __init__(self, data_dir: Path, log: Path) -> None:
        """Start the server on a free port."""
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self._data_dir, self._log = data_dir, log
        # A host that stays away is not started again until it is back.
        self.is_away = False
        self._process = self._start()

    @property
    def address(self) -> str:
        """Base URL for raters."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """Process ID of the parent process."""
        return self._process.pid

    def ensure(self) -> None:
        """Restart the server if it has exited, including exits because former workers still held the port."""
        if self._process.poll() is not None and not self.is_away:
            self._process = self._start()

    def stop(self) -> None:
        """Terminate the server and wait for it to exit."""
        self._process.terminate()
        self._process.wait(timeout=300)

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "app", "serve", "--port", str(self.port), "--workers", str(N_WORKERS)]
        environment = {name: value for name, value in os.environ.items() if name != "DATABASE_URL"}
        with self._log.open("ab") as said:
            return subprocess.Popen(
                command, env=environment | {"ATTUNE_DATA_DIR": str(self._data_dir)}, stdout=said, stderr=said
            )


class Killer:
    """Kills parts of the servers; each method is named after what it kills."""

    def __init__(
        self,
        data_dir: Path,
        url: str,
        servers: Sequence[Server],
        cut: Callable[[], None],
        others: Mapping[str, Callable[[], None]],
    ) -> None:
        """`cut` breaks the connections of all raters, `others` kill what is not part of the servers.

        The disk can be filled if it is a small one.
        """
        self._data_dir, self._url, self._servers, self._cut = data_dir, url, servers, cut
        self._others = others
        self._rng = random.Random(1)  # noqa: S311 - chooses what to kill

    def kill(self, kind: str) -> None:
        """Kill one part of this kind."""
        if kind in self._others:
            self._others[kind]()
        else:
            self.KINDS[kind](self)

    def _worker(self) -> None:
        server = self._rng.choice(self._servers)
        self._kill_one(lambda: workers_of(server.pid))

    def _workers(self) -> None:
        for pid in workers_of(self._rng.choice(self._servers).pid):
            _kill(pid)

    def _backend(self) -> None:
        def named() -> list[int]:
            mine = server_processes(self._data_dir)
            return [process.pid for process in mine if process.command[0].startswith("postgres: attune")]

        self._kill_one(named)

    def _kill_one(self, find: Callable[[], list[int]], seconds: float = 300.0) -> None:
        """Kill one of the processes found, waiting for one if all are being restarted."""
        end = time.monotonic() + seconds
        while not (found := find()):
            assert time.monotonic() < end, "there was nothing to kill"
            time.sleep(0.05)
        _kill(self._rng.choice(found))

    def _postmaster(self) -> None:
        if pid := proven_pid(self._data_dir / "postgres" / "pgdata"):
            _kill(pid)

    def _keeper(self) -> None:
        for keeper in keepers(self._data_dir):
            _kill(keeper.pid)

    def _keeper_and_postmaster(self) -> None:
        self._keeper()
        self._postmaster()

    def _parent(self) -> None:
        _kill(self._rng.choice(self._servers).pid)

    def _everything(self) -> None:
        for server in self._servers:
            _kill(server.pid)
        self._keeper()
        for process in server_processes(self._data_dir):
            _kill(process.pid)

    def _database_connections(self) -> None:
        with suppress(psycopg.OperationalError), psycopg.connect(libpq_url(self._url), autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
            )

    def _browser_connections(self) -> None:
        self._cut()

    def _host(self) -> None:
        """Kill one server with all its processes; it stays away until every rater has gone on at the other one."""
        server = self._rng.choice(self._servers)
        server.is_away = True
        for pid in (server.pid, *workers_of(server.pid)):
            _kill(pid)

    def _disk_full(self) -> None:
        fill(self._data_dir.parent)
        time.sleep(FULL_SECONDS)
        empty(self._data_dir.parent)

    def _clock(self) -> None:
        """Set the clock of the database ahead or back; it stays there until it is set again."""
        with suppress(psycopg.OperationalError), psycopg.connect(libpq_url(self._url), autocommit=True) as connection:
            connection.execute(fault_clock.SET, [self._rng.choice(fault_clock.HOURS)])

    KINDS: ClassVar[dict[str, Callable[[Killer], None]]] = {
        "worker": _worker,
        "workers": _workers,
        "postmaster": _postmaster,
        "keeper": _keeper,
        "parent": _parent,
        "backend": _backend,
        "keeper and postmaster": _keeper_and_postmaster,
        "everything": _everything,
        "database connections": _database_connections,
        "browser connections": _browser_connections,
        "host": _host,
        "clock": _clock,
        DISK_FULL: _disk_full,
    }


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def wait_until_up(servers: Sequence[Server], seconds: float = 300.0) -> None:
    """Wait until every server accepts connections."""
    end = time.monotonic() + seconds
    for server in servers:
        while True:
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", server.port), timeout=5).close()
                break
            assert time.monotonic() < end, "a server did not start"
            time.sleep(0.1)
