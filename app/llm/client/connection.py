"""The door to the client: it takes a second to load and is an optional part of the installation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from app.llm.client.dialect import Dialect
from app.llm.client.endpoint import BatchPace, Endpoint, Message, Parameters, Reply
from app.llm.client.request_errors import RequestError

Send = Callable[["Sequence[Message]", "Parameters", str], Awaitable["Reply"]]
_MINUTE_S = 60.0


class ClientMissingError(RuntimeError):
    """The package `openai` is not installed."""


@asynccontextmanager
async def connection(
    endpoint: Endpoint, dialect: Dialect | None = None, batch_pace: BatchPace | None = None
) -> AsyncIterator[Send]:
    """Yield the function that sends one request: a prompt, its parameters, and an ID that is the same for each try.

    What the server refuses is left out or sent in another way, which `dialect` remembers. With `batch_pace`, requests
    are sent in batches.

    Raises:
        ClientMissingError: the client is not installed.
    """
    try:
        from app.llm.client.batches import batches
        from app.llm.client.openai_client import connected, send
    except ImportError:
        raise ClientMissingError(
            "Model judges need the package openai, which is not installed: pip install 'attune-studies[models]'"
        ) from None
    known, rate_limit = dialect or Dialect(), _RateLimit(endpoint.per_minute)
    async with connected(endpoint) as client, batches(client, endpoint, batch_pace) as send_in_batch:

        async def send_one(messages: Sequence[Message], parameters: Parameters, request_id: str) -> Reply:
            while True:
                asked = known.adapted(parameters)
                await rate_limit.turn()
                try:
                    if send_in_batch is not None:
                        return await send_in_batch(messages, asked, request_id)
                    return await send(client, endpoint, messages, asked, request_id)
                except RequestError as error:
                    if error.may_help or not known.learn(str(error), asked):
                        raise

        yield send_one


class _RateLimit:
    """Lets requests pass at equal distances, not more of them per minute than a server allows."""

    def __init__(self, per_minute: float | None) -> None:
        self._wait_s = _MINUTE_S / per_minute if per_minute else 0.0
        self._next = 0.0

    async def turn(self) -> None:
        """Wait until the next request may be sent."""
        if not self._wait_s:
            return
        now = asyncio.get_running_loop().time()
        self._next = max(self._next, now)
        wait, self._next = self._next - now, self._next + self._wait_s
        await asyncio.sleep(wait)
