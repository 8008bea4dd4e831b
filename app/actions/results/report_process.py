"""Estimates are made in a process of their own: minutes of arithmetic beside the web server's threads would slow every
rater's answer.
"""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from multiprocessing import get_context
from threading import Lock
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from multiprocessing.connection import Connection as Pipe
    from multiprocessing.context import SpawnProcess

    from app.analysis.data.frames import Frames
    from app.analysis.report.report import Report
    from app.design.protocol.study import Protocol

# Starting costs about two seconds and resting a quarter of a gigabyte.
REST_S = 600


class ReportProcessError(RuntimeError):
    """The process ended before its report was made, most likely for want of memory."""


class ReportProcess:
    """One process that makes one report at a time; it starts when it is needed, and leaves after a rest.

    It ends with its parent, however that ends: a pipe whose other end is gone says so.
    """

    def __init__(self) -> None:
        """Nothing starts yet."""
        self._lock = Lock()
        self._process: SpawnProcess | None = None
        self._pipe: Pipe | None = None

    def analyze(self, frames: Frames, protocol: Protocol) -> Report:
        """`analysis.analyze`, over there.

        Raises:
            ReportProcessError: the process is gone.
            Exception: whatever `analyze` raised.
        """
        with self._lock:
            pipe = self._send((frames, protocol))
            try:
                made: Report | Exception = pipe.recv()
            except (EOFError, OSError) as error:
                self._forget()
                raise ReportProcessError from error
        if isinstance(made, Exception):
            raise made
        return made

    @property
    def pid(self) -> int | None:
        """Of the process, while there is one."""
        return self._process.pid if self._process else None

    def stop(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            self._forget()

    def _send(self, job: tuple[Frames, Protocol]) -> Pipe:
        """The pipe that the job went into; who left for a rest in that very moment is called again."""
        if self._process and self._process.is_alive() and self._pipe:
            with suppress(OSError):
                self._pipe.send(job)
                return self._pipe
        self._forget()
        context = get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_make_reports, args=(theirs, REST_S), name="attune-estimates", daemon=True
        )
        self._process.start()
        theirs.close()
        self._pipe.send(job)
        return self._pipe

    def _forget(self) -> None:
        if self._pipe:
            self._pipe.close()
        if self._process:
            self._process.kill()
            self._process.join()
            self._process.close()
        self._process = self._pipe = None


# One for each web process, whatever number of applications it serves.
REPORT_PROCESS = ReportProcess()


def _make_reports(pipe: Pipe, rest_s: float) -> None:
    """The life of the process. Raters go first, and Ctrl-C is for the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(10)
    from app.analysis import analyze

    with suppress(EOFError, OSError):
        while pipe.poll(rest_s):
            frames, protocol = pipe.recv()
            try:
                pipe.send(analyze(frames, protocol))
            except Exception as error:  # noqa: BLE001 - it is raised again where the report was asked for
                pipe.send(error)
