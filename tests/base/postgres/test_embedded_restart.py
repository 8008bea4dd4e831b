"""A server that is killed or silent while in use is restarted automatically, whichever other processes are killed."""

import os
import signal
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import psycopg
import pytest

from app.base.postgres import EmbeddedPostgres
from app.base.postgres.postmaster import proven_pid
from app.base.postgres.sockets import SOCKET
from tests.kit.embedded_processes import ask, finish, holder, keepers, kill, server_processes
from tests.kit.postgres_fixture import libpq_url
from tests.kit.waiting import eventually

pytestmark = pytest.mark.slow

# Five seconds without an answer, ten more for one that does not react, and the restart, on a busy machine.
SILENT_SECONDS = 40.0


def signal_server(data_dir: Path, number: signal.Signals) -> int:
    """Send a signal to the server's main process; returns its process ID."""
    pid = proven_pid(data_dir / "postgres" / "pgdata")
    assert pid is not None
    os.kill(pid, number)
    return pid


def kill_postmaster(data_dir: Path) -> int:
    """Kill the server's main process; returns its process ID."""
    return signal_server(data_dir, signal.SIGKILL)


def kill_keeper(data_dir: Path) -> int:
    """Kill the keeper; returns its process ID."""
    (keeper,) = keepers(data_dir)
    os.kill(keeper.pid, signal.SIGKILL)
    return keeper.pid


def comes_back(data_dir: Path, url: str, killed: int, seconds: float = 60.0) -> None:
    """Wait for a new server of the same files, without any action by its users."""

    def is_back() -> bool:
        try:
            return proven_pid(data_dir / "postgres" / "pgdata") not in {None, killed} and ask(url, "SELECT 1") == 1
        except psycopg.OperationalError:
            return False

    eventually(is_back, seconds)


def url_of(data_dir: Path) -> str:
    """The address of the running database."""
    server = EmbeddedPostgres(data_dir, durable=False)
    url = server.start()
    server.stop()
    return url


def test_killed_server_restarts_with_committed_data(made_dir: Path) -> None:
    server = EmbeddedPostgres(made_dir)
    url = server.start()
    with psycopg.connect(libpq_url(url), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (value int)")
    for _ in range(3):
        ask(url, "INSERT INTO kept VALUES (1) RETURNING value")
        comes_back(made_dir, url, kill_postmaster(made_dir))
    assert ask(url, "SELECT count(*) FROM kept") == 3
    assert ask(url, "SHOW fsync") == "on"
    assert len(keepers(made_dir)) == 1
    server.stop()
    eventually(lambda: server_processes(made_dir) == [])


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGSTOP], ids=lambda number: number.name)
def test_server_that_was_told_to_stop_restarts_despite_idle_sessions(made_dir: Path, number: signal.Signals) -> None:
    """After SIGTERM, PostgreSQL refuses new sessions and waits for those that there are, which pools keep open."""
    server = EmbeddedPostgres(made_dir, durable=False)
    url = server.start()
    with psycopg.connect(libpq_url(url)):
        told = signal_server(made_dir, number)
        comes_back(made_dir, url, told, seconds=SILENT_SECONDS)
    server.stop()
    eventually(lambda: server_processes(made_dir) == [])


def test_server_whose_socket_file_was_removed_restarts(made_dir: Path) -> None:
    server = EmbeddedPostgres(made_dir, durable=False)
    url = server.start()
    unreachable = proven_pid(made_dir / "postgres" / "pgdata")
    assert unreachable is not None
    (made_dir / "postgres" / "run" / SOCKET).unlink()
    comes_back(made_dir, url, unreachable, seconds=SILENT_SECONDS)
    server.stop()


def test_start_of_another_program_does_not_wait_for_a_server_that_waits_for_idle_sessions(
    made_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.base.postgres.server.WATCH_SECONDS", 3600.0)
    first, second = (EmbeddedPostgres(made_dir, durable=False) for _ in range(2))
    with psycopg.connect(libpq_url(first.start())):
        told = signal_server(made_dir, signal.SIGTERM)
        kill_keeper(made_dir)
        begun = time.monotonic()
        assert ask(second.start(), "SELECT 1") == 1
    assert time.monotonic() - begun < SILENT_SECONDS
    assert proven_pid(made_dir / "postgres" / "pgdata") != told
    second.stop()
    first.stop()


def test_server_without_a_free_connection_is_left_running(made_dir: Path) -> None:
    user = holder(made_dir)
    url = url_of(made_dir)
    pid = proven_pid(made_dir / "postgres" / "pgdata")
    with ExitStack() as stack:
        with suppress(psycopg.OperationalError):
            while True:
                stack.enter_context(psycopg.connect(libpq_url(url)))
        time.sleep(8)
        assert proven_pid(made_dir / "postgres" / "pgdata") == pid
    finish(user)


def test_killed_keeper_is_replaced_and_restarts_server(made_dir: Path) -> None:
    user = holder(made_dir)
    url = url_of(made_dir)
    killed = kill_keeper(made_dir)
    eventually(lambda: [keeper.pid for keeper in keepers(made_dir)] not in ([], [killed]))
    comes_back(made_dir, url, kill_postmaster(made_dir))
    finish(user)
    eventually(lambda: not keepers(made_dir))


def test_server_and_keeper_recover_when_killed_together(made_dir: Path) -> None:
    user = holder(made_dir)
    url = url_of(made_dir)
    kill_keeper(made_dir)
    comes_back(made_dir, url, kill_postmaster(made_dir))
    eventually(lambda: len(keepers(made_dir)) == 1)
    finish(user)
    eventually(lambda: server_processes(made_dir) == [])


def test_killing_server_keeper_and_parent_leaves_one_server(
    made_dir: Path,
) -> None:
    parent, *others = [holder(made_dir) for _ in range(4)]
    url = url_of(made_dir)
    kill_keeper(made_dir)
    killed = kill_postmaster(made_dir)
    kill(parent)
    comes_back(made_dir, url, killed)
    eventually(lambda: len(keepers(made_dir)) == 1)
    for other in others:
        finish(other)
    eventually(lambda: server_processes(made_dir) == [])


def test_killed_server_without_programs_stays_down(made_dir: Path) -> None:
    user = holder(made_dir)
    kill_postmaster(made_dir)
    kill(user)
    eventually(lambda: not keepers(made_dir) and not server_processes(made_dir))


def test_failing_restart_is_retried_at_growing_intervals(made_dir: Path) -> None:
    user = holder(made_dir)
    control = made_dir / "postgres" / "pgdata" / "global" / "pg_control"
    moved = control.with_name("moved")
    control.rename(moved)
    log = made_dir / "postgres" / "postgres.log"
    n_before = log.read_text().count("pg_control")
    killed = kill_postmaster(made_dir)
    eventually(lambda: log.read_text().count("pg_control") >= n_before + 2)
    moved.rename(control)
    eventually(lambda: proven_pid(made_dir / "postgres" / "pgdata") not in {None, killed})
    finish(user)
    eventually(lambda: server_processes(made_dir) == [])
