"""Create the demo study in a separate process, which keeps the memory for reading a study out of the web process.

The process starts reading while the database starts, and its simulated raters continue while the first page is served.
"""

import subprocess
import sys

from app.cli.output import fail

# The line that the process prints once the study is open.
OPEN = "open"


class DemoMaker:
    """The process that creates the demo study."""

    def __init__(self) -> None:
        """Start the process; it reads the study and waits for the address of a database."""
        self._process = subprocess.Popen(
            [sys.executable, "-m", "app", "make-demo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def make(self, database_url: str) -> None:
        """Send the address of the database, and wait until the study is open."""
        assert self._process.stdin is not None  # noqa: S101 - both are pipes
        assert self._process.stdout is not None  # noqa: S101
        self._process.stdin.write(f"{database_url}\n")
        self._process.stdin.flush()
        if self._process.stdout.readline().strip() != OPEN:
            fail("The demo study could not be created. See the error above.")

    def stop(self) -> None:
        """Stop the process at any point; it stores each simulated rater completely or not at all."""
        self._process.terminate()
        self._process.communicate()
