"""Turns for long requests: only a few run at once, and no lead takes all of them."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from app.web.deps import turn

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


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
