"""Run one or several server processes on one socket until they are stopped, and start again those that end."""

import logging
import multiprocessing
import os
import shutil
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection as Pipe
from multiprocessing.connection import wait
from pathlib import Path
from threading import Thread
from types import FrameType
from typing import NoReturn

from uvicorn import Config, Server
from uvicorn.config import STARTUP_FAILURE

from app.base.logs import log_config
from app.base.web.bounded_protocol import allow_open_files
from app.base.web.metric_files import FOLDER, make_folder
from app.cli.output import WRONG_CALL, fail, say
from app.settings import SECRET_FILES, settings

# Several server processes on one socket: one that dies is replaced at once, and without any, connections are
# refused.
#
# The parent must not keep a socket open that nobody accepts from: a browser or a proxy would wait for seconds
# instead of trying another server, and a request that was given up would still be carried out later.


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


NEXT_PORTS = 50
# Raters often pause for a minute between two requests; with uvicorn's default of 5 s they would lose the connection.
KEEP_ALIVE_S = 75


def bind(host: str, port: int, *, or_next: bool = False) -> socket.socket:
    """Return a socket that is already listening, so that its address works as soon as it is printed.

    Args:
        host: a name or address of this machine.
        port: 0 for any free port.
        or_next: use the next free port if this one is taken.
    """
    try:
        family, *_ = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except OSError as error:
        fail(f"{host} is not an address of this machine: {error.strerror}.", WRONG_CALL)
    problem = ""
    for candidate in range(port, min(port + (NEXT_PORTS if or_next else 1), 65536)):
        try:
            return _listen(family, host, candidate)
        except OSError as error:
            problem = str(error.strerror)
    return fail(f"Port {port} on {host} cannot be used: {problem}. To use another one: --port {port + 1}")


def _listen(family: int, host: str, port: int) -> socket.socket:
    listening = _bound(family, (host, port))
    try:
        listening.listen(2048)
    except OSError:
        listening.close()
        raise
    return listening


def _bound(family: int, address: tuple[str | int, ...]) -> socket.socket:
    """Return a socket with an address that does not listen yet."""
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        # Allow a port that another server has just released; on Windows this option has a different meaning.
        if os.name != "nt":
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
    except OSError:
        bound.close()
        raise
    return bound


def _bind_again(listening: socket.socket) -> socket.socket:
    """Close the socket, which refuses the connections that wait in it, and return another one with its address."""
    family, address = listening.family, listening.getsockname()
    listening.close()
    try:
        return _bound(family, address)
    except OSError as error:
        return fail(f"Port {address[1]} on {address[0]} cannot be used again: {error.strerror}.")


def address(listening: socket.socket) -> str:
    """Return the address for a browser on this machine."""
    host, port, *_ = listening.getsockname()
    host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, f"[{host}]" if ":" in host else host)  # noqa: S104 - compared, not bound
    return f"http://{host}:{port}"


def run(listening: socket.socket, database_url: str, *, workers: int = 1) -> None:
    """Serve until Ctrl-C or SIGTERM. Each process creates its own application on the given database."""
    allow_open_files()
    hand_over(database_url)
    numbers = _shared_numbers() if workers > 1 else None
    try:
        if workers > 1:
            Workers(_config(workers), listening, _bind_again).run()
        else:
            Server(_config(workers)).run([listening])
    except KeyboardInterrupt:
        pass
    finally:
        listening.close()
        if numbers is not None:
            shutil.rmtree(numbers, ignore_errors=True)
        say("Stopped.")


def _config(workers: int) -> Config:
    now = settings()
    return Config(
        "app.main:server_process",
        factory=True,
        workers=workers,
        lifespan="on",
        ws="none",
        http="app.base.web.bounded_protocol:BoundedProtocol",
        log_config=log_config(now.log_format, now.log_level),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,  # the application reads them itself
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=5,
    )


def hand_over(database_url: str) -> None:
    """Name the database in the environment of the processes that are about to start, and whether it is embedded."""
    os.environ["ATTUNE_EMBEDDED"] = str(settings().database_url is None)
    os.environ["DATABASE_URL"] = database_url
    for name in SECRET_FILES:  # already included in the address
        os.environ.pop(name, None)
    settings.cache_clear()


def _shared_numbers() -> Path:
    """Make the folder in which the processes share their numbers for /metrics, before the first of them starts."""
    folder = make_folder()
    os.environ[FOLDER] = str(folder)
    return folder


def stop_cleanly() -> None:
    """Make SIGTERM raise SystemExit, so that transactions roll back and the database connection is closed."""

    def leave(signum: int, _: FrameType | None) -> NoReturn:
        sys.exit(0 if signum == signal.SIGTERM else 128 + signum)

    signal.signal(signal.SIGTERM, leave)
