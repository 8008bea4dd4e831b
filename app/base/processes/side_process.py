"""A separate process for heavy work: it does not slow down raters, and the web server survives if it crashes."""

import math
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from multiprocessing import get_context
from multiprocessing.connection import Connection as Pipe
from multiprocessing.context import SpawnProcess
from pathlib import Path
from types import FrameType
from typing import Any

from app.base.limits import Bounds
from app.base.words import counted

# Limits on time and memory for work in a process of its own, and the errors that say which one was hit.

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
    stop = _once()
    handlers = {kind: signal.signal(kind, stop) for kind in (signal.SIGXCPU, signal.SIGALRM)}
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


def _once() -> Callable[[int, FrameType | None], None]:
    """Return a handler that raises `TimeIsUp`, and not again while that is on its way.

    Both signals can arrive together, and processor time is signalled every second; a second error would escape from
    where the first is caught. After half a second it is raised again, because code may have swallowed the first.
    """
    raised_at = -math.inf

    def stop(signum: int, _: FrameType | None) -> None:
        nonlocal raised_at
        if time.monotonic() > raised_at + 0.5:
            raised_at = time.monotonic()
            raise TimeIsUp(signum)

    return stop


def _time(seconds: int) -> str:
    """Return a duration in words.

    >>> _time(20), _time(60), _time(1800)
    ('20 seconds', '60 seconds', '30 minutes')
    """
    return counted(seconds, "second") if seconds < 2 * 60 or seconds % 60 else counted(seconds // 60, "minute")


@cache
def _own_bytes() -> int:
    """Data size of this process before its first work; 0 if the system does not report it."""
    with suppress(OSError, StopIteration):
        lines = Path("/proc/self/status").read_text().splitlines()
        return int(next(line for line in lines if line.startswith("VmData:")).split()[1]) * 1024
    return 0


__all__ = [
    "SideProcess",
    "SideProcessBusyError",
    "SideProcessError",
    "SideProcessTimeoutError",
    "tell_parent",
    "within_bounds",
]

_TAKEN = "taken"
# In a side process: the pipe to its parent.
_TO_PARENT: list[Pipe] = []
_START_S = 120  # a new process imports what the work needs, on a machine that may be busy


class SideProcess:
    """A process that does one job at a time; it starts when it is needed and exits after being idle.

    It ends when its parent does for any reason, because the other end of the pipe is then closed.
    """

    def __init__(self, work: Callable[[Any], object], *, name: str, rest_s: float) -> None:
        """Create the object; the process starts when it is needed.

        Args:
            work: a module-level function that does a job. Jobs and results are pickled.
            name: name of the process in lists of processes.
            rest_s: how long the process stays without a job, in seconds.
        """
        self._work, self._name, self._rest_s = work, name, rest_s
        self._process: SpawnProcess | None = None
        self._pipe: Pipe | None = None

    def ask(self, job: object, *, timeout_s: float | None = None, told: Callable[[Any], None] = lambda _: None) -> Any:  # noqa: ANN401 - what `work` returns
        """Run `work(job)` in the process. The caller sees to it that earlier jobs are done.

        Args:
            job: what `work` takes.
            timeout_s: seconds for the job; None for as long as it takes.
            told: takes what the work passes to `tell_parent`.

        Raises:
            SideProcessError: the process ended.
            SideProcessTimeoutError: this job took too long, and the process was ended.
            Exception: any exception raised by `work`.
        """
        pipe = self._given(job)
        try:
            made = _answer(pipe, timeout_s, told)
        except (EOFError, OSError) as error:
            self.stop()
            raise SideProcessError from error
        except BaseException:  # whatever the process sends later must not be taken for the next answer
            self.stop()
            raise
        if isinstance(made, Exception):
            raise made
        return made

    @property
    def pid(self) -> int | None:
        """The ID of the process, or None if there is none."""
        return self._process.pid if self._process else None

    def kill(self) -> None:
        """End the process, if there is one, whatever it does: who waits for its answer gets a `SideProcessError`."""
        with suppress(ValueError):  # it has just been closed by who waited
            if (process := self._process) and process.pid is not None:
                process.kill()

    def stop(self) -> None:
        """End the process, if there is one. The caller sees to it that it does no job."""
        if self._pipe:
            self._pipe.close()
        if self._process:
            self._process.kill()
            self._process.join()
            self._process.close()
        self._process = self._pipe = None

    def _given(self, job: object) -> Pipe:
        """The pipe of the process that has taken the job: the running one, or a new one if that is exiting."""
        if self._process and self._process.is_alive() and self._pipe:
            with suppress(EOFError, OSError):
                return _taken(self._pipe, job)
        self.stop()
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_work_off, args=(theirs, self._rest_s, self._work), name=self._name, daemon=True
        )
        self._process.start()
        theirs.close()
        try:
            return _taken(self._pipe, job)
        except (EOFError, OSError) as error:
            self.stop()
            raise SideProcessError from error


