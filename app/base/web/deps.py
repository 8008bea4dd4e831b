"""Dependencies of request handlers. Loaders also authorize: the visitor may see whatever they return."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated
from weakref import WeakValueDictionary

from fastapi import Depends, Request
from fastapi.concurrency import contextmanager_in_threadpool

from app.base.database.engine import Connection
from app.base.database.outages import NO_TURN
from app.base.web.errors import BusyError

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


# Turns for long requests: only a few run at once, and no lead takes all of them.


class LongTurns:
    """As many turns as there are spare connections; each session has one fewer, so that others find one."""

    def __init__(self, n_turns: int) -> None:
        """`n_turns` is at least two."""
        self._every = asyncio.Semaphore(n_turns)
        self._n_per_session = n_turns - 1
        self._of_session: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    @asynccontextmanager
    async def turn(self, session: str) -> AsyncIterator[None]:
        """Wait for a turn.

        Raises:
            BusyError: none was free in time.
        """
        own = self._of_session.setdefault(session, asyncio.Semaphore(self._n_per_session))
        async with turn(own), turn(self._every):
            yield
