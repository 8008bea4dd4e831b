"""Errors of requests to models, in words for the lead, and when to try again."""

from __future__ import annotations

from collections.abc import Mapping

from app.base.processes.outgoing import seconds_to_wait
from app.llm.outcomes import Outcome

MAX_WORDS = 300
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND, _TIMEOUT, _CONFLICT, _TOO_MANY = 401, 403, 404, 408, 409, 429
_REDIRECTS, _SERVER_ERRORS = range(300, 400), range(500, 600)
_MAX_WAIT_S = 120.0
# Servers name a prompt that does not fit the context in these words.
_TOO_LONG = ("context_length", "context length", "maximum context", "context window", "too long", "too many tokens")


class RequestError(Exception):
    """There is no answer. `may_help`: whether another try may help; `wait_s`: the seconds that the server asks for."""

    def __init__(
        self, words: str, *, may_help: bool = False, wait_s: float | None = None, outcome: Outcome = Outcome.FAILED
    ) -> None:
        """Say why, in a sentence."""
        super().__init__(words)
        self.may_help = may_help
        self.wait_s = wait_s
        self.outcome = outcome


def problem_of_status(status: int, words: str, headers: Mapping[str, str], *, has_key: bool = True) -> RequestError:
    """The error for an HTTP status, to a request with or without a key."""
    said = f": {words}" if words else "."
    if status in _REDIRECTS:
        return RequestError("The endpoint redirects to another address, which is not followed. Check the base URL.")
    if status in {_UNAUTHORIZED, _FORBIDDEN} and "logprob" not in words.lower():
        return RequestError(_about_key(status, has_key=has_key))
    if status == _NOT_FOUND:
        return RequestError(f"The endpoint does not know this address or model (HTTP 404){said}")
    if status in {_TIMEOUT, _CONFLICT, _TOO_MANY} or status in _SERVER_ERRORS:
        return RequestError(f"The endpoint answered HTTP {status}{said}", may_help=True, wait_s=_wait_of(headers))
    if any(mark in words.lower() for mark in _TOO_LONG):
        return RequestError(
            f"The prompt does not fit into the model's context (HTTP {status}){said}", outcome=Outcome.TOO_LONG
        )
    return RequestError(f"The endpoint refused the request (HTTP {status}){said}")


def _about_key(status: int, *, has_key: bool) -> str:
    if has_key:
        return f"The endpoint does not accept the key (HTTP {status}). Check the key and its rights."
    return f"The endpoint asks for a key (HTTP {status}), and none is set. Set ATTUNE_MODEL_KEY_FILE."


def _wait_of(headers: Mapping[str, str]) -> float | None:
    header = {name.lower(): value for name, value in headers.items()}.get("retry-after", "")
    return seconds_to_wait(header, at_most=_MAX_WAIT_S)


def cut_to_line(text: str) -> str:
    """A text as one line of limited length."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_WORDS else f"{line[:MAX_WORDS]}…"
