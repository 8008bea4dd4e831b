"""Limits on time and memory for work in a process of its own, and the errors that say which one was hit."""

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

if sys.platform != "win32":  # Windows has no such module
    import resource

MEGABYTE = 1_000_000


class SideProcessError(RuntimeError):
    """The process ended before its work was done; the message says so in a sentence for pages."""

    words = "The computation ended before it was done, most likely because it ran out of memory."

    def __init__(self, words: str = "") -> None:
        """Use the sentence of the class by default."""
        super().__init__(words or self.words)


class SideProcessTimeoutError(SideProcessError):
    """The process did not finish in time and was ended, or was busy with earlier work for too long."""

    words = "The computation took too long and was stopped."


class SideProcessBusyError(SideProcessTimeoutError):
    """The process was busy with earlier work for too long; the work has not begun."""

    words = "The server was busy with earlier work for too long. Try again in a few minutes."


class OutOfTimeError(SideProcessTimeoutError):
    """The work took more processor time than it may, or was not done in time."""


class OutOfMemoryError(SideProcessError):
    """The work took more memory than it may."""


class TimeIsUp(BaseException):
    """The signal says which time.

    Not a subclass of Exception, because code that reads files may treat any of those as a broken file.
    """


@contextmanager
def process_bounds(seconds: int, memory_mb: int, *, clock_s: int | None = None) -> Iterator[None]:
    """Apply the limits to the main thread of this process; has no effect on Windows, which lacks such limits.

    Args:
        seconds: processor time, in seconds.
        memory_mb: memory in megabytes, beyond what the program itself uses.
        clock_s: seconds on the clock, which also pass while other programs have the processor; None for any.

    Raises:
        OutOfTimeError: the work took more than its time.
        OutOfMemoryError: the work took more than its memory.
    """
    if sys.platform == "win32":
        yield
        return
    before = {kind: resource.getrlimit(kind) for kind in (resource.RLIMIT_CPU, resource.RLIMIT_DATA)}
    used = resource.getrusage(resource.RUSAGE_SELF)
    allowed = {
        resource.RLIMIT_CPU: math.ceil(used.ru_utime + used.ru_stime) + seconds,
        resource.RLIMIT_DATA: _own_bytes() + memory_mb * MEGABYTE,
    }
    handlers = {kind: signal.signal(kind, _stop) for kind in (signal.SIGXCPU, signal.SIGALRM)}
    try:
        for kind, limit in allowed.items():
            with suppress(ValueError, OSError):  # a lower limit that is already set remains in force
                resource.setrlimit(kind, (limit, before[kind][1]))
        signal.setitimer(signal.ITIMER_REAL, clock_s or 0)
        yield
    except TimeIsUp as up:
        if up.args == (signal.SIGALRM,):
            raise OutOfTimeError(f"The computation was not done after {_time(clock_s or 0)} and was stopped.") from None
        raise OutOfTimeError(
            f"The computation took more than {_time(seconds)} of processor time and was stopped."
        ) from None
    except MemoryError:
        raise OutOfMemoryError(
            f"The computation needed more than {memory_mb:,} MB of memory and was stopped."
        ) from None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for kind, limits in before.items():
            resource.setrlimit(kind, limits)
        for signum, handler in handlers.items():
            signal.signal(signum, handler)


def _stop(signum: int, _: FrameType | None) -> NoReturn:
    raise TimeIsUp(signum)


def _time(seconds: int) -> str:
    """Return a duration in words.

    >>> _time(20), _time(60), _time(1800)
    ('20 seconds', '60 seconds', '30 minutes')
    """
    return f"{seconds} seconds" if seconds < 2 * 60 or seconds % 60 else f"{seconds // 60} minutes"


@cache
def _own_bytes() -> int:
    """Data size of this process before its first work; 0 if the system does not report it."""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmData:")).split()[1]) * 1024
    return 0
