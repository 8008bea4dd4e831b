"""Replies other than an answer are explained in a sentence; the key is sent to no other server."""

import asyncio

import pytest

from app.llm.client.connection import connection
from app.llm.client.endpoint import Endpoint, Parameters, Reply
from app.llm.client.request_errors import RequestError
from app.llm.client.retries import RetryPolicy
from app.llm.outcomes import Outcome
from tests.kit.models_server import KEY, ModelServer, completed, fail_with, serving

PROMPT = [{"role": "user", "content": "Say something."}]


def ask(server: ModelServer, *, timeout_s: float = 30.0) -> Reply:
    async def once() -> Reply:
        async with connection(Endpoint(server.address, "test-model", KEY, timeout_s)) as send:
            return await send(PROMPT, Parameters(max_tokens=50), "request-1")

    return asyncio.run(once())


def refused_by(server: ModelServer, *, timeout_s: float = 30.0) -> RequestError:
    with serving(server), pytest.raises(RequestError) as refused:
        ask(server, timeout_s=timeout_s)
    return refused.value


def test_a_reply_has_its_tokens_version_and_fingerprint() -> None:
    with serving(ModelServer(lambda _prompt, _rng: "Hello")) as server:
        reply = ask(server)
    assert (reply.text, reply.tokens_in, reply.tokens_out) == ("Hello", 100, 20)
    assert (reply.model_version, reply.fingerprint, reply.stop) == ("test-model-1", "fp-1", "stop")
    assert server.seen[0]["max_tokens"] == 50


@pytest.mark.parametrize(
    ("trouble", "words", "may_help"),
    [
        (fail_with(401, "bad key"), "does not accept the key (HTTP 401)", False),
        (fail_with(404, "no model test-model"), "HTTP 404): no model test-model", False),
        (fail_with(400, "response_format is not supported"), "refused the request (HTTP 400)", False),
        (fail_with(500), "answered HTTP 500", True),
        ((200, {"Content-Type": "text/html"}, b"<html>Sign in</html>"), "answered with a page", False),
        ((200, {}, b"{broken"), "cannot be read", False),
        ((200, {}, b'{"choices": []}'), "answered with a page or a text", False),
    ],
)
def test_other_answers_are_explained_in_a_sentence(
    trouble: tuple[int, dict[str, str], bytes], words: str, *, may_help: bool
) -> None:
    error = refused_by(ModelServer(lambda _prompt, _rng: "", lambda _number: trouble))
    assert words in str(error)
    assert error.may_help is may_help
    assert KEY not in str(error)


TEXT = '{"q1": 4}'
HARMONY = "<|channel|>analysis<|message|>Perhaps 3.<|end|><|start|>assistant<|channel|>final<|message|>"


@pytest.mark.parametrize(
    ("message", "text", "thoughts"),
    [
        ({"content": TEXT}, TEXT, ""),
        ({"content": f"<think>Perhaps 3.</think>\n{TEXT}"}, TEXT, "Perhaps 3."),
        ({"content": f"Perhaps 3.\n</think>\n\n{TEXT}"}, TEXT, "Perhaps 3."),
        ({"content": '<think>Perhaps {"q1": 3}'}, "", 'Perhaps {"q1": 3}'),
        ({"content": TEXT, "reasoning_content": "Perhaps 3."}, TEXT, "Perhaps 3."),
        ({"content": f"[THINK]Perhaps 3.[/THINK]{TEXT}"}, TEXT, "Perhaps 3."),
        (
            {"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "Perhaps 3."}]}, {"text": TEXT}]},
            TEXT,
            "Perhaps 3.",
        ),
        (
            {"content": f"{HARMONY}{TEXT}"},
            TEXT,
            "analysis Perhaps 3.",
        ),
        ({"content": [TEXT[:3], {"type": "text", "text": TEXT[3:]}]}, TEXT, ""),
        ({"content": None}, "", ""),
        ({"content": 7}, "", ""),
        (None, "", ""),
        ("text", "", ""),
    ],
)
def test_every_form_of_an_answer_is_read_with_its_tokens(message: object, text: str, thoughts: str) -> None:
    with serving(ModelServer(lambda _prompt, _rng: "", lambda _: completed(message))) as server:
        reply = ask(server)
    assert (reply.text, " ".join(reply.thoughts.split()), reply.tokens_in, reply.tokens_out) == (
        text,
        thoughts,
        100,
        20,
    )


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        (fail_with(400, "The response was filtered", code="content_filter"), "The response was filtered"),
        (
            fail_with(403, "Your input was flagged", metadata={"reasons": ["violence"], "flagged_input": "..."}),
            "flagged",
        ),
        (fail_with(400, "Refused", innererror={"code": "ResponsibleAIPolicyViolation"}), "Refused"),
        ((200, {}, b'{"error": {"message": "Blocked by moderation", "code": 403}}'), "Blocked by moderation"),
    ],
)
def test_a_filter_is_a_refusal(trouble: tuple[int, dict[str, str], bytes], words: str) -> None:
    error = refused_by(ModelServer(lambda _prompt, _rng: "", lambda _: trouble))
    assert (error.outcome, error.may_help, words in str(error)) == (Outcome.REFUSED, False, True)


