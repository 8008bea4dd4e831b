"""Information from Linux about other processes."""

import time
from pathlib import Path

IN_PROC = Path("/proc/self/task").is_dir()


def workers_of(pid: int) -> list[int]:
    """Return the worker processes that a program started with multiprocessing, without its resource tracker."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in listed if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def is_running(pid: int) -> bool:
    """Return whether a process is running; zombies do not count."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # also when it ends between opening and reading the file
        return False


def all_end(pids: list[int], patience_s: float = 60) -> bool:
    """Return whether all processes end within this time."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        if not any(map(is_running, pids)):
            return True
        time.sleep(0.05)
    return False
