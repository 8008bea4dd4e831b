"""`attune serve` as a process of its own, for benchmarks."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def attune(url: str, workers: int = 2) -> Iterator[str]:
    """Serve the database of `url` on a free port; the address."""
    command = [sys.executable, "-m", "app", "serve", "--port", "0", "--workers", str(workers)]
    environment = {**os.environ, "DATABASE_URL": url}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        said = next((part for row in process.stderr for part in row.split() if part.startswith("http://")), "")
        yield said
        process.terminate()
