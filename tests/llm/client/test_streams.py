"""An answer that comes piece by piece is heard as it arrives, and its thoughts never are."""

import asyncio

import pytest

from app.llm.client import openai_client
from app.llm.client.connection import connection
from app.llm.client.dialect import Dialect
from app.llm.client.endpoint import Endpoint, Parameters, Reply
from app.llm.client.openai_client import Stream
from app.llm.client.request_errors import RequestError
from tests.kit.models_server import KEY, ModelServer, completed, fail_with, picky, serving

PROMPT = [{"role": "user", "content": "Say something."}]
WORDS = "It sounds hard. I am here."


def hear(server: ModelServer, *, n: int = 1, stop_at: int = 10_000) -> tuple[list[str], Reply]:
    """What was heard of the last of `n` answers, and the answer."""
    heard: list[str] = []

    def note(text: str) -> bool:
        heard.append(text)
        return len(text) < stop_at

    async def each() -> Reply:
        dialect = Dialect(thinks_untagged=False if n == 1 else None)
        async with connection(Endpoint(server.address, "m", KEY), dialect) as send:
            for number in range(n):
                heard.clear()
                reply = await send(PROMPT, Parameters(max_tokens=50), f"r{number}", note)
        return reply

    with serving(server):
        reply = asyncio.run(each())
    return heard, reply


def slow(text: str, **more: object) -> ModelServer:
    return ModelServer(lambda _prompt, _rng: text, piece_s=0.06, **more)  # type: ignore[arg-type]  # fields of the server


def test_an_answer_is_heard_as_it_arrives() -> None:
    heard, reply = hear(slow(WORDS))
    # Each time more of it; on a busy machine two words arrive together.
    assert (len({*heard}) > 2, heard == sorted(heard, key=len)) == (True, True)
    assert all(WORDS.startswith(text) for text in heard)
    assert (reply.text, reply.stop, reply.tokens_in, reply.tokens_out) == (WORDS, "stop", 100, 20)


@pytest.mark.parametrize(
    "thought",
    [
        "<think>Be warm now.</think> ",
        "<Thinking>Be warm now.</Thinking>",
        "[THINK]Be warm now.[/THINK]",
        "Be warm now. </think> ",
        "<|channel|>analysis<|message|>Be warm now.<|end|><|start|>assistant<|channel|>final<|message|>",
    ],
)
def test_thoughts_are_not_heard(thought: str) -> None:
    """Also those without an opening tag, which the first answer of a model shows."""
    heard, reply = hear(slow(thought + WORDS), n=2)
    assert heard
    assert all(WORDS.startswith(text) for text in heard)
    assert (reply.text, "Be warm now." in reply.thoughts) == (WORDS, True)


def test_the_first_answer_is_heard_at_its_end_unless_its_thoughts_are_marked() -> None:
    async def first(server: ModelServer) -> list[str]:
        heard: list[str] = []
        async with connection(Endpoint(server.address, "m", KEY)) as send:
            await send(PROMPT, Parameters(max_tokens=50), "r", lambda text: heard.append(text) or True)  # type: ignore[func-returns-value]  # it appends
        return heard

    with serving(slow(WORDS)) as plain, serving(slow(f"<think>Warm.</think>{WORDS}")) as marked:
        assert asyncio.run(first(plain)) == []
        assert len(asyncio.run(first(marked))) > 2


def test_thoughts_without_an_opening_tag_that_are_cut_off_are_no_answer() -> None:
    finishes = iter(["stop", "length"])
    server = ModelServer(lambda _prompt, _rng: "")
    server.troubles = lambda number: completed(
        {"content": "Be warm.</think> Yes." if number == 1 else "Be warm and"}, next(finishes)
    )
    _, reply = hear(server, n=2)
    assert (reply.text, reply.thoughts) == ("", "Be warm and")


def test_half_a_mark_is_not_heard() -> None:
    stream = Stream()
    stream.add('data: {"choices": [{"delta": {"content": "Yes <|retu"}}]}')
    assert stream.said(holds=False) == "Yes "


def test_fields_with_thoughts_are_not_heard_and_tell_them_apart() -> None:
    stream = Stream()
    stream.add('data: {"choices": [{"delta": {"reasoning_content": "Be warm."}}]}')
    stream.add(
        'data: {"choices": [{"delta": {"content": [{"type": "thinking", "thinking": "Warm."}, {"text": "Y"}]}}]}'
    )
    assert stream.said(holds=True) == "Y"
    assert stream.completion(is_cut=True)["choices"][0]["message"] == {
        "content": "Y",
        "reasoning_content": "Be warm.Warm.",
    }


def test_a_listener_ends_an_answer_that_is_too_long() -> None:
    heard, reply = hear(slow(WORDS * 200), stop_at=20)
    assert (reply.is_cut_off, len(reply.text) < 40, reply.text) == (True, True, heard[-1])


@pytest.mark.parametrize("words", ["Streaming is not supported.", "Unknown field stream"])
def test_a_server_that_cannot_stream_is_asked_for_the_whole(words: str) -> None:
    heard, reply = hear(ModelServer(lambda _prompt, _rng: WORDS, refuses=picky(stream=words)))
    assert (heard, reply.text) == ([], WORDS)


def test_a_server_that_counts_no_tokens_in_a_stream_still_streams() -> None:
    heard, reply = hear(slow(WORDS, refuses=picky(stream_options="stream_options is not supported")))
    assert (len(heard) > 2, reply.text) == (True, WORDS)


@pytest.mark.parametrize("words", [0, 3])
def test_a_stream_that_breaks_off_is_an_error(words: int) -> None:
    with pytest.raises(RequestError) as broken:
        hear(slow(WORDS, breaks_after=lambda _number: words))
    assert (broken.value.may_help, "cannot be reached" in str(broken.value)) == (True, True)


@pytest.mark.parametrize(
    ("end", "problem"),
    [("", "broke off"), ('data: {"error": {"message": "Overloaded", "code": 529}}\n\n', "Overloaded")],
)
def test_a_stream_without_its_end_is_an_error(end: str, problem: str) -> None:
    stream = 'data: {"choices": [{"delta": {"content": "It sounds"}}]}\n\n' + end
    server = ModelServer(lambda _prompt, _rng: "", lambda _: (200, {}, stream.encode()))
    with pytest.raises(RequestError, match=problem) as broken:
        hear(server)
    assert broken.value.may_help


@pytest.mark.parametrize("body", [b'{"choices": ["' + b"x" * 2000, b'data: {"choices": []}\n\n' * 100])
def test_an_answer_without_end_is_not_read_on(body: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_client, "_MAX_LETTERS", 1000)
    with pytest.raises(RequestError, match="more than 1,000 characters") as refused:
        hear(ModelServer(lambda _prompt, _rng: "", lambda _: (200, {}, body)))
    assert not refused.value.may_help


def test_words_before_the_first_event_and_other_line_separators_change_nothing() -> None:
    stream = ': busy\n\ndata: {"choices": [{"delta": {"content": "A\u2028B"}, "finish_reason": "stop"}]}\r\n\r\n'
    _, reply = hear(ModelServer(lambda _prompt, _rng: "", lambda _: (200, {}, stream.encode())))
    assert reply.text == "A\u2028B"


def test_errors_before_a_stream_are_in_words() -> None:
    with pytest.raises(RequestError, match="does not accept the key"):
        hear(ModelServer(lambda _prompt, _rng: "", lambda _: fail_with(401, "expired")))
