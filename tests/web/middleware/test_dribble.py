"""Clients that send almost nothing, connected to a server on a real port."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from tests.web.middleware.served import connect, served

if TYPE_CHECKING:
    from fastapi import FastAPI

POST = b"POST /s/study/consent HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\n"
FORM = b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\nc"
HEALTH = b"GET /readyz HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


def test_unfinished_bodies_occupy_no_worker(app: FastAPI) -> None:
    with served(app) as port, ExitStack() as sockets:
        for _ in range(app.state.n_threads + 4):
            sockets.enter_context(connect(port)).sendall(POST + FORM)
        visitor = sockets.enter_context(connect(port))
        visitor.sendall(HEALTH)
        assert visitor.recv(64).startswith(b"HTTP/1.1 200")


def test_unfinished_headers_are_closed_with_408(app: FastAPI) -> None:
    with served(app, headers_s=0.2) as port, connect(port) as slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: 127")
        assert slow.recv(64).startswith(b"HTTP/1.1 408")
        assert b"\0" not in slow.recv(64)
        assert slow.recv(64) == b""


def test_endless_headers_are_closed_with_431(app: FastAPI) -> None:
    with served(app) as port, connect(port) as endless:
        endless.sendall(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX: ")
        answer = b""
        with suppress(ConnectionError):
            for _ in range(64):
                endless.sendall(b"x" * 65536)
        with suppress(ConnectionError):
            answer = endless.recv(64)
        # The server may have reset the connection before its answer was read.
        assert answer.startswith(b"HTTP/1.1 431") or answer == b""
        with suppress(ConnectionError):
            endless.sendall(b"\r\n\r\n")
            assert b"200" not in endless.recv(4096)


def test_usual_headers_and_long_addresses_pass(app: FastAPI) -> None:
    with served(app) as port, connect(port) as visitor:
        visitor.sendall(HEALTH.replace(b"/readyz", b"/healthz?" + b"q" * 8000).replace(b"\r\n\r\n", b"\r\nX: "))
        visitor.sendall(b"x" * 16000 + b"\r\n\r\n")
        assert visitor.recv(64).startswith(b"HTTP/1.1 200")


def test_second_request_on_connection_has_time_limit(app: FastAPI) -> None:
    with served(app, headers_s=0.2) as port, connect(port) as slow:
        slow.sendall(HEALTH.replace(b"Connection: close\r\n", b""))
        assert slow.recv(4096).startswith(b"HTTP/1.1 200")
        slow.sendall(b"GET /readyz HTTP/1.1\r\n")
        answers = b"".join(iter(lambda: slow.recv(4096), b""))
        assert b"HTTP/1.1 408" in answers
