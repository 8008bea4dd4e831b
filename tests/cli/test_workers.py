"""`attune serve` with several processes: connections are answered or refused, whatever dies and whoever comes."""

import os
import re
import shutil
import signal
import socket
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from sqlalchemy import Engine

from tests.kit.processes import IN_PROC, all_end, workers_of
from tests.kit.serving import serving

pytestmark = pytest.mark.skipif(not IN_PROC, reason="finds the workers in /proc")
HEALTH = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
# One process answers in milliseconds; a new one takes seconds to start, and longer on a busy machine.
AT_ONCE_S, START_S = 3.0, 120.0


def ask(address: str, timeout_s: float = AT_ONCE_S) -> bytes:
    """The first bytes of an answer; empty if the connection is refused."""
    host, port = re.findall(r"http://(.*):(\d+)", address)[0]
    try:
        with closing(socket.create_connection((host, int(port)), timeout=timeout_s)) as connection:
            connection.sendall(HEALTH)
            return connection.recv(15)
    except ConnectionError:
        return b""


def until_answered(address: str) -> int:
    """Ask until there is an answer; returns how often the connection was refused. None may wait without either."""
    n_refused, end = 0, time.monotonic() + START_S
    while ask(address) != b"HTTP/1.1 200 OK":
        assert time.monotonic() < end
        n_refused += 1
        time.sleep(0.05)
    return n_refused


@pytest.mark.slow
def test_without_processes_connections_are_refused_until_new_ones_have_started(engine: Engine, tmp_path: Path) -> None:
    with serving(engine, tmp_path / "log", workers=2) as (address, pid):
        assert ask(address, START_S) == b"HTTP/1.1 200 OK"
        killed = workers_of(pid)
        for worker in killed:
            os.kill(worker, signal.SIGKILL)
        assert all_end(killed)
        assert until_answered(address) > 0
        workers = workers_of(pid)
        os.kill(pid, signal.SIGTERM)
        assert all_end([pid, *workers])
    assert "Stopped." in (tmp_path / "log").read_text()


@pytest.mark.slow
def test_process_that_hangs_is_replaced(engine: Engine, tmp_path: Path) -> None:
    with serving(engine, tmp_path / "log", workers=1 + 1) as (address, pid):
        assert ask(address, START_S) == b"HTTP/1.1 200 OK"
        stopped = workers_of(pid)
        for worker in stopped:
            os.kill(worker, signal.SIGSTOP)
        assert all_end(stopped)
        assert until_answered(address) > 0


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="sets the limits with prlimit")
@pytest.mark.parametrize("limits", ["64:2048", pytest.param("512:512", marks=pytest.mark.slow)])
@pytest.mark.slow
def test_a_thousand_idle_connections_leave_room_for_others(engine: Engine, tmp_path: Path, limits: str) -> None:
    with serving(engine, tmp_path / "log", 1, "prlimit", f"--nofile={limits}") as (address, _), ExitStack() as stack:
        assert ask(address, START_S) == b"HTTP/1.1 200 OK"
        host, port = re.findall(r"http://(.*):(\d+)", address)[0]
        for _ in range(1000):
            stack.enter_context(closing(socket.create_connection((host, int(port)), timeout=AT_ONCE_S)))
        assert ask(address) == b"HTTP/1.1 200 OK"
        assert "idle connections from one address" in (tmp_path / "log").read_text()
