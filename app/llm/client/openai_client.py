"""One request to an OpenAI-compatible server, by the official client. The key goes to this server and nowhere else."""

import asyncio
import json
import math
from collections import defaultdict
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from time import monotonic
from typing import Any

import httpx
from openai import APIConnectionError, APIStatusError, APITimeoutError, AsyncOpenAI, Omit

from app.llm.client.answers import split_so_far, split_thoughts, storable
from app.llm.client.endpoint import Endpoint, Heard, Message, Parameters, Reply, TokenProbability
from app.llm.client.request_errors import RequestError, cut_to_line, problem_in_body, problem_of_status

# Read what an OpenAI-compatible server sent, in any of the forms in which servers send it: it has been paid for.


_THOUGHTS = ("reasoning_content", "reasoning", "thinking")
# No answer uses more. The database adds up what several tries of a reply used, in numbers of 32 bits.
_MAX_TOKENS = 10**8


def reply_of(found: object, headers: Mapping[str, str]) -> Reply:
    """The reply in the body of an answer with HTTP 200; fields of another kind than expected count as missing.

    Raises:
        RequestError: the body has no answer of a model; with the tokens that it names.
    """
    body = found if isinstance(found, dict) else {}
    choices = body.get("choices")
    choice = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
    tokens_in, tokens_out = (
        _tokens(body, "prompt_tokens", "input_tokens"),
        _tokens(body, "completion_tokens", "output_tokens"),
    )
    if (said := choice.get("error") or (body.get("error") or not choice)) and not _has_text(choice):
        raise problem_in_body(body if said is True else {"error": said}, headers, (tokens_in, tokens_out))
    message = _mapping(choice.get("message"))
    raw, beside = _parts(message.get("content", choice.get("text")))
    split = split_thoughts(raw)
    thoughts = [beside, *(_parts(message.get(name))[0] for name in _THOUGHTS), split.thoughts]
    usage = _mapping(body.get("usage"))
    refusal = message.get("refusal")
    return Reply(
        text=split.answer,
        stop=_text(choice.get("finish_reason") or choice.get("stop_reason")),
        refusal=storable(refusal) if isinstance(refusal, str) and refusal.strip() else None,
        model_version=_text(body.get("model")),
        fingerprint=_text(body.get("system_fingerprint")) or None,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        probabilities=tuple(_probabilities(choice)),
        raw=raw,
        thoughts="\n\n".join(dict.fromkeys(part for part in map(str.strip, thoughts) if part)),
        response_id=_text(body.get("id")),
        provider=_text(body.get("provider")),
        tokens_cached=_count(_mapping(usage.get("prompt_tokens_details")).get("cached_tokens")),
        tokens_thinking=_count(_mapping(usage.get("completion_tokens_details")).get("reasoning_tokens")),
    )


def _has_text(choice: Mapping[str, Any]) -> bool:
    return bool(_parts(_mapping(choice.get("message")).get("content"))[0])


def _mapping(found: object) -> dict[str, Any]:
    return found if isinstance(found, dict) else {}


def _text(found: object) -> str:
    return storable(found) if isinstance(found, str) else ""


def _parts(found: object) -> tuple[str, str]:
    """The text and the thoughts of a content: a text, or a list of parts."""
    if isinstance(found, str):
        return storable(found), ""
    if isinstance(found, dict):
        found = [found]
    if not isinstance(found, list):
        return "", ""
    said, thought = [], []
    for part in found:
        kind = str(_mapping(part).get("type", ""))
        if "think" in kind or "reasoning" in kind:
            thought.append("".join(_parts(part.get(name))[0] for name in ("thinking", "reasoning", "text", "summary")))
        elif isinstance(part, dict):
            said.append(_text(part.get("text")))
        else:
            said.append(_text(part))
    return "".join(said), "\n\n".join(thought)


def _tokens(body: Mapping[str, Any], *names: str) -> int:
    usage = _mapping(body.get("usage"))
    return next((count for name in names if (count := _count(usage.get(name)))), 0)


def _count(found: object) -> int:
    """A number of tokens, 0 if there is none."""
    if isinstance(found, bool) or not isinstance(found, int | float) or not math.isfinite(found):
        return 0
    return min(max(int(found), 0), _MAX_TOKENS)


