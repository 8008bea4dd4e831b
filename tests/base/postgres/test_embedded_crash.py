"""After a crash: all acknowledged commits exist, stale files do no harm, and no unrelated process is signalled."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from app.base.postgres import EmbeddedError, EmbeddedPostgres
from app.base.postgres.postmaster import is_postmaster, proven_pid
from tests.kit.embedded_processes import (
    ask,
    finish,
    innocent,
    kill,
    kill_everything,
    processes,
    program,
    server_processes,
)
from tests.kit.postgres_fixture import folder_in_memory, libpq_url, reachable_folder
from tests.kit.waiting import eventually

WRITE = """
import sys
from pathlib import Path
import psycopg
from app.base.postgres import EmbeddedPostgres
url = EmbeddedPostgres(Path(sys.argv[1])).start().replace("+psycopg", "")
with psycopg.connect(url, autocommit=True) as connection:
    connection.execute("CREATE TABLE written (value bigint PRIMARY KEY)")
    value = 0
    while True:
        value += 1
        connection.execute("INSERT INTO written VALUES (%s)", (value,))
        print(value, flush=True)
"""

START = """
import sys
from pathlib import Path
from app.base.postgres import EmbeddedPostgres
EmbeddedPostgres(Path(sys.argv[1]), durable=False).start()
"""


@pytest.fixture(autouse=True)
def _no_help(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable the keeper watch of the test process: after a power failure, nothing would restart the keeper."""
    monkeypatch.setattr("app.base.postgres.server.WATCH_SECONDS", 3600.0)


@pytest.fixture
def bystander(made_dir: Path) -> Iterator[subprocess.Popen[bytes]]:
    process = innocent(made_dir)
    yield process
    assert process.poll() is None, "an innocent process was signalled"
    process.kill()
    process.wait()


def crash(made_dir: Path) -> Path:
    """The path of the `postmaster.pid` left behind in a folder whose server was killed."""
    server = EmbeddedPostgres(made_dir, durable=False)
    server.start()
    kill_everything(made_dir)
    server.stop()
    stale = made_dir / "postgres" / "pgdata" / "postmaster.pid"
    assert stale.exists()
    return stale


def point_at(stale: Path, pid: int) -> None:
    """Let a stale `postmaster.pid` contain this process ID, as if the ID had been reused."""
    lines = stale.read_text().splitlines(keepends=True)
    stale.write_text("".join([f"{pid}\n", *lines[1:]]))


def test_acknowledged_commits_survive_kill_of_all_processes(made_dir: Path) -> None:
    writer = program(WRITE, made_dir)
    assert writer.stdout is not None
    acknowledged = [int(writer.stdout.readline()) for _ in range(300)]
    kill_everything(made_dir)
    acknowledged += [int(line) for line in writer.communicate(timeout=60)[0].split()]
    server = EmbeddedPostgres(made_dir)
    url = server.start()
    n_rows, last = ask(url, "SELECT count(*) FROM written"), ask(url, "SELECT max(value) FROM written")
    server.stop()
    assert isinstance(last, int)
    assert n_rows == last
    assert acknowledged[-1] <= last <= acknowledged[-1] + 1


@pytest.mark.slow
def test_stale_pid_file_of_ended_process_is_ignored(made_dir: Path) -> None:
    crash(made_dir)
    server = EmbeddedPostgres(made_dir, durable=False)
    assert not server.is_running()
    assert ask(server.start(), "SELECT 1") == 1
    server.stop()


@pytest.mark.slow
def test_stale_pid_file_naming_unrelated_process_is_ignored(made_dir: Path, bystander: subprocess.Popen[bytes]) -> None:
    point_at(crash(made_dir), bystander.pid)
    server = EmbeddedPostgres(made_dir, durable=False)
    assert not server.is_running()
    assert ask(server.start(), "SELECT 1") == 1
    server.stop()
    eventually(lambda: server_processes(made_dir) == [])


@pytest.mark.slow
def test_socket_lock_naming_unrelated_process_is_ignored(made_dir: Path, bystander: subprocess.Popen[bytes]) -> None:
    crash(made_dir)
    point_at(made_dir / "postgres" / "run" / ".s.PGSQL.5432.lock", bystander.pid)
    server = EmbeddedPostgres(made_dir, durable=False)
    assert ask(server.start(), "SELECT 1") == 1
    server.stop()


def test_stop_signals_no_unrelated_process(made_dir: Path, bystander: subprocess.Popen[bytes]) -> None:
    server = EmbeddedPostgres(made_dir, durable=False)
    server.start()
    kill_everything(made_dir)
    point_at(made_dir / "postgres" / "pgdata" / "postmaster.pid", bystander.pid)
    server.stop()
    assert bystander.poll() is None


