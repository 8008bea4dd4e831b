"""An OpenAI-compatible server, how an answer is sampled, and what came back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Message = dict[str, str]
# Is given an answer so far, without thoughts, while it arrives; False ends the answer there, as if at its limit.
Heard = Callable[[str], bool]
# How the server is asked for JSON: by a schema, by JSON mode, or in words only.
AnswerFormat = Literal["schema", "json", "words"]
# The database holds no longer seed; each repeat of a run adds 1 to it.
MAX_DIGITS_OF_SEED = 18
MAX_TOKENS_OF_ANSWER = 1_000_000
# Why an answer ended, as servers say it.
_CUT_OFF = {"length", "max_tokens", "max_output_tokens", "model_length"}
_FILTERED = {"content_filter", "refusal", "safety", "blocklist", "prohibited_content", "sensitive"}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server and a model on it. The key and headers are not part of any text made from it.

    `extra_body`: fields that this server needs or takes beyond the usual ones, such as `reasoning_effort`; `headers`:
    sent with each request; `per_minute`: the largest number of requests per minute, None for any.
    """

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    timeout_s: float = 120.0
    extra_body: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    per_minute: float | None = None


class Noted(Protocol):
    """Is told that a batch was sent, or that it has been read."""

    def __call__(self, number: str, *, is_under_way: bool) -> None:
        """Keep it, or forget it."""


def _forget(number: str, *, is_under_way: bool) -> None:
    """Keep nothing."""


@dataclass(frozen=True, slots=True)
class BatchPace:
    """Batches: how long to wait for further requests, how many one has at most, how often to ask for its state.

    `patience_s`: how long to wait for the answers after the last batch was sent, None for as long as it takes.
    `sent`: the batches of the run that an earlier process has sent and not read; `note` is told of each batch when it
    is sent and when it has been read.
    """

    quiet_s: float = 2.0
    n_at_most: int = 50_000
    poll_s: float = 30.0
    patience_s: float | None = None
    sent: tuple[str, ...] = ()
    note: Noted = _forget


class BatchUnderWayError(Exception):
    """A batch was sent and takes longer than this process waits; the next one finds it."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """How an answer is sampled.

    `schema` is the JSON schema of the answer, None for a text; `n_alternatives` is the number of alternatives to each
    token that are asked for with its log-probability, 0 for no log-probabilities. `is_stream`: the answer comes piece
    by piece. The other three are for servers that call the limit of an answer `max_completion_tokens`, take `logprobs`
    as a number, or count no tokens in a stream.
    """

    max_tokens: int
    temperature: float | None = None
    seed: int | None = None
    schema: dict[str, Any] | None = None
    answer_format: AnswerFormat = "schema"
    n_alternatives: int = 0
    has_other_limit: bool = False
    has_integer_logprobs: bool = False
    is_stream: bool = False
    has_stream_usage: bool = True


@dataclass(frozen=True, slots=True)
class TokenProbability:
    """A token of the answer and the log-probability with which it was sampled.

    `data`: its bytes, if the server sends them; a token can be a part of a character. `others`: the most probable
    tokens at this place with their log-probabilities; the token itself may be among them.
    """

    token: str
    log_probability: float
    data: bytes | None = None
    others: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `stop` is the server's reason for the end, such as `stop` or `length`.

    `text` is the answer without thoughts, `raw` the whole text as it was sent, `thoughts` what the model thought in
    that text or beside it. `sent`: the parameters of the request; `provider`: who answered for the server.
    """

    text: str
    stop: str
    refusal: str | None
    model_version: str
    fingerprint: str | None
    tokens_in: int
    tokens_out: int
    probabilities: tuple[TokenProbability, ...] = ()
    raw: str = ""
    thoughts: str = ""
    response_id: str = ""
    provider: str = ""
    tokens_cached: int = 0
    tokens_thinking: int = 0
    sent: Mapping[str, Any] = field(default_factory=dict)

    @property
    def is_cut_off(self) -> bool:
        """Whether the answer reached its limit of tokens."""
        return self.stop.lower() in _CUT_OFF

    @property
    def refused_because(self) -> str | None:
        """Why the model or a filter refused to answer; None if it did not."""
        if self.refusal or self.stop.lower() in _FILTERED:
            return self.refusal or "The server's content filter stopped the answer."
        return None
