"""Processes that outlive the one that started them: the server and its keeper."""

from __future__ import annotations

import atexit
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

_started: list[subprocess.Popen[bytes]] = []


def let_live(process: subprocess.Popen[bytes]) -> None:
    """Keep a reference to a process that continues when this one ends."""
    _started.append(process)


def reap() -> None:
    """Collect processes that have ended, so that their process IDs are released."""
    _started[:] = [process for process in _started if process.poll() is None]


@atexit.register
def _part() -> None:
    reap()
    for process in _started:
        process.returncode = 0  # otherwise Python warns that they are still running, which is intended
