"""Dependencies of handlers. A loader also authorizes: what it returns, the visitor may see."""

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
    """One transaction a request. Who finds every connection taken waits here, holding nothing.

    Waiting in the pool would hold a thread, and with a few dozen requests at once all threads would wait for
    connections whose holders wait for a thread.
    """
    state = request.app.state
    async with turn(state.turns), contextmanager_in_threadpool(state.begin()) as db:
        yield db


@asynccontextmanager
async def turn(turns: asyncio.Semaphore) -> AsyncIterator[None]:
    """One of a few turns. Waiting has an end, so that a database in trouble does not collect visitors.

    Raises:
        BusyError: none was free in time.
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


# scope="function": the commit comes before the answer leaves. With the default scope a commit that fails would still
# have answered "saved".
Db = Annotated[Connection, Depends(get_db, scope="function")]