@pytest.mark.slow
def test_server_of_another_folder_is_left_running(made_dir: Path, postgres: EmbeddedPostgres) -> None:
    other = proven_pid(postgres._cluster)
    assert other is not None
    point_at(crash(made_dir), other)
    assert not is_postmaster(other, made_dir / "postgres" / "pgdata")
    server = EmbeddedPostgres(made_dir, durable=False)
    assert ask(server.start(), "SELECT 1") == 1
    server.stop()
    assert postgres.is_running()


@pytest.mark.slow
def test_server_starts_once_orphaned_sessions_have_ended(made_dir: Path) -> None:
    server = EmbeddedPostgres(made_dir, durable=False)
    url = server.start()
    busy = program(
        "import sys, psycopg\n"
        "with psycopg.connect(sys.argv[1]) as connection:\n"
        "    connection.execute('SET max_parallel_workers_per_gather = 0')\n"
        "    connection.execute('SELECT count(*) FROM generate_series(1, 20000000)')\n",
        libpq_url(url),
    )
    eventually(lambda: ask(url, "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%20000000%'") == 2)
    pid = proven_pid(made_dir / "postgres" / "pgdata")
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    begun = time.monotonic()
    assert ask(server.start(), "SELECT 1") == 1
    assert time.monotonic() - begun < 60
    server.stop()
    busy.communicate(timeout=60)


@pytest.mark.slow
def test_interrupted_initdb_is_repaired_at_next_start(data_dir: Path) -> None:
    process = program(START, data_dir)
    home = data_dir / "postgres"
    eventually(lambda: any(home.glob("new-*/pgdata/base/1/*")))
    kill(process)
    assert not (home / "pgdata").exists()
    server = EmbeddedPostgres(data_dir, durable=False)
    assert ask(server.start(), "SELECT 1") == 1
    server.stop()
    server.start()
    server.stop()
    assert list(home.glob("new-*")) == []


def test_failed_initdb_gives_reason_and_leaves_nothing(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.base.postgres.cluster.SUPERUSER", "pg_not_allowed")
    with pytest.raises(EmbeddedError, match=r"could not be made .*pg_not_allowed"):
        EmbeddedPostgres(data_dir, durable=False).start()
    home = data_dir / "postgres"
    assert not (home / "pgdata").exists()
    assert list(home.glob("new-*")) == []


@pytest.mark.slow
def test_damaged_database_is_reported_with_server_message(made_dir: Path) -> None:
    server = EmbeddedPostgres(made_dir, durable=False)
    server.start()
    server.stop()
    (made_dir / "postgres" / "pgdata" / "global" / "pg_control").unlink()
    with pytest.raises(EmbeddedError, match=r"did not start: .*pg_control"):
        server.start()
    eventually(lambda: not any(str(made_dir / "postgres") in process.command for process in processes()))


@pytest.mark.slow
def test_wrong_password_file_is_reported_immediately(made_dir: Path) -> None:
    server = EmbeddedPostgres(made_dir, durable=False)
    server.start()
    server.stop()
    (made_dir / "postgres" / "password").write_text("another")
    with pytest.raises(EmbeddedError, match="does not accept its own password file"):
        server.start()
    (made_dir / "postgres" / "password").unlink()
    with pytest.raises(EmbeddedError, match="cannot be read"):
        server.start()
    eventually(lambda: server_processes(made_dir) == [])


@pytest.mark.slow
def test_oversized_log_is_cleared_at_start(made_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    server = EmbeddedPostgres(made_dir, durable=False)
    server.start()
    server.stop()
    log = made_dir / "postgres" / "postgres.log"
    assert "database system is ready" in log.read_text()
    log.write_text("old words " * 1000)
    monkeypatch.setattr("app.base.postgres.postmaster.MAX_LOG", 5000)
    server.start()
    server.stop()
    assert "old words" not in log.read_text()


@pytest.mark.slow
def test_two_folders_have_two_servers(made_dir: Path) -> None:
    with reachable_folder(folder_in_memory()) as other_dir:
        one, other = EmbeddedPostgres(made_dir, durable=False), EmbeddedPostgres(other_dir, durable=False)
        with psycopg.connect(libpq_url(one.start())) as connection:
            connection.execute("CREATE TABLE only_here ()")
        with pytest.raises(psycopg.errors.UndefinedTable):
            ask(other.start(), "SELECT 1 FROM only_here")
        one.stop()
        assert other.is_running()
        other.stop()


def test_ended_program_leaves_no_server_process(made_dir: Path) -> None:
    finish(program(START, made_dir))
    eventually(lambda: server_processes(made_dir) == [])
