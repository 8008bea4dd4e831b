"""The door to the client: it takes a second to load and is an optional part of the installation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from app.models.endpoint import Endpoint, Message, Parameters, Reply

Send = Callable[["Sequence[Message]", "Parameters", str], Awaitable["Reply"]]


class ClientMissingError(RuntimeError):
    """The package `openai` is not installed."""


@asynccontextmanager
async def connection(endpoint: Endpoint) -> AsyncIterator[Send]:
    """Yield the function that sends one request: a prompt, its parameters, and an ID that is the same for each try.

    Raises:
        ClientMissingError: the client is not installed.
    """
    try:
        from app.models.openai_client import connected, send
    except ImportError:
        raise ClientMissingError(
            "Model judges need the package openai, which is not installed: pip install 'attune-studies[models]'"
        ) from None
    async with connected(endpoint) as client:

        async def send_one(messages: Sequence[Message], parameters: Parameters, request_id: str) -> Reply:
            return await send(client, endpoint, messages, parameters, request_id)

        yield send_one
