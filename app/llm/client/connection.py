"""The door to the client: it takes a second to load and is an optional part of the installation."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Protocol

from app.llm.client.dialect import Dialect
from app.llm.client.endpoint import BatchPace, Endpoint, Heard, Message, Parameters, Reply
from app.llm.client.request_errors import RequestError

_MINUTE_S = 60.0


class Send(Protocol):
    """Sends one request: a prompt, its parameters, and an ID that is the same for each try.

    With `heard`, the answer is sent piece by piece, if the server can; it is not heard while it may be a thought. The
    first answer of a connection is heard at its end, unless it is marked as one without thoughts.
    """

    async def __call__(
        self, messages: Sequence[Message], parameters: Parameters, request_id: str, heard: Heard | None = None
    ) -> Reply:
        """The reply."""


class ClientMissingError(RuntimeError):
    """The package `openai` is not installed."""


def load_client() -> bool:
    """Load the client, which takes a second; False if it is not installed."""
    with suppress(ImportError):
        import app.llm.client.openai_client  # noqa: F401 - for the next connection

        return True
    return False


@asynccontextmanager
async def connection(
    endpoint: Endpoint,
    dialect: Dialect | None = None,
    batch_pace: BatchPace | None = None,
    rate_limit: RateLimit | None = None,
) -> AsyncIterator[Send]:
    """Yield the function that sends one request.

    What the server refuses is left out or sent in another way, which `dialect` remembers. With `batch_pace`, requests
    are sent in batches. `rate_limit`: that of several connections to one server.

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
    known, paced = dialect or Dialect(), rate_limit or RateLimit(endpoint.per_minute)
    async with connected(endpoint) as client, batches(client, endpoint, batch_pace) as send_in_batch:

        async def send_one(
            messages: Sequence[Message], parameters: Parameters, request_id: str, heard: Heard | None = None
        ) -> Reply:
            while True:
                asked = known.adapted(replace(parameters, is_stream=heard is not None))
                await paced.turn()
                try:
                    if send_in_batch is not None:
                        return await send_in_batch(messages, asked, request_id)
                    holds = known.thinks_untagged is not False
                    reply = await send(client, endpoint, messages, asked, request_id, heard, holds=holds)
                except RequestError as error:
                    if error.may_help or not known.learn(str(error), asked):
                        raise
                else:
                    return known.read(reply)

        yield send_one


class RateLimit:
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
