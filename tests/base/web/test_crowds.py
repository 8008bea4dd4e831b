"""One client with many connections, or many requests in one connection, takes nothing from others."""

import asyncio
import socket
import time
import tracemalloc
from collections.abc import Iterable
from contextlib import ExitStack, suppress
from itertools import chain, repeat

from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from tests.kit.served import connect, served

HEALTH = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
MEGABYTE = 1024 * 1024
BIG = 50 * MEGABYTE


def is_answered(connection: socket.socket) -> bool:
    answer = b""
    with suppress(ConnectionError):
        connection.sendall(HEALTH)
        # Head and body can arrive apart.
        while (more := connection.recv(4096)) and not (answer := answer + more).endswith(b"}"):
            pass
    return answer.startswith(b"HTTP/1.1 200")


def test_longest_idle_connections_of_an_address_are_closed(app: FastAPI) -> None:
    with served(app, max_idle=10) as port, ExitStack() as stack:
        crowd = [stack.enter_context(connect(port)) for _ in range(5)]
        assert all(map(is_answered, crowd))
        crowd += [stack.enter_context(connect(port)) for _ in range(10)]
        assert is_answered(crowd[-1])
        assert [is_answered(one) for one in crowd] == [False] * 5 + [True] * 10


def test_busy_connections_are_not_closed(app: FastAPI) -> None:
    body = b"POST /s/study/consent HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nContent-Length: 9\r\n\r\n"
    with served(app, max_idle=3) as port, ExitStack() as stack:
        busy = []
        for _ in range(5):
            busy.append(stack.enter_context(connect(port)))
            # Answered once, so that the server reads the next request before it accepts the next connection
            assert is_answered(busy[-1])
            busy[-1].sendall(body)
        assert all(is_answered(stack.enter_context(connect(port))) for _ in range(10))
        for one in busy:
            one.sendall(b"consent=1")
            assert one.recv(64).startswith(b"HTTP/1.1 4")


def test_two_requests_at_once_are_both_answered(app: FastAPI) -> None:
    with served(app) as port, connect(port) as eager:
        eager.sendall(2 * HEALTH)
        answers = b""
        while answers.count(b"HTTP/1.1 200") < 2:
            more = eager.recv(4096)
            assert more
            answers += more


def test_requests_without_reading_use_no_memory_and_block_nobody(app: FastAPI) -> None:
    many = HEALTH * (4 * MEGABYTE // len(HEALTH))
    with served(app) as port, ExitStack() as stack:
        assert is_answered(stack.enter_context(connect(port)))
        tracemalloc.start()
        for _ in range(20):
            flood = stack.enter_context(connect(port))
            flood.setblocking(False)
            with suppress(BlockingIOError, ConnectionError):
                flood.sendall(many)
        assert is_answered(stack.enter_context(connect(port)))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert most < 30 * MEGABYTE


def test_page_that_is_being_sent_when_its_client_is_cut_off_is_no_error() -> None:
    failed: list[Exception] = []

    async def trickle(_: Scope, __: Receive, send: Send) -> None:
        try:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            for _n in range(2000):
                await send({"type": "http.response.body", "body": b"x", "more_body": True})
                await asyncio.sleep(0)
            await send({"type": "http.response.body", "body": b""})
        except RuntimeError as error:
            failed.append(error)

    with served(trickle) as port:
        for _ in range(10):
            with connect(port) as flood, suppress(ConnectionError):
                flood.sendall(HEALTH)
                flood.recv(64)
                flood.sendall(20 * HEALTH)
                while flood.recv(MEGABYTE):
                    pass
    assert failed == []


async def send_big_page(_: Scope, __: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"x" * BIG})


def read_all(port: int, pauses: Iterable[float]) -> int:
    """Ask for the big page, and return how many bytes of the response arrive with a pause after each read."""
    with connect(port) as reader, suppress(ConnectionError):
        reader.sendall(HEALTH)
        n_bytes = 0
        for pause_s in pauses:
            time.sleep(pause_s)
            if n_bytes >= BIG:
                break
            n_bytes += len(reader.recv(MEGABYTE))
    return n_bytes


def test_response_that_is_not_read_is_given_up_and_one_that_is_read_slowly_is_not() -> None:
    with served(send_big_page, unread_s=0.5) as port:
        assert read_all(port, chain([2], repeat(0, 1000))) < BIG
        assert read_all(port, repeat(0.02, 1000)) >= BIG
