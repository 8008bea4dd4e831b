"""Several server processes on one socket: one that dies is replaced at once, and without any, connections are refused.

The parent must not keep a socket open that nobody accepts from: a browser or a proxy would wait for seconds instead of
trying another server, and a request that was given up would still be carried out later.
"""

from __future__ import annotations

import logging
import multiprocessing
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection as Pipe
from multiprocessing.connection import wait
from threading import Thread

from uvicorn import Config, Server
from uvicorn.config import STARTUP_FAILURE

from app.cli.output import fail

log = logging.getLogger("attune.web")
BEAT_S = 0.5
# A process that is silent for so long hangs. A new one first imports the program, on a machine that may be busy.
MAX_SILENT_S, MAX_START_S = 30.0, 120.0
# A process that does not even start would otherwise be started again and again without a pause.
PAUSE_S = 1.0
# Longer than uvicorn waits for requests that are under way.
STOP_S = 15.0
SPAWN = multiprocessing.get_context("spawn")


class Worker:
    """One server process, with a pipe: it sends whether it accepts connections, and is closed when the process ends."""

    def __init__(self, config: Config, listening: socket.socket) -> None:
        """Start the process."""
        self.pipe, theirs = SPAWN.Pipe(duplex=False)
        self.process = SPAWN.Process(target=_serve, args=(config, listening, theirs))
        self.process.start()
        theirs.close()
        self.accepts = False
        self._silent_until = time.monotonic() + MAX_START_S

    def hear(self) -> bool:
        """Read what the process sent; False if it has ended."""
        try:
            self.accepts = self.pipe.recv()
        except (EOFError, OSError):
            return False
        self._silent_until = time.monotonic() + MAX_SILENT_S
        return True

    def hangs(self) -> bool:
        """Return whether the process has been silent for too long."""
        return time.monotonic() > self._silent_until

    def kill(self) -> None:
        """End the process at once."""
        self.process.kill()
        self.process.join()
        self.pipe.close()


def _serve(config: Config, listening: socket.socket, pipe: Pipe) -> None:
    """The main function of a process."""
    config.configure_logging()
    server = Server(config)
    Thread(target=_beat, args=(server, pipe), daemon=True).start()
    with suppress(KeyboardInterrupt):
        server.run([listening])


def _beat(server: Server, pipe: Pipe) -> None:
    with suppress(OSError):
        while True:
            pipe.send(server.started)
            time.sleep(BEAT_S)


class Workers:
    """Keeps `config.workers` processes running until an exception ends the wait for them, such as that of SIGTERM."""

    def __init__(
        self, config: Config, listening: socket.socket, bind_again: Callable[[socket.socket], socket.socket]
    ) -> None:
        """Create the object without starting anything.

        Args:
            config: what the processes run.
            listening: the socket that they share.
            bind_again: closes a socket, and returns one with its address that does not listen yet.
        """
        self._config, self._listening, self._bind_again = config, listening, bind_again
        self._workers: list[Worker] = []

    def run(self) -> None:
        """Start the processes, and replace those that end."""
        try:
            while True:
                while len(self._workers) < self._config.workers:
                    self._workers.append(Worker(self._config, self._listening))
                self._watch()
        finally:
            self._stop()

    def _watch(self) -> None:
        """Wait until processes say something, and remove those that have ended or hang."""
        spoken = wait([worker.pipe for worker in self._workers], timeout=BEAT_S)
        lost = [one for one in self._workers if (one.pipe in spoken and not one.hear()) or one.hangs()]
        for worker in lost:
            self._remove(worker)
        if lost and not any(worker.accepts for worker in self._workers):
            self._refuse()

    def _remove(self, worker: Worker) -> None:
        worker.kill()
        self._workers.remove(worker)
        if worker.process.exitcode == STARTUP_FAILURE:
            fail("A server process could not start, for the reason above.")
        log.error("server process %s ended (%s) and is replaced", worker.process.pid, worker.process.exitcode)
        if not worker.accepts:
            time.sleep(PAUSE_S)

    def _refuse(self) -> None:
        """Refuse connections until a new process listens; one that is still starting has the old socket."""
        for worker in self._workers:
            worker.kill()
        self._workers.clear()
        self._listening = self._bind_again(self._listening)

    def _stop(self) -> None:
        self._listening.close()
        for worker in self._workers:
            worker.process.terminate()
        end = time.monotonic() + STOP_S
        for worker in self._workers:
            worker.process.join(max(0.0, end - time.monotonic()))
            worker.kill()
