"""Threads for the routes that raters call most often.

Starlette's thread pool takes a fifth of the processor time of a whole request: for each call, it looks up its limiter,
its idle threads and the running event loop. These threads wait for work at one queue.
"""

from __future__ import annotations

import asyncio
from contextvars import copy_context
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    Job = tuple[Callable[[], Any], asyncio.AbstractEventLoop, asyncio.Future[Any]]

T = TypeVar("T")


class HotThreads:
    """Runs functions in up to `n` threads, which are started when they are first needed."""

    def __init__(self, n: int) -> None:
        """`n` must be at least the number of functions that are run at once; more of them wait."""
        self._n, self._n_running = n, 0
        self._threads: list[Thread] = []
        self._jobs: SimpleQueue[Job] = SimpleQueue()

    async def run(self, function: Callable[..., T], *arguments: object) -> T:
        """The result of a function, with the context variables of the caller; its exceptions are raised here."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()
        self._n_running += 1
        if len(self._threads) < min(self._n_running, self._n):
            self._start_one()
        context = copy_context()
        self._jobs.put((lambda: context.run(function, *arguments), loop, done))
        try:
            return await done
        finally:
            self._n_running -= 1

    def _start_one(self) -> None:
        thread = Thread(target=self._work, name=f"hot-{len(self._threads)}", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _work(self) -> None:
        while True:
            job, loop, done = self._jobs.get()
            result, error = None, None
            try:
                result = job()
            except BaseException as raised:  # noqa: BLE001 - raised again in the event loop
                error = raised
            loop.call_soon_threadsafe(_settle, done, result, error)
            del job, done, result, error


def _settle(done: asyncio.Future[Any], result: object, error: BaseException | None) -> None:
    """Pass on the outcome, unless nobody waits for it any more."""
    if done.cancelled():
        return
    if error is None:
        done.set_result(result)
    else:
        done.set_exception(error)
