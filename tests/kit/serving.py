"""`attune serve` in a process of its own, on the database of a test."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine


@contextmanager
def serving(engine: Engine, log: Path, workers: int, *before: str) -> Iterator[tuple[str, int]]:
    """`attune serve` on the test's database; yields its address and process ID.

    Args:
        engine: the database.
        log: the file that it writes to.
        workers: number of processes.
        before: a command that starts it with other limits.
    """
    environment = {**os.environ, "DATABASE_URL": engine.url.render_as_string(hide_password=False)}
    command = [*before, sys.executable, "-m", "app", "serve", "--port", "0", "--workers", str(workers)]
    # Log to a file: a pipe that is not read would block the server once it is full.
    with log.open("w") as said, subprocess.Popen(command, env=environment, stderr=said) as process:
        while not (found := re.search(r"http://\S+", log.read_text())):
            assert process.poll() is None, log.read_text()
            time.sleep(0.05)
        try:
            yield found[0], process.pid
        finally:
            process.terminate()