def test_an_error_with_http_200_is_an_error_with_its_tokens() -> None:
    body = b'{"error": {"message": "Overloaded", "code": 529}, "usage": {"prompt_tokens": 7, "completion_tokens": 1}}'
    error = refused_by(ModelServer(lambda _prompt, _rng: "", lambda _: (200, {}, body)))
    assert (str(error), error.may_help, error.tokens) == ("The endpoint answered HTTP 529: Overloaded.", True, (7, 1))


@pytest.mark.parametrize("trouble", [fail_with(429, "Quota", code="insufficient_quota"), fail_with(402, "Pay")])
def test_an_account_without_credit_ends_the_run(trouble: tuple[int, dict[str, str], bytes]) -> None:
    error = refused_by(ModelServer(lambda _prompt, _rng: "", lambda _: trouble))
    assert (error.ends_run, error.may_help) == (True, False)
    assert "has no credit left" in str(error)


def test_variables_of_another_company_stay_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org-secret")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Own: secret")
    with serving(ModelServer(lambda _prompt, _rng: "Hello")) as server:
        ask(server)
    assert "secret" not in str(server.headers[0]).replace(KEY, "")


def test_a_server_that_asks_for_a_key_says_that_none_is_set() -> None:
    async def once(address: str) -> None:
        async with connection(Endpoint(address, "test-model")) as send:
            await send(PROMPT, Parameters(max_tokens=50), "request-1")

    with serving(ModelServer(lambda _prompt, _rng: "", lambda _: fail_with(401, "no key"))) as server:
        with pytest.raises(RequestError, match=r"asks for a key .* none is set"):
            asyncio.run(once(server.address))
        assert server.keys == ["Bearer none"]


def test_a_redirect_is_not_followed() -> None:
    with serving(ModelServer(lambda _prompt, _rng: "")) as other:
        error = refused_by(ModelServer(lambda _prompt, _rng: "", lambda _: fail_with(307, Location=other.address)))
        assert "redirects to another address" in str(error)
        assert other.seen == []


def test_a_busy_server_names_the_time_to_wait() -> None:
    error = refused_by(ModelServer(lambda _prompt, _rng: "", lambda _: fail_with(429, "slow", Retry_After="7")))
    assert (error.may_help, error.wait_s) == (True, 7.0)
    assert RetryPolicy().wait_s(1, error.wait_s) >= 7.0


def test_a_context_that_is_too_short_has_its_own_outcome() -> None:
    error = refused_by(ModelServer(lambda _prompt, _rng: "", lambda _: fail_with(400, "Maximum context length is 8")))
    assert error.outcome is Outcome.TOO_LONG


def test_hanging_and_missing_servers_are_given_up() -> None:
    error = refused_by(ModelServer(lambda _prompt, _rng: "", delay_s=0.5), timeout_s=0.1)
    assert (str(error), error.may_help) == ("The endpoint did not answer within 0.1 s.", True)
    with pytest.raises(RequestError, match="cannot be reached"):
        ask(ModelServer(lambda _prompt, _rng: "", address="http://127.0.0.1:9/v1"))


def test_the_limit_of_an_answer_has_the_name_that_the_server_knows() -> None:
    from app.llm.client.openai_client import body_of

    own = body_of(Endpoint("https://api.openai.com/v1", "m"), PROMPT, Parameters(max_tokens=5))
    assert (own["max_completion_tokens"], "max_tokens" in own) == (5, False)