@dataclass(frozen=True, slots=True)
class _Told:
    """What the work says before it is done."""

    message: Any


def tell_parent(message: object) -> None:
    """Pass a message to the process that asked for the work; nothing happens outside of a side process."""
    for pipe in _TO_PARENT:
        pipe.send(_Told(message))


def _answer(pipe: Pipe, timeout_s: float | None, told: Callable[[Any], None]) -> Any:  # noqa: ANN401 - what `work` returned
    """Wait for the result, and pass on what the process tells until then.

    Raises:
        SideProcessTimeoutError: it took longer.
    """
    end = math.inf if timeout_s is None else time.monotonic() + timeout_s
    while True:
        if end < math.inf and not pipe.poll(max(0.0, end - time.monotonic())):
            raise SideProcessTimeoutError
        made = pipe.recv()
        if not isinstance(made, _Told):
            return made
        told(made.message)


def _taken(pipe: Pipe, job: object) -> Pipe:
    """Send the job, and wait until the process confirms it.

    Raises:
        EOFError, OSError: the process did not take it.
    """
    pipe.send(job)
    if not pipe.poll(_START_S):
        raise EOFError
    pipe.recv()
    return pipe


def _work_off(pipe: Pipe, rest_s: float, work: Callable[[Any], object]) -> None:
    """The main loop of the process. It has low priority, so that raters go first, and ignores Ctrl-C."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(10)
    _TO_PARENT.append(pipe)
    with suppress(EOFError, OSError):
        while pipe.poll(rest_s):
            job = pipe.recv()
            pipe.send(_TAKEN)
            try:
                pipe.send(work(job))
            except TimeIsUp:  # it came while the work was just ending for another reason
                pipe.send(OutOfTimeError())
            except Exception as error:  # noqa: BLE001 - it is raised again in `ask`
                pipe.send(error)


def within_bounds(job: tuple[Callable[..., Any], tuple[Any, ...], int, int]) -> Any:  # noqa: ANN401 - what it returns
    """Call a function with its arguments, within so many seconds of processor time and MB of memory.

    Raises:
        OutOfTimeError, OutOfMemoryError: it took more.
    """
    work, given, seconds, memory_mb = job
    with process_bounds(seconds, memory_mb):
        return work(*given)


# Limits on time and memory for reading input, applied to the process that reads it.


@contextmanager
def bounded(bounds: Bounds) -> Iterator[None]:
    """Apply the bounds to the main thread of this process; has no effect on Windows, which lacks such limits.

    Raises:
        InvalidInputError: reading took more than allowed.
    """
    try:
        with process_bounds(bounds.seconds, bounds.memory_mb, clock_s=bounds.clock_s):
            yield
    except OutOfTimeError:
        raise bounds.too_slow() from None
    except OutOfMemoryError:
        raise bounds.too_large() from None