def _probabilities(choice: Mapping[str, Any]) -> Iterator[TokenProbability]:
    content = _mapping(choice.get("logprobs")).get("content")
    for one in content if isinstance(content, list) else ():
        token, number = _mapping(one).get("token"), _mapping(one).get("logprob")
        if not isinstance(token, str) or not isinstance(number, int | float):
            continue
        listed = one.get("top_logprobs")
        others = tuple(
            (other["token"], float(other["logprob"]))
            for other in (listed if isinstance(listed, list) else ())
            if isinstance(_mapping(other).get("token"), str) and isinstance(other.get("logprob"), int | float)
        )
        yield TokenProbability(token, float(number), _bytes(one.get("bytes")), others)


def _bytes(found: object) -> bytes | None:
    """The bytes of a token, if the server sends them."""
    try:
        return bytes(found) if isinstance(found, list) else None
    except (TypeError, ValueError):
        return None


# This server calls the limit of an answer by another name than all others.
_OWN_NAME_FOR_LIMIT = "api.openai.com"


@asynccontextmanager
async def connected(endpoint: Endpoint) -> AsyncIterator[AsyncOpenAI]:
    """Yield a client that follows no redirects, so that neither texts nor the key go to another server."""
    # How many requests are under way at once is for the callers to bound.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)
    async with httpx.AsyncClient(follow_redirects=False, timeout=endpoint.timeout_s, limits=limits) as http:
        # A server without keys needs none, but the client insists on one. It also reads variables of the environment
        # that are meant for its own company's server.
        client = AsyncOpenAI(
            api_key=endpoint.key or "none",
            organization="",
            project="",
            base_url=endpoint.base_url,
            max_retries=0,
            http_client=http,
        )
        client._custom_headers = {"OpenAI-Organization": Omit(), "OpenAI-Project": Omit()}  # noqa: SLF001 - see above
        yield client


async def send(
    client: AsyncOpenAI,
    endpoint: Endpoint,
    messages: Sequence[Message],
    parameters: Parameters,
    request_id: str,
    heard: Heard | None = None,
    *,
    holds: bool = True,
) -> Reply:
    """Send one request.

    Args:
        client: from `connected`.
        endpoint: the server and the model.
        messages: the prompt.
        parameters: how the answer is sampled.
        request_id: the same for each try of one request; servers that know the header answer it only once.
        heard: is given the answer so far while a stream arrives, never a thought.
        holds: thoughts may begin without a tag, so that nothing is heard before their end.

    Raises:
        RequestError: there is no answer; it says why, and whether another try may help.
    """
    body = body_of(endpoint, messages, parameters)
    async with errors_in_words(endpoint), asyncio.timeout(endpoint.timeout_s):
        raw = await client.chat.completions.with_raw_response.create(
            **body,
            extra_headers={**endpoint.headers, "Idempotency-Key": request_id},
            extra_body=dict(endpoint.extra_body) or None,
        )
        try:
            found = await _read(raw.http_response, heard, holds=holds)
        finally:
            await raw.http_response.aclose()
    return reply_to(body | dict(endpoint.extra_body), found, dict(raw.headers))


def reply_to(body: Mapping[str, Any], found: object, headers: Mapping[str, str]) -> Reply:
    """The reply in what a server sent to a request with this body.

    Raises:
        RequestError: it has no answer of a model.
    """
    if isinstance(found, str) and found.lstrip().startswith(("{", "[")):
        raise RequestError(f"The endpoint's answer cannot be read: {cut_to_line(found)}")
    sent = {name: value for name, value in body.items() if name != "messages"}
    return replace(reply_of(found, headers), sent=sent)


@asynccontextmanager
async def errors_in_words(endpoint: Endpoint) -> AsyncIterator[None]:
    """Say what the client raises in a sentence.

    Raises:
        RequestError: in place of it.
    """
    try:
        yield
    except (TimeoutError, APITimeoutError, httpx.TimeoutException):
        seconds = f"{endpoint.timeout_s:g}"
        raise RequestError(f"The endpoint did not answer within {seconds} s.", may_help=True) from None
    except APIStatusError as error:
        headers, has_key = dict(error.response.headers), bool(endpoint.key)
        raise problem_of_status(error.status_code, _json(error.response.text), headers, has_key=has_key) from None
    except (APIConnectionError, httpx.HTTPError) as error:
        cause = cut_to_line(str(error.__cause__ or error))
        raise RequestError(f"The endpoint cannot be reached: {cause}", may_help=True) from None


