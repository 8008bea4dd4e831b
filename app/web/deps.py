"""Dependencies of request handlers. Loaders also authorize: the visitor may see whatever they return."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, Request
from fastapi.concurrency import contextmanager_in_threadpool

from app.storage.database.engine import Connection
from app.storage.database.outages import NO_TURN
from app.web.errors import BusyError

WAIT_S = 15.0


async def get_db(request: Request) -> AsyncIterator[Connection]:
    """One transaction per request. If all connections are in use, requests wait here without holding a thread.

    Waiting in the pool would block a thread. With a few dozen requests at once, all threads would then wait for
    connections whose holders wait for a thread.
    """
    state = request.app.state
    async with turn(state.turns), contextmanager_in_threadpool(state.begin()) as db:
        yield db


@asynccontextmanager
async def turn(turns: asyncio.Semaphore) -> AsyncIterator[None]:
    """Wait for one of a limited number of turns, with a timeout so that requests do not pile up if the database fails.

    Raises:
        BusyError: no turn was free in time.
    """
    try:
        async with asyncio.timeout(WAIT_S):
            await turns.acquire()
    except TimeoutError:
        raise BusyError(NO_TURN) from None
    try:
        yield
    finally:
        turns.release()


# scope="function": commit before the response is sent. With the default scope, the response would already say "saved"
# if the commit fails.
Db = Annotated[Connection, Depends(get_db, scope="function")]
