"""The baseline server: a raw ASGI application on psycopg with one INSERT and one commit per request, and no HTML."""

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Any

import psycopg

N_CONNECTIONS = 16
TABLE = "CREATE TABLE IF NOT EXISTS bare (id bigint GENERATED ALWAYS AS IDENTITY, said text)"
WRITE = "INSERT INTO bare (said) VALUES (%s)"
_free: asyncio.Queue[psycopg.AsyncConnection[Any]] = asyncio.Queue()
_opened = asyncio.Lock()


async def app(
    scope: dict[str, Any], receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
) -> None:
    """Read the body, write a row, and respond."""
    assert scope["type"] == "http"
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    await _write(body.decode())
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


async def _write(said: str) -> None:
    async with _opened:
        if _free.empty() and not getattr(app, "is_ready", False):
            for _ in range(N_CONNECTIONS):
                url = os.environ["DATABASE_URL"].replace("+psycopg", "")
                _free.put_nowait(await psycopg.AsyncConnection.connect(url, autocommit=True, prepare_threshold=1))
            app.is_ready = True  # type: ignore[attr-defined]
    connection = await _free.get()
    try:
        await connection.execute(WRITE, (said,))
    finally:
        _free.put_nowait(connection)
