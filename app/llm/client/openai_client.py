"""One request to an OpenAI-compatible server, by the official client. The key goes to this server and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

import httpx
from openai import APIConnectionError, APIError, APIStatusError, APITimeoutError, AsyncOpenAI
from openai.types.chat import ChatCompletion

from app.llm.client.endpoint import Endpoint, Message, Parameters, Reply, TokenProbability
from app.llm.client.request_errors import RequestError, cut_to_line, problem_of_status

if TYPE_CHECKING:
    from openai.types.chat import ChatCompletionTokenLogprob


# This server calls the limit of an answer by another name than all others.
_OWN_NAME_FOR_LIMIT = "api.openai.com"


@asynccontextmanager
async def connected(endpoint: Endpoint) -> AsyncIterator[AsyncOpenAI]:
    """Yield a client that follows no redirects, so that neither texts nor the key go to another server."""
    async with httpx.AsyncClient(follow_redirects=False, timeout=endpoint.timeout_s) as http:
        # A server without keys needs none, but the client insists on one.
        yield AsyncOpenAI(api_key=endpoint.key or "none", base_url=endpoint.base_url, max_retries=0, http_client=http)


async def send(
    client: AsyncOpenAI, endpoint: Endpoint, messages: Sequence[Message], parameters: Parameters, request_id: str
) -> Reply:
    """Send one request.

    Args:
        client: from `connected`.
        endpoint: the server and the model.
        messages: the prompt.
        parameters: how the answer is sampled.
        request_id: the same for each try of one request; servers that know the header answer it only once.

    Raises:
        RequestError: there is no answer; it says why, and whether another try may help.
    """
    try:
        async with asyncio.timeout(endpoint.timeout_s):
            found = await client.chat.completions.create(
                **_body(endpoint, messages, parameters), extra_headers={"Idempotency-Key": request_id}
            )
    except (TimeoutError, APITimeoutError):
        seconds = f"{endpoint.timeout_s:g}"
        raise RequestError(f"The endpoint did not answer within {seconds} s.", may_help=True) from None
    except APIStatusError as error:
        headers, has_key = dict(error.response.headers), bool(endpoint.key)
        raise problem_of_status(error.status_code, _words_of(error), headers, has_key=has_key) from None
    except APIConnectionError as error:
        cause = cut_to_line(str(error.__cause__ or error))
        raise RequestError(f"The endpoint cannot be reached: {cause}", may_help=True) from None
    except (APIError, ValueError) as error:
        raise RequestError(f"The endpoint's answer cannot be read: {cut_to_line(str(error))}") from None
    return _reply(found)


def _body(endpoint: Endpoint, messages: Sequence[Message], parameters: Parameters) -> dict[str, Any]:
    limit = "max_completion_tokens" if httpx.URL(endpoint.base_url).host == _OWN_NAME_FOR_LIMIT else "max_tokens"
    body: dict[str, Any] = {"model": endpoint.model, "messages": [*messages], limit: parameters.max_tokens}
    body |= {
        name: value
        for name, value in (("temperature", parameters.temperature), ("seed", parameters.seed))
        if value is not None
    }
    if parameters.schema is not None and parameters.answer_format == "schema":
        schema = {"name": "answer", "strict": True, "schema": parameters.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif parameters.schema is not None and parameters.answer_format == "json":
        body["response_format"] = {"type": "json_object"}
    n = parameters.n_alternatives
    return body | ({"logprobs": True, "top_logprobs": n} if n else {})


def _words_of(error: APIStatusError) -> str:
    """The server's own message, in one line."""
    body = error.body
    words = body.get("message") if isinstance(body, dict) else None
    return cut_to_line(words if isinstance(words, str) else str(body or ""))


def _reply(found: object) -> Reply:
    if not isinstance(found, ChatCompletion) or not found.choices:
        raise RequestError("The endpoint answered with a page or a text, not with an answer of a model.")
    choice, usage = found.choices[0], found.usage
    tokens = choice.logprobs.content if choice.logprobs and choice.logprobs.content else []
    return Reply(
        choice.message.content or "",
        str(choice.finish_reason),
        choice.message.refusal,
        found.model,
        found.system_fingerprint,
        usage.prompt_tokens if usage else 0,
        usage.completion_tokens if usage else 0,
        tuple(map(_token, tokens)),
    )


def _token(found: ChatCompletionTokenLogprob) -> TokenProbability:
    # Servers that are nearly compatible leave out bytes or alternatives.
    data = None if found.bytes is None else bytes(found.bytes)
    others = tuple((other.token, other.logprob) for other in found.top_logprobs or ())
    return TokenProbability(found.token, found.logprob, data, others)