def body_of(endpoint: Endpoint, messages: Sequence[Message], parameters: Parameters) -> dict[str, Any]:
    """The body of a request, without the fields that only this server needs."""
    has_other_limit = parameters.has_other_limit or httpx.URL(endpoint.base_url).host == _OWN_NAME_FOR_LIMIT
    limit = "max_completion_tokens" if has_other_limit else "max_tokens"
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
    if n:
        body |= {"logprobs": n} if parameters.has_integer_logprobs else {"logprobs": True, "top_logprobs": n}
    if parameters.is_stream:
        body |= {"stream": True}
        body |= {"stream_options": {"include_usage": True}} if parameters.has_stream_usage else {}
    return body


def _json(text: str) -> object:
    """The body of an error; its text if it is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


# Shorter pauses between pieces are not worth the work of reading all that has arrived again.
_HEARD_EVERY_S = 0.05
# The longest answers list twenty probabilities of each token; a server that never ends must not fill the memory.
_MAX_LETTERS = 2**26


async def _read(response: httpx.Response, heard: Heard | None, *, holds: bool) -> object:
    """The body of an answer: JSON, or the completion that the events of a stream make up.

    Raises:
        RequestError: it is too long, or the stream broke off.
    """
    stream, answer, line, heard_at, n_letters = Stream(), list[str](), list[str](), 0.0, 0
    async for piece in response.aiter_text():
        n_letters += len(piece)
        if n_letters > _MAX_LETTERS:
            raise RequestError(f"The endpoint's answer has more than {_MAX_LETTERS:,} characters.")
        answer.append(piece)
        # Texts may have other line separators, such as U+2028.
        first, *others = piece.split("\n")
        line.append(first)
        for other in others:
            stream.add("".join(line))
            line = [other]
        if heard is not None and others and monotonic() >= heard_at + _HEARD_EVERY_S:
            heard_at = monotonic()
            if (said := stream.said(holds=holds)) and not heard(said):
                return stream.completion(is_cut=True)
    stream.add("".join(line))
    return stream.completion() if stream.has_events else _json("".join(answer))


class Stream:
    r"""The completion that the events of a stream make up, piece by piece; lines that are no events are left out.

    >>> stream = Stream()
    >>> for line in ('data: {"choices": [{"delta": {"content": "4"}}]}', "", "data: [DONE]"):
    ...     stream.add(line)
    >>> stream.completion()["choices"][0]["message"]
    {'content': '4'}
    """

    def __init__(self) -> None:
        """Nothing has arrived yet."""
        self.has_events = False
        self._body: dict[str, Any] = {}
        self._message: defaultdict[str, str] = defaultdict(str)
        self._tokens: list[Any] = []
        self._finish = ""
        self._is_done = False

    def add(self, line: str) -> None:
        """Read one line."""
        if not line.startswith("data:"):
            return
        self.has_events = True
        event = _json(line.removeprefix("data:").strip())
        self._is_done |= event == "[DONE]"
        if not isinstance(event, dict):
            return
        self._body |= {name: value for name, value in event.items() if name != "choices" and value is not None}
        choices = event.get("choices")
        for one in map(_mapping, choices if isinstance(choices, list) else ()):
            for name, value in _mapping(one.get("delta")).items():
                said, thought = _parts(value) if name != "role" else ("", "")
                self._message[name] += said
                self._message[_THOUGHTS[0]] += thought
            tokens = _mapping(one.get("logprobs")).get("content")
            self._tokens += tokens if isinstance(tokens, list) else ()
            self._finish = one.get("finish_reason") or self._finish

    def said(self, *, holds: bool) -> str:
        """The answer so far, without thoughts; `holds`: they may begin without a tag."""
        has_thoughts = any(map(self._message.get, _THOUGHTS))
        return split_so_far(self._message["content"], is_held=holds and not has_thoughts).answer

    def completion(self, *, is_cut: bool = False) -> dict[str, Any]:
        """What arrived as one completion; `is_cut`: the rest was not read.

        Raises:
            RequestError: the stream broke off.
        """
        message = {name: text for name, text in self._message.items() if text}
        if message and not (is_cut or self._finish or self._is_done or "error" in self._body):
            raise RequestError("The endpoint's answer broke off.", may_help=True)
        choice = {"message": message, "finish_reason": "length" if is_cut else self._finish}
        if self._tokens:
            choice["logprobs"] = {"content": self._tokens}
        has_answer = self._finish or (message and "error" not in self._body)
        return self._body | {"choices": [choice] if has_answer or is_cut else []}
