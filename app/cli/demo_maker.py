"""The demo study is made in a process of its own: reading a study is heavy, and the web process need not carry that.

It begins while the database starts, and its simulated raters rate on while the first page is served.
"""

from __future__ import annotations

import subprocess
import sys

from app.cli.output import fail

# what the process says once the study is open
OPEN = "open"


class DemoMaker:
    """The process that makes the demo study."""

    def __init__(self) -> None:
        """Start it; it reads the study and waits for a database."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "app", "make-demo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def make(self, database_url: str) -> None:
        """Give it the database, and wait until the study is open."""
        assert self._process.stdin is not None  # noqa: S101 - both were asked for
        assert self._process.stdout is not None  # noqa: S101
        self._process.stdin.write(f"{database_url}\n")
        self._process.stdin.flush()
        if self._process.stdout.readline().strip() != OPEN:
            fail("The demo study could not be made; the reason stands above.")

    def stop(self) -> None:
        """End it, wherever it is: each simulated rater is stored whole or not at all, and the next start goes on."""
        self._process.terminate()
        self._process.communicate()
