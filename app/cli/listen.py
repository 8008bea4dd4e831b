"""Run one or several server processes on one socket until they are stopped."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
from pathlib import Path
from types import FrameType
from typing import NoReturn

from uvicorn import Config, Server

from app.base.logs import log_config
from app.base.web.bounded_protocol import allow_open_files
from app.base.web.metric_files import FOLDER, make_folder
from app.cli.output import WRONG_CALL, fail, say
from app.cli.workers import Workers
from app.settings import SECRET_FILES, settings

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
        lifespan="off",
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
