"""Threads of the rating routes: results, errors, context, and work that nobody waits for any more."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar

import pytest

from app.rating.answers.hot_routes import HotThreads

NAME: ContextVar[str] = ContextVar("name", default="nobody")


def test_result_comes_from_another_thread() -> None:
    name = asyncio.run(HotThreads(1).run(lambda: threading.current_thread().name))
    assert name == "hot-0"


def test_exception_is_raised_to_the_caller() -> None:
    with pytest.raises(ZeroDivisionError):
        asyncio.run(HotThreads(1).run(lambda: 1 / 0))


def test_thread_survives_an_exception() -> None:
    async def twice() -> str:
        threads = HotThreads(1)
        with pytest.raises(ZeroDivisionError):
            await threads.run(lambda: 1 / 0)
        return await threads.run(lambda: "again")

    assert asyncio.run(twice()) == "again"


def test_function_sees_context_of_its_caller() -> None:
    async def as_anna() -> str:
        NAME.set("anna")
        return await HotThreads(1).run(NAME.get)

    assert asyncio.run(as_anna()) == "anna"


def test_no_more_threads_than_allowed() -> None:
    async def five() -> set[str]:
        threads = HotThreads(2)
        return set(await asyncio.gather(*(threads.run(lambda: threading.current_thread().name) for _ in range(5))))

    assert asyncio.run(five()) <= {"hot-0", "hot-1"}


def test_cancelled_caller_leaves_the_thread_usable() -> None:
    async def cancel() -> str:
        threads, begun, go_on = HotThreads(1), threading.Event(), threading.Event()

        def work() -> None:
            begun.set()
            go_on.wait(10)

        task = asyncio.create_task(threads.run(work))
        assert await asyncio.to_thread(begun.wait, 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        go_on.set()
        return await threads.run(lambda: "free")

    assert asyncio.run(cancel()) == "free"
