"""An OpenAI-compatible server, how an answer is sampled, and what came back."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Message = dict[str, str]
# How the server is asked for JSON: by a schema, by JSON mode, or in words only.
AnswerFormat = Literal["schema", "json", "words"]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server and a model on it. The key is not part of any text made from it."""

    base_url: str
    model: str
    key: str = field(default="", repr=False)
    timeout_s: float = 120.0


@dataclass(frozen=True, slots=True)
class Parameters:
    """How an answer is sampled. `schema` is the JSON schema of the answer, None for a text."""

    max_tokens: int
    temperature: float | None = None
    seed: int | None = None
    schema: dict[str, Any] | None = None
    answer_format: AnswerFormat = "schema"
    with_probabilities: bool = False


@dataclass(frozen=True, slots=True)
class TokenProbability:
    """A token of the answer and the log-probability with which it was sampled."""

    token: str
    log_probability: float


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `stop` is the server's reason for the end, such as `stop` or `length`."""

    text: str
    stop: str
    refusal: str | None
    model_version: str
    fingerprint: str | None
    tokens_in: int
    tokens_out: int
    probabilities: tuple[TokenProbability, ...] = ()
