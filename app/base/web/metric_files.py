"""The files in which the processes of a server share their numbers for /metrics; what has ended leaves none behind."""

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prometheus_client.mmap_dict import MmapedDict

from app.base.postgres.private_files import alone, open_lock, try_alone

# Read by prometheus_client; set by `attune serve` for several processes.
FOLDER = "PROMETHEUS_MULTIPROC_DIR"
PREFIX = "attune-metrics-"
# Held by the server that made the folder, and by whoever reads or changes its files.
OWNER, FILES = "owner.lock", "files.lock"
# A folder that is younger may belong to a server that has not locked it yet.
YOUNG_S = 60
# The number of the process in whose name the numbers of ended ones are kept.
ENDED = 0


def make_folder() -> Path:
    """Make the folder for this server, and remove those of servers that were killed."""
    for old in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        if _is_left(old):
            shutil.rmtree(old, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    try_alone(open_lock(folder / OWNER))  # until this process ends
    return folder


@contextmanager
def only_living(folder: Path) -> Iterator[None]:
    """Add the numbers of ended processes up in one file, and let nobody else do so meanwhile.

    Each process has files of its own. A counter must not fall when one ends, so its numbers are kept; what it was doing
    is over.
    """
    lock = open_lock(folder / FILES)
    try:
        with alone(lock):
            for file in folder.glob("*.db"):
                kind, _, number = file.stem.rpartition("_")
                if int(number) == ENDED or _is_running(int(number)):
                    continue
                # A process that was killed while it made its file leaves an empty one.
                if not kind.startswith("gauge_live") and file.stat().st_size:
                    _add(file, folder / f"{kind}_{ENDED}.db")
                file.unlink(missing_ok=True)
            yield
    finally:
        os.close(lock)


def _add(file: Path, total: Path) -> None:
    sums = MmapedDict(str(total))  # type: ignore[no-untyped-call]
    try:
        for key, value, at, _ in MmapedDict.read_all_values_from_file(str(file)):  # type: ignore[no-untyped-call]
            before, _ = sums.read_value(key)  # type: ignore[no-untyped-call]
            sums.write_value(key, before + value, at)  # type: ignore[no-untyped-call]
    finally:
        sums.close()  # type: ignore[no-untyped-call]


def _is_running(number: int) -> bool:
    """Whether there is such a process; where the system does not say, it is taken for running."""
    return not Path("/proc/self").exists() or Path("/proc", str(number)).exists()


def _is_left(folder: Path) -> bool:
    """Whether the server that made this folder has ended."""
    try:
        if time.time() - folder.stat().st_mtime < YOUNG_S:
            return False
        lock = open_lock(folder / OWNER)
    except OSError:  # it has just been removed, or belongs to somebody else
        return False
    try:
        return try_alone(lock)
    finally:
        os.close(lock)
