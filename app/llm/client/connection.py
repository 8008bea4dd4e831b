"""The door to the client: it takes a second to load and is an optional part of the installation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

from app.llm.client.endpoint import Endpoint, Message, Parameters, Reply
from app.llm.client.request_errors import RequestError

# The alternatives to each token that are asked for. Most servers allow twenty, some five, some no log-probabilities.
N_ALTERNATIVES = (20, 5, 0)
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
        from app.llm.client.openai_client import connected, send
    except ImportError:
        raise ClientMissingError(
            "Model judges need the package openai, which is not installed: pip install 'attune-studies[models]'"
        ) from None
    async with connected(endpoint) as client:

        async def send_one(messages: Sequence[Message], parameters: Parameters, request_id: str) -> Reply:
            return await send(client, endpoint, messages, parameters, request_id)

        yield _with_fewer_alternatives(send_one)


def _with_fewer_alternatives(send: Send) -> Send:
    """Ask for fewer alternatives, then for no log-probabilities, if the server refuses them; remember its limit."""
    allowed = [*N_ALTERNATIVES]

    async def send_one(messages: Sequence[Message], parameters: Parameters, request_id: str) -> Reply:
        while True:
            asked = replace(parameters, n_alternatives=min(parameters.n_alternatives, allowed[0]))
            try:
                return await send(messages, asked, request_id)
            except RequestError as error:
                if not asked.n_alternatives or error.may_help or "logprob" not in str(error).lower():
                    raise
                if asked.n_alternatives == allowed[0]:
                    del allowed[0]

    return send_one
