"""Limits on processor time and memory for reading input, applied to the process that reads it."""

from __future__ import annotations

import math
import signal
import sys
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType

    from app.design.limits import Bounds

if sys.platform != "win32":  # Windows has no such module
    import resource


class _TimeIsUp(BaseException):
    """Not a subclass of Exception, because code that reads files may treat any of those as a broken file."""


@contextmanager
def bounded(bounds: Bounds) -> Iterator[None]:
    """Apply the bounds to the main thread of this process; has no effect on Windows, which lacks such limits.

    Raises:
        InvalidInputError: reading took more than allowed.
    """
    if sys.platform == "win32":
        yield
        return
    before = {kind: resource.getrlimit(kind) for kind in (resource.RLIMIT_CPU, resource.RLIMIT_DATA)}
    used = resource.getrusage(resource.RUSAGE_SELF)
    allowed = {
        resource.RLIMIT_CPU: math.ceil(used.ru_utime + used.ru_stime) + bounds.seconds,
        resource.RLIMIT_DATA: _own_bytes() + bounds.memory_mb * 1_000_000,
    }
    handler = signal.signal(signal.SIGXCPU, _stop)
    try:
        for kind, limit in allowed.items():
            with suppress(ValueError, OSError):  # a lower limit that is already set remains in force
                resource.setrlimit(kind, (limit, before[kind][1]))
        yield
    except _TimeIsUp:
        raise bounds.too_slow() from None
    except MemoryError:
        raise bounds.too_large() from None
    finally:
        for kind, limits in before.items():
            resource.setrlimit(kind, limits)
        signal.signal(signal.SIGXCPU, handler)


def _stop(_: int, __: FrameType | None) -> NoReturn:
    raise _TimeIsUp


@cache
def _own_bytes() -> int:
    """Data size of this process before it reads anything; 0 if the system does not report it."""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmData:")).split()[1]) * 1024
    return 0
