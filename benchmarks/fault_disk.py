"""A small file system of its own for the database, which can be filled and emptied."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

# More than the log of the database grows to.
MEGABYTES = 1500
BALLAST = "ballast"


@contextmanager
def small_disk(place: Path) -> Iterator[bool]:
    """Mount a small file system at `place`; yields False, and changes nothing, where this is not allowed."""
    mount, umount = shutil.which("mount"), shutil.which("umount")
    size = ("-o", f"size={MEGABYTES}m,mode=0711")
    is_mounted = mount is not None and umount is not None and _runs(mount, "-t", "tmpfs", *size, "tmpfs", str(place))
    try:
        yield is_mounted
    finally:
        if is_mounted:
            _runs(str(umount), "--lazy", str(place))


def _runs(*command: str) -> bool:
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


def fill(place: Path) -> None:
    """Use up all space."""
    with suppress(OSError), (place / BALLAST).open("wb", buffering=0) as file:
        for size in (2**20, 2**12):
            with suppress(OSError):
                while file.write(b"\0" * size):
                    pass


def empty(place: Path) -> None:
    """Give the space back."""
    (place / BALLAST).unlink(missing_ok=True)
