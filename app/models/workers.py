"""Several requests at once, never more than a bound; the first that must not be sent ends the run."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Iterator

T = TypeVar("T")


async def run_all(jobs: Iterable[T], work: Callable[[T], Awaitable[bool]], n_at_once: int) -> None:
    """Work through all jobs.

    Args:
        jobs: taken one by one, in order.
        work: does one job; False ends the run: jobs under way are finished, and no other is begun.
        n_at_once: the number of jobs under way at the same time.
    """
    waiting = iter(jobs)
    goes_on = [True]

    async def worker() -> None:
        for job in _while(goes_on, waiting):
            if not await work(job):
                goes_on[0] = False

    async with asyncio.TaskGroup() as group:
        for _ in range(n_at_once):
            group.create_task(worker())


def _while(goes_on: list[bool], jobs: Iterator[T]) -> Iterator[T]:
    while goes_on[0]:
        try:
            yield next(jobs)
        except StopIteration:
            return
