"""Tries: a request that failed for a passing reason is sent again, after a random and growing time."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from random import SystemRandom
from typing import TYPE_CHECKING

from app.models.request_errors import RequestError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from app.models.endpoint import Reply

_RANDOM = SystemRandom()


@dataclass(frozen=True, slots=True)
class Patience:
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
    """A request with its tries: the reply, or the last error."""

    n_tries: int
    reply: Reply | None = None
    error: RequestError | None = None


async def send_patiently(send: Callable[[], Awaitable[Reply]], patience: Patience) -> Tried:
    """Send a request until it is answered, fails for good, or has used all tries."""
    for n_failed in range(1, patience.n_tries + 1):
        try:
            return Tried(n_failed, await send())
        except RequestError as error:
            if not error.may_help or n_failed == patience.n_tries:
                return Tried(n_failed, error=error)
            await asyncio.sleep(patience.wait_s(n_failed, error.wait_s))
    raise AssertionError("the last try returns")
