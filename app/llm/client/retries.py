"""Tries: a request that failed for a passing reason is sent again, after a random and growing time."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass
from random import SystemRandom
from typing import TypeVar

from app.llm.client.endpoint import Reply
from app.llm.client.request_errors import RequestError

_RANDOM = SystemRandom()


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often a request is sent, and how long to wait in between: at most `base_s` times two per earlier try."""

    n_tries: int = 6
    base_s: float = 1.0
    max_s: float = 60.0

    def wait_s(self, n_failed: int, asked_s: float | None) -> float:
        """The seconds to wait after the nth failure: random, and never less than the server asked for."""
        longest = min(self.base_s * 2**n_failed, self.max_s)
        jitter = _RANDOM.uniform(0, longest)
        return jitter if asked_s is None else asked_s + _RANDOM.uniform(0, self.base_s)


@dataclass(frozen=True, slots=True)
class Tried:
    """A request with its tries: the reply, or the last error. `tokens`: of prompt and answer, in failed tries."""

    n_tries: int
    reply: Reply | None = None
    error: RequestError | None = None
    tokens: tuple[int, int] = (0, 0)


async def send_with_retries(send: Callable[[], Awaitable[Reply]], retry_policy: RetryPolicy) -> Tried:
    """Send a request until it is answered, fails for good, or has used all tries."""
    tokens_in = tokens_out = 0
    for n_failed in range(1, retry_policy.n_tries + 1):
        try:
            return Tried(n_failed, await send(), tokens=(tokens_in, tokens_out))
        except RequestError as error:
            tokens_in, tokens_out = tokens_in + error.tokens[0], tokens_out + error.tokens[1]
            if not error.may_help or n_failed == retry_policy.n_tries:
                return Tried(n_failed, error=error, tokens=(tokens_in, tokens_out))
            await asyncio.sleep(retry_policy.wait_s(n_failed, error.wait_s))
    raise AssertionError("the last try returns")


# Several requests at once, never more than a bound; the first that must not be sent ends the run.

T = TypeVar("T")


async def run_all(jobs: Iterable[T], work: Callable[[T], Awaitable[bool]], n_at_once: int) -> None:
    """Work through all jobs.

    Args:
        jobs: taken one by one, in order.
        work: does one job; False ends the run: jobs under way are finished, and no other is begun.
        n_at_once: the number of jobs under way at the same time.

    Raises:
        Exception: the first of a job; the other jobs under way are given up.
    """
    waiting = iter(jobs)
    goes_on = [True]

    async def worker() -> None:
        for job in _while(goes_on, waiting):
            if not await work(job):
                goes_on[0] = False

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(n_at_once):
                group.create_task(worker())
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None


def _while(goes_on: list[bool], jobs: Iterator[T]) -> Iterator[T]:
    while goes_on[0]:
        try:
            yield next(jobs)
        except StopIteration:
            return
