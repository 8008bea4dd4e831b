"""A separate process for heavy work: it does not slow down raters, and the web server survives if it crashes."""

from __future__ import annotations

import math
import os
import signal
import time
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any

from app.actions.fair_lock import FairLock
from app.actions.process_bounds import (
    OutOfTimeError,
    SideProcessBusyError,
    SideProcessError,
    SideProcessTimeoutError,
    TimeIsUp,
    process_bounds,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.connection import Connection as Pipe
    from multiprocessing.context import SpawnProcess


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
        self._lock = FairLock()
        self._process: SpawnProcess | None = None
        self._pipe: Pipe | None = None

    def ask(
        self,
        job: object,
        *,
        timeout_s: float | None = None,
        turn_s: float | None = None,
        waits: bool = False,
        told: Callable[[Any], None] = lambda _: None,
    ) -> Any:  # noqa: ANN401 - what `work` returns
        """Run `work(job)` in the process; waits until earlier jobs are done, for up to `timeout_s` seconds too.

        Args:
            job: what `work` takes.
            timeout_s: seconds for the job, and for waiting for earlier ones; None for as long as it takes.
            turn_s: seconds for waiting for earlier jobs, if they differ.
            waits: wait for earlier jobs as long as they take.
            told: takes what the work passes to `tell_parent`.

        Raises:
            SideProcessError: the process ended.
            SideProcessBusyError: earlier jobs took too long.
            SideProcessTimeoutError: this job took too long, and the process was ended.
            Exception: any exception raised by `work`.
        """
        if not self._lock.acquire(None if waits else timeout_s if turn_s is None else turn_s):
            raise SideProcessBusyError
        try:
            pipe = self._given(job)
            try:
                made = _answer(pipe, timeout_s, told)
            except (EOFError, OSError) as error:
                self._forget()
                raise SideProcessError from error
            except BaseException:  # whatever the process sends later must not be taken for the next answer
                self._forget()
                raise
        finally:
            self._lock.release()
        if isinstance(made, Exception):
            raise made
        return made

    @property
    def pid(self) -> int | None:
        """The ID of the process, or None if there is none."""
        return self._process.pid if self._process else None

    def stop(self) -> None:
        """End the process, if there is one."""
        self._lock.acquire()
        try:
            self._forget()
        finally:
            self._lock.release()

    def _given(self, job: object) -> Pipe:
        """The pipe of the process that has taken the job: the running one, or a new one if that is exiting."""
        if self._process and self._process.is_alive() and self._pipe:
            with suppress(EOFError, OSError):
                return _taken(self._pipe, job)
        self._forget()
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
            self._forget()
            raise SideProcessError from error

    def _forget(self) -> None:
        if self._pipe:
            self._pipe.close()
        if self._process:
            self._process.kill()
            self._process.join()
            self._process.close()
        self._process = self._pipe = None


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
