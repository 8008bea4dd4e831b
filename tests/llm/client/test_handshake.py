"""What a server can do is found out before a run, and what it refuses is asked for in another way."""

import asyncio
import json
import re
import time
from random import Random
from typing import Any

import pytest

from app.llm.client.budget import estimated_tokens
from app.llm.client.connection import connection
from app.llm.client.endpoint import Endpoint, Parameters
from app.llm.client.handshake import shake_hands
from app.llm.client.request_errors import RequestError
from tests.kit.models_server import KEY, ModelServer, Prompt, fail_with, picky, serving

ASKED = Parameters(200, temperature=0.0, seed=3, schema={"type": "object"}, n_alternatives=20)


def recalls(prompt: Prompt, _rng: Random) -> object:
    """A model that reads the first line."""
    found = re.match(r"The word is (\w+)", prompt.page)
    return {"word": found[1] if found else "none"}


def table(server: ModelServer, n_tokens: int = 2000) -> dict[str, tuple[str, bool]]:
    with serving(server):
        found = shake_hands(Endpoint(server.address, "m", KEY), ASKED, n_tokens)
    return {one.what.partition(" (")[0]: (one.found, one.is_good) for one in found}


LONG = "A prompt as long as the longest"


def test_a_server_that_takes_everything() -> None:
    server = ModelServer(recalls, usage=None)
    found = table(server)
    assert {what for what, (_, is_good) in found.items() if not is_good} == {"Tokens"}
    assert (found["JSON"], found[LONG]) == (("with a schema", True), ("read from its first line on", True))
    assert len(server.seen) == 2


def test_a_server_that_cuts_the_prompt_is_found_by_its_count_or_its_answer() -> None:
    assert table(ModelServer(recalls, usage=(900, 9)))[LONG] == ("cut: the server counted 900 tokens", False)

    def forgets(prompt: Prompt, rng: Random) -> object:
        return recalls(prompt, rng) if len(prompt.page) < 1000 else {"word": "none"}

    assert table(ModelServer(forgets, usage=None))[LONG][1] is False


def test_a_prompt_that_is_counted_whole_is_not_cut() -> None:
    """English has about four characters per token, fewer tokens than the estimate."""

    def counts(prompt: Prompt, rng: Random) -> object:
        server.usage = (len(prompt.page) // 4, 9)
        return recalls(prompt, rng)

    for n_tokens in (400, 1500, 20_000):
        server = ModelServer(counts)
        assert table(server, n_tokens)[LONG] == ("read from its first line on", True)
        assert estimated_tokens(server.seen[-1]["messages"][0]["content"]) == pytest.approx(n_tokens, rel=0.05)


def test_what_the_run_does_not_ask_for_is_no_problem() -> None:
    with serving(ModelServer(recalls, refuses=picky(logprobs="logprobs are not supported"))) as server:
        for n, is_good in ((0, True), (20, False)):
            found = shake_hands(Endpoint(server.address, "m", KEY), Parameters(200, n_alternatives=n), 400)
            assert [one.is_good for one in found if one.what == "Log-probabilities"] == [is_good]


def test_what_is_refused_is_left_out_or_asked_for_in_another_way() -> None:
    refused = {
        "top_logprobs": "logprobs: Input should be a valid integer",
        "temperature": "Unsupported value: 'temperature' does not support 0.0 with this model.",
        "seed": "Unknown parameter: seed",
        "max_tokens": "Unsupported parameter: use 'max_completion_tokens' instead.",
        "response_format": "response_format json_schema is not supported",
    }
    server = ModelServer(recalls, refuses=picky(**refused))
    found = table(server)
    assert found["JSON"] == ("in the prompt only", False)
    assert (found["Temperature"][1], found["Seed"][1], found["A short answer"][1]) == (False, False, True)
    assert found["Limit of an answer"][0] == "max_completion_tokens"
    assert server.seen[-1]["logprobs"] == 20
    assert not {*refused} & {*server.seen[-1]}


def sent(server: ModelServer, *, n: int = 1, **endpoint: Any) -> list[str]:  # noqa: ANN401 - of an endpoint
    async def each() -> list[str]:
        async with connection(Endpoint(server.address, "m", KEY, **endpoint)) as send:
            return [(await send([{"role": "user", "content": "Hi"}], ASKED, f"r{k}")).text for k in range(n)]

    with serving(server):
        return asyncio.run(each())


def test_a_server_that_only_streams_is_read_piece_by_piece() -> None:
    pieces = [
        {"model": "m", "choices": [{"delta": {"role": "assistant", "reasoning_content": "Hm."}}]},
        {"choices": [{"delta": {"content": '{"word": '}}]},
        {"choices": [{"delta": {"content": '"heron"}'}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}},
    ]
    stream = "".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n"

    def refuses(body: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
        if not body.get("stream"):
            return fail_with(400, "This model only supports streaming.")
        return 200, {"Content-Type": "text/event-stream"}, stream.encode()

    assert sent(ModelServer(recalls, refuses=refuses)) == ['{"word": "heron"}']


def test_extra_fields_headers_and_the_pace_of_a_server() -> None:
    server = ModelServer(recalls)
    begin = time.monotonic()
    sent(server, n=3, extra_body={"reasoning_effort": "low"}, headers={"X-Title": "Study"}, per_minute=1200)
    assert time.monotonic() - begin >= 0.1
    assert {body["reasoning_effort"] for body in server.seen} == {"low"}
    assert server.headers[0]["X-Title"] == "Study"


def test_a_refusal_that_names_nothing_known_is_an_error() -> None:
    with pytest.raises(RequestError, match="no such thing"):
        table(ModelServer(recalls, refuses=lambda _: fail_with(400, "no such thing")))
