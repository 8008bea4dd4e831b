"""Clients that send almost nothing, connected to a server on a real port."""

import logging
import time
from contextlib import ExitStack, suppress

import pytest
from fastapi import FastAPI

from app.base.logs import ThrottledLog
from app.base.web import bounded_protocol
from tests.kit.served import connect, served

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


def answer_to(port: int, *pieces: bytes) -> bytes:
    """What the server answers; it may have reset the connection before its answer was read."""
    answer = b""
    with connect(port) as client, suppress(ConnectionError):
        for piece in pieces:
            client.sendall(piece)
            time.sleep(0.05)
        while received := client.recv(4096):
            answer += received
    return answer


LARGE = b"".join(b"X-%d: " % n + b"x" * 1000 + b"\r\n" for n in range(80))


def test_headers_above_the_limit_in_all_are_refused_even_if_they_arrive_at_once(app: FastAPI) -> None:
    whole = HEALTH.removesuffix(b"\r\n") + LARGE + b"\r\n"
    with served(app) as port:
        for pieces in ([whole], [whole[:65000], whole[65000:]], [whole[:100], whole[100:]]):
            answer = answer_to(port, *pieces)
            assert b"200" not in answer[:20]
            assert answer == b"" or (answer.startswith(b"HTTP/1.1 431") and answer.count(b"HTTP/1.1") == 1)
        address = answer_to(port, HEALTH.replace(b"/readyz", b"/healthz?" + b"q" * 70_000))
        assert address == b"" or address.startswith(b"HTTP/1.1 431")


def test_limit_is_for_each_request_and_not_for_bodies(app: FastAPI) -> None:
    form = POST + b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100000\r\n\r\n" + b"c" * 100_000
    next_head = HEALTH.replace(b"/readyz", b"/healthz").removesuffix(b"\r\n") + b"X: " + b"x" * 50_000
    with served(app) as port:
        answer = answer_to(port, form + next_head[:40_000], next_head[40_000:] + b"\r\n\r\n")
        assert [b"431" in answer, answer.count(b"HTTP/1.1 "), b"HTTP/1.1 200" in answer] == [False, 2, True]


def test_attempts_at_a_websocket_are_logged_once(
    app: FastAPI, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded_protocol, "log", ThrottledLog(logging.getLogger("attune.web"), every_s=60))
    attempt = HEALTH.replace(b"/readyz", b"/healthz").replace(
        b"Connection: close", b"Connection: upgrade\r\nUpgrade: websocket"
    )
    with served(app) as port:
        for _ in range(5):
            with connect(port) as client:
                client.sendall(attempt)
                assert client.recv(64).startswith(b"HTTP/1.1 200")
    assert [line for line in caplog.messages if "WebSocket" in line or "upgrade" in line] == [
        "a client asked for a WebSocket or another protocol, which this server does not have"
    ]


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
