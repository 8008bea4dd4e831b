"""`attune serve` and other applications as processes of their own, for benchmarks, and what they cost."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Served:
    """An application that answers at an address, and the process that it is, or that started its workers."""

    address: str
    pid: int


@contextmanager
def attune(url: str, workers: int = 2) -> Iterator[str]:
    """Serve the database of `url` on a free port; the address."""
    with attune_process(url, workers) as served:
        yield served.address


@contextmanager
def attune_process(url: str, workers: int = 2) -> Iterator[Served]:
    """As `attune`, with its process."""
    command = [sys.executable, "-m", "app", "serve", "--port", "0", "--workers", str(workers)]
    environment = {**os.environ, "DATABASE_URL": url}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        said = next((part for row in process.stderr for part in row.split() if part.startswith("http://")), "")
        yield Served(said, process.pid)
        process.terminate()


@contextmanager
def application(target: str, url: str, workers: int = 2) -> Iterator[Served]:
    """Serve an ASGI application by uvicorn on a free port."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", target, "--workers", str(workers), "--port", str(port)]
    quiet = ["--lifespan", "off", "--no-access-log", "--log-level", "warning"]
    with subprocess.Popen([*command, *quiet], env={**os.environ, "DATABASE_URL": url}) as process:
        wait_for(port)
        yield Served(f"http://127.0.0.1:{port}", process.pid)
        process.terminate()


def free_port() -> int:
    """A port that nothing listens at."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def wait_for(port: int, seconds: float = 20) -> None:
    """Return when something answers at the port.

    Raises:
        TimeoutError: nothing does.
    """
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("the server did not start")


def processes_below(pid: int) -> list[int]:
    """A process and all that it started, and these in turn."""
    parents = {int(path.name): _stat(path)[1] for path in Path("/proc").glob("[0-9]*") if (path / "stat").exists()}
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found


def parent_of(pid: int) -> int:
    """The process that started another."""
    return _stat(Path(f"/proc/{pid}"))[1]


def processor_s(pid: int) -> float:
    """Processor seconds of a process and all that it started, those that have ended included."""
    ticks = 0
    for one in processes_below(pid):
        fields = _stat(Path(f"/proc/{one}"))
        # of the process itself, and of its children that have ended: those that live are counted by themselves
        ticks += sum(fields[11:15])
    return ticks / TICKS_PER_S


def memory_mb(pid: int) -> list[float]:
    """Proportional memory of every process below one that holds more than a few MB."""
    found = []
    for one in processes_below(pid):
        path = Path(f"/proc/{one}/smaps_rollup")
        rows = path.read_text().splitlines() if path.exists() else []
        found += [int(row.split()[1]) / 1024 for row in rows if row.startswith("Pss:")]
    return sorted(found, reverse=True)


def _stat(path: Path) -> list[int]:
    """The numbers of /proc/PID/stat from its state on; zeros where the process has gone."""
    try:
        fields = (path / "stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return [0] * 20
    return [0, *map(int, fields[1:])]
