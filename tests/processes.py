"""What Linux says of processes that are not this test's own."""

from __future__ import annotations

import time
from pathlib import Path

IN_PROC = Path("/proc/self/task").is_dir()


def workers_of(pid: int) -> list[int]:
    """The processes that a program started by multiprocessing, without multiprocessing's own helper."""
    listed = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in listed if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def is_running(pid: int) -> bool:
    """Whether there is such a process; one that ended and that nobody has asked after counts as ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def all_end(pids: list[int], patience_s: float = 15) -> bool:
    """Whether all of them end in that time."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end:
        if not any(map(is_running, pids)):
            return True
        time.sleep(0.05)
    return False
