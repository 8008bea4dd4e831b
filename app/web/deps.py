"""What handlers ask for. A loader also authorizes: who gets a thing from here may have it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Request
from fastapi.concurrency import contextmanager_in_threadpool

from app.storage.database.engine import Connection


async def get_db(request: Request) -> AsyncIterator[Connection]:
    """One transaction a request. Who finds every connection taken waits here, holding nothing.

    Waiting in the pool would hold a thread, and with a few dozen requests at once all threads would wait for
    connections whose holders wait for a thread.
    """
    state = request.app.state
    async with state.turns, contextmanager_in_threadpool(state.begin()) as db:
        yield db


# scope="function": the commit comes before the answer leaves. With the default scope a commit that fails would still
# have answered "saved".
Db = Annotated[Connection, Depends(get_db, scope="function")]
