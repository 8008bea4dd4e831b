"""Several programs use one folder at once; the last one to leave, in whatever way, stops the server."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from app.base.postgres import EmbeddedPostgres, keeper
from app.base.postgres.keeper import ensure_keeper
from app.base.postgres.private_files import USERS, alone, open_lock, try_alone
from tests.kit.embedded_processes import (
    ask,
    finish,
    holder,
    keepers,
    kill,
    kill_everything,
    program,
    server_processes,
)
from tests.kit.waiting import eventually

ARRIVE = """
import sys
from pathlib import Path
import psycopg
from app.base.postgres import EmbeddedPostgres
from app.base.postgres.keeper import ensure_keeper
sys.stdin.readline()
server = EmbeddedPostgres(Path(sys.argv[1]), durable=False)
url = server.start().replace("+psycopg", "")
with psycopg.connect(url) as connection:
    print(connection.execute("SELECT pg_postmaster_start_time()").fetchone())
sys.stdout.flush()
sys.stdin.read()
"""


def test_five_programs_starting_together_share_one_server(data_dir: Path) -> None:
    arriving = [program(ARRIVE, data_dir) for _ in range(5)]
    for process in arriving:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.stdout.readline() for process in arriving if process.stdout is not None]
    assert len(keepers(data_dir)) == 1
    for process in arriving:
        finish(process)
    assert len(said) == 5
    assert said[0].startswith("(datetime")
    assert set(said) == {said[0]}
    eventually(lambda: server_processes(data_dir) == [])


@pytest.mark.slow
def test_eight_threads_starting_together_share_one_server(made_dir: Path) -> None:
    servers = [EmbeddedPostgres(made_dir, durable=False) for _ in range(8)]
    urls: list[str] = []
    threads = [threading.Thread(target=lambda server=server: urls.append(server.start())) for server in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for server in servers[1:]:
        server.stop()
    assert len(set(urls)) == 1
    assert len(urls) == 8
    assert servers[0].is_running()
    servers[0].stop()
    assert not servers[0].is_running()


@pytest.mark.slow
def test_server_outlives_the_program_that_started_it(made_dir: Path) -> None:
    first = holder(made_dir)
    second = EmbeddedPostgres(made_dir, durable=False)
    url = second.start()
    finish(first)
    assert ask(url, "SELECT 1") == 1
    second.stop()
    eventually(lambda: server_processes(made_dir) == [])


def test_server_stops_when_last_program_ends(made_dir: Path) -> None:
    finish(holder(made_dir))
    eventually(lambda: server_processes(made_dir) == [])
    eventually(lambda: not keepers(made_dir))


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_server_stops_when_its_only_program_is_signalled(made_dir: Path, number: signal.Signals) -> None:
    process = holder(made_dir)
    assert len(server_processes(made_dir)) > 1
    kill(process, number)
    eventually(lambda: not server_processes(made_dir) and not keepers(made_dir))


@pytest.mark.slow
def test_session_signal_does_not_reach_server_or_keeper(made_dir: Path) -> None:
    server = EmbeddedPostgres(made_dir, durable=False)
    server.start()
    assert len({os.getsid(process.pid) for process in [*keepers(made_dir), *server_processes(made_dir)]}) > 1
    assert os.getsid(0) not in {os.getsid(process.pid) for process in keepers(made_dir)}
    server.stop()


@pytest.mark.slow
def test_killed_program_leaves_server_to_others(made_dir: Path) -> None:
    first = holder(made_dir)
    second = EmbeddedPostgres(made_dir, durable=False)
    url = second.start()
    kill(first)
    assert ask(url, "SELECT 1") == 1
    second.stop()
    eventually(lambda: server_processes(made_dir) == [])


@pytest.mark.slow
def test_orphaned_server_is_attached_to_and_stopped(made_dir: Path) -> None:
    process = holder(made_dir)
    os.kill(keepers(made_dir)[0].pid, signal.SIGKILL)
    kill(process)
    left = {process.pid for process in server_processes(made_dir)}
    server = EmbeddedPostgres(made_dir, durable=False)
    server.start()
    assert left & {process.pid for process in server_processes(made_dir)}
    assert len(keepers(made_dir)) == 1
    server.stop()
    eventually(lambda: server_processes(made_dir) == [])


def test_program_can_restart_a_killed_server(made_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.base.postgres.server.WATCH_SECONDS", 3600.0)
    server = EmbeddedPostgres(made_dir, durable=False)
    server.start()
    kill_everything(made_dir)
    assert not server.is_running()
    assert ask(server.start(), "SELECT 1") == 1
    assert len(keepers(made_dir)) == 1
    server.stop()


@pytest.mark.slow
def test_forked_child_does_not_stop_server_of_parent(made_dir: Path) -> None:
    code = """
import os, sys
from pathlib import Path
from app.base.postgres import EmbeddedPostgres
from app.base.postgres.keeper import ensure_keeper
server = EmbeddedPostgres(Path(sys.argv[1]), durable=False)
server.start()
child = os.fork()
if child == 0:
    server.stop()
    sys.exit(0)
os.waitpid(child, 0)
print(server.is_running())
"""
    assert finish(program(code, made_dir)) == "True\n"
    eventually(lambda: server_processes(made_dir) == [])


@pytest.mark.slow
def test_keeper_of_removed_folder_leaves_new_server_running(made_dir: Path) -> None:
    first = holder(made_dir)
    kept = keepers(made_dir)[0].pid
    (made_dir / "postgres").rename(made_dir / "old")
    second = EmbeddedPostgres(made_dir, durable=False)
    url = second.start()
    kill(first)
    eventually(lambda: kept not in {process.pid for process in keepers(made_dir)})
    assert ask(url, "SELECT 1") == 1
    second.stop()
    pid = int((made_dir / "old" / "pgdata" / "postmaster.pid").read_text().split()[0])
    os.kill(pid, signal.SIGKILL)  # read from the folder that this test has moved


@pytest.mark.slow
def test_last_user_frees_the_users_lock_first(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The keeper that gets `start.lock` next must see no user; it started the stopped server again."""
    users = open_lock(data_dir / USERS)
    seen: list[bool] = []

    @contextmanager
    def watched(start: int) -> Iterator[None]:
        with alone(start):
            yield
            seen.append(try_alone(users))

    monkeypatch.setattr(keeper, "alone", watched)
    keeper.leave(data_dir)
    os.close(users)
    assert seen == [True]


@pytest.mark.slow
def test_keeper_needs_only_the_standard_library() -> None:
    import subprocess

    from tests.kit.embedded_processes import CHECKOUT

    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import app.base.postgres.keeper; "
        "sys.exit(bool({'psycopg', 'sqlalchemy', 'platformdirs'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-I", "-S", "-B", "-c", code, str(CHECKOUT)], check=False).returncode == 0


@pytest.mark.slow
def test_late_keeper_creates_no_files(data_dir: Path) -> None:
    home = data_dir / "postgres"
    home.mkdir()
    ensure_keeper(home)
    (home / "keeper.lock").unlink()
    eventually(lambda: not keepers(data_dir))
    assert list(home.iterdir()) == []
