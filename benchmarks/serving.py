"""`attune serve` and other applications as separate processes for benchmarks, and their resource use."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Served:
    """The address of a running application, and its process (the parent if it has several workers)."""

    address: str
    pid: int


@contextmanager
def attune(url: str, workers: int = 2) -> Iterator[str]:
    """Serve the database at `url` on a free port; yield the address."""
    with attune_process(url, workers) as served:
        yield served.address


@contextmanager
def attune_process(url: str, workers: int = 2) -> Iterator[Served]:
    """As `attune`, but yield the process ID too."""
    command = [sys.executable, "-m", "app", "serve", "--port", "0", "--workers", str(workers)]
    # All raters of a benchmark come from one address.
    environment = {**os.environ, "DATABASE_URL": url, "ATTUNE_MAX_ARRIVALS_PER_MINUTE": "1000000"}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        said = next((part for row in process.stderr for part in row.split() if part.startswith("http://")), "")
        try:
            yield Served(said, process.pid)
        finally:
            process.terminate()


@contextmanager
def application(target: str, url: str, workers: int = 2) -> Iterator[Served]:
    """Serve an ASGI application with uvicorn on a free port."""
    port = free_port()
    command = [sys.executable, "-m", "uvicorn", target, "--workers", str(workers), "--port", str(port)]
    quiet = ["--lifespan", "off", "--no-access-log", "--log-level", "warning"]
    with subprocess.Popen([*command, *quiet], env={**os.environ, "DATABASE_URL": url}) as process:
        wait_for(port)
        yield Served(f"http://127.0.0.1:{port}", process.pid)
        process.terminate()


def free_port() -> int:
    """Return a free port."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


def wait_for(port: int, seconds: float = 20) -> None:
    """Return when the port accepts connections.

    Raises:
        TimeoutError: it does not within `seconds`.
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
    """Return the process IDs of a process and all its descendants."""
    parents = {int(path.name): _stat(path)[1] for path in Path("/proc").glob("[0-9]*") if (path / "stat").exists()}
    found = [pid]
    for one in found:
        found += [child for child, parent in parents.items() if parent == one]
    return found


def parent_of(pid: int) -> int:
    """Return the ID of the parent process."""
    return _stat(Path(f"/proc/{pid}"))[1]


def processor_s(pid: int) -> float:
    """Return processor seconds of a process and all its descendants, including those that have ended."""
    ticks = 0
    for one in processes_below(pid):
        fields = _stat(Path(f"/proc/{one}"))
        # own time and that of ended children; running children are counted separately
        ticks += sum(fields[11:15])
    return ticks / TICKS_PER_S


def memory_mb(pid: int) -> list[float]:
    """Return proportional memory in MB of a process and each of its descendants, largest first."""
    found = []
    for one in processes_below(pid):
        path = Path(f"/proc/{one}/smaps_rollup")
        rows = path.read_text().splitlines() if path.exists() else []
        found += [int(row.split()[1]) / 1024 for row in rows if row.startswith("Pss:")]
    return sorted(found, reverse=True)


def _stat(path: Path) -> list[int]:
    """Return the fields of /proc/PID/stat from the state on; zeros if the process has ended."""
    try:
        fields = (path / "stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return [0] * 20
    return [0, *map(int, fields[1:])]
