"""Errors of requests to models, in words for the lead, and when to try again."""

import re
from collections.abc import Mapping
from time import time
from typing import Any

from app.base.processes.outgoing import seconds_to_wait
from app.llm.outcomes import Outcome

# How long a server asks to wait before the next try: in a header, or in the words of its answer.


_MAX_WAIT_S = 120.0
_MILLISECONDS = "retry-after-ms"
_HEADERS = (
    "retry-after",
    "ratelimit-reset",
    "x-ratelimit-reset",
    "x-ratelimit-reset-requests",
    "x-ratelimit-reset-tokens",
)
_IN_WORDS = re.compile(
    r"(?:try again in|retry(?: after| in)|retrydelay\W+)\s*((?:[\d.]+ ?(?:ms|s|m|h)[a-z]* ?)+)", re.IGNORECASE
)
_PART = re.compile(r"([\d.]+) ?(ms|h|m|s)[a-z]*", re.IGNORECASE)
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
# A larger number is a point in time, in seconds or thousandths of them, since 1970.
_A_TIME, _A_TIME_IN_MS = 1e9, 1e12


def asked_wait(headers: Mapping[str, str], body: object = None, *, now: float | None = None) -> float | None:
    """The seconds that a server asks to wait, at most two minutes; None if it does not say.

    >>> asked_wait({"Retry-After": "7"}), asked_wait({"retry-after-ms": "1500"}), asked_wait({"Retry-After": "1m2.5s"})
    (7.0, 1.5, 62.5)
    >>> asked_wait({"X-RateLimit-Reset-Requests": "120ms", "X-RateLimit-Reset-Tokens": "6m0s"})
    120.0
    >>> asked_wait({"X-RateLimit-Reset": "1700000030000"}, now=1_700_000_000)
    30.0
    >>> asked_wait({}, {"error": {"message": "Limit reached. Please try again in 7.66s."}})
    7.66
    >>> asked_wait({}, {"error": {"details": [{"retryDelay": "34s"}]}})
    34.0
    """
    given = {name.lower(): value.strip() for name, value in headers.items()}
    if (found := seconds_to_wait(given.get(_MILLISECONDS, ""), at_most=_MAX_WAIT_S * 1000)) is not None:
        return found / 1000
    waits = [_wait(given[name], now) for name in _HEADERS if name in given]
    said = [wait for wait in waits if wait is not None]
    # The header made for this purpose counts alone.
    if said:
        return said[0] if "retry-after" in given else max(said)
    match = _IN_WORDS.search(str(body or ""))
    return _wait(match[1], now) if match else None


def _wait(value: str, now: float | None) -> float | None:
    parts = _PART.findall(value)
    if parts and not _PART.sub("", value).strip():
        return min(sum(float(number) * _SECONDS[unit.lower()] for number, unit in parts), _MAX_WAIT_S)
    try:
        number = float(value)
    except ValueError:
        return seconds_to_wait(value, at_most=_MAX_WAIT_S)
    if not number >= _A_TIME:  # no number either
        return seconds_to_wait(value, at_most=_MAX_WAIT_S)
    at = number / 1000 if number >= _A_TIME_IN_MS else number
    return min(max(at - (time() if now is None else now), 0.0), _MAX_WAIT_S)


MAX_WORDS = 300
_UNAUTHORIZED, _FORBIDDEN, _NOT_FOUND, _TIMEOUT, _CONFLICT, _TOO_MANY = 401, 403, 404, 408, 409, 429
_PAYMENT, _BAD_GATEWAY = 402, 502
_ERRORS, _REDIRECTS = range(400, 600), range(300, 400)
_PASSING = {_TIMEOUT, _CONFLICT, _TOO_MANY, *range(500, 600)}
_REFUSALS = {400, _FORBIDDEN, 422, 451}
# Servers name a prompt that does not fit the context in these words.
_TOO_LONG = ("context_length", "context length", "maximum context", "context window", "too long", "too many tokens")
# And these texts that a filter did not let through, and an account without money.
_FILTERED = ("content_filter", "content filter", "content management policy", "responsibleai", "moderation", "flagged")
_NO_CREDIT = ("insufficient_quota", "insufficient quota", "insufficient credit", "insufficient balance", "billing_")


class RequestError(Exception):
    """There is no answer.

    `may_help`: whether another try may help; `wait_s`: the seconds that the server asks for; `ends_run`: whether every
    other request would fail too; `tokens`: those of prompt and answer that the server counted nevertheless.
    """

    def __init__(
        self,
        words: str,
        *,
        may_help: bool = False,
        wait_s: float | None = None,
        outcome: Outcome = Outcome.FAILED,
        ends_run: bool = False,
        tokens: tuple[int, int] = (0, 0),
    ) -> None:
        """Say why, in a sentence."""
        super().__init__(words)
        self.may_help = may_help
        self.wait_s = wait_s
        self.outcome = outcome
        self.ends_run = ends_run
        self.tokens = tokens


def problem_of_status(status: int, body: object, headers: Mapping[str, str], *, has_key: bool = True) -> RequestError:
    """The error for an HTTP status, to a request with or without a key. `body`: what the server sent with it."""
    words, marks = words_of(body), _marks_of(body)
    said = f": {words.rstrip('.')}." if words else "."
    if status in _REDIRECTS:
        return RequestError("The endpoint redirects to another address, which is not followed. Check the base URL.")
    if known := _known_problem(status, marks, said):
        return known
    if status in {_UNAUTHORIZED, _FORBIDDEN} and "logprob" not in marks:
        return RequestError(_about_key(status, has_key=has_key))
    if status == _NOT_FOUND:
        return RequestError(f"The endpoint does not know this address or model (HTTP 404){said}")
    if status in _PASSING:
        wait = asked_wait(headers, body)
        return RequestError(f"The endpoint answered HTTP {status}{said}", may_help=True, wait_s=wait)
    return RequestError(f"The endpoint refused the request (HTTP {status}){said}")


def _known_problem(status: int, marks: str, said: str) -> RequestError | None:
    """A filter, an account without money, or a prompt that is too long, if the answer names one of them."""
    if status in _REFUSALS and any(mark in marks for mark in _FILTERED):
        return RequestError(f"A content filter of the endpoint refused the request{said}", outcome=Outcome.REFUSED)
    if status == _PAYMENT or any(mark in marks for mark in _NO_CREDIT):
        return RequestError(
            f"The account of this endpoint has no credit left (HTTP {status}){said} Add credit, then continue the run.",
            ends_run=True,
        )
    if status not in _PASSING and any(mark in marks for mark in _TOO_LONG):
        return RequestError(
            f"The prompt does not fit into the model's context (HTTP {status}){said}", outcome=Outcome.TOO_LONG
        )
    return None


def problem_in_body(body: Mapping[str, Any], headers: Mapping[str, str], tokens: tuple[int, int]) -> RequestError:
    """The error for a body without an answer that came with HTTP 200. `tokens`: of prompt and answer, if it has any."""
    said = body.get("error") or body.get("detail")
    if not said:
        words = "The endpoint answered with a page or a text, not with an answer of a model."
        return RequestError(words, tokens=tokens)
    code = str(said.get("code")) if isinstance(said, dict) else ""
    status = int(code) if code.isdecimal() and int(code) in _ERRORS else _BAD_GATEWAY
    problem = problem_of_status(status, body, headers)
    problem.tokens = tokens
    return problem


def words_of(body: object) -> str:
    """The server's own message in the body of an error, in one line."""
    found = body
    for name in ("error", "message", "detail"):
        if isinstance(found, dict) and found.get(name):
            found = found[name]
    return cut_to_line(found if isinstance(found, str) else str(found or ""))


def _marks_of(body: object) -> str:
    """The message of an error and its codes, in small letters."""
    error = body.get("error", body) if isinstance(body, dict) else {}
    if not isinstance(error, dict):
        return words_of(body).lower()
    inner = error.get("innererror") or error.get("inner_error") or {}
    details = error.get("metadata") or {}
    codes = [error.get("code"), error.get("type"), inner.get("code") if isinstance(inner, dict) else None]
    if isinstance(details, dict) and "flagged_input" in details:
        codes.append("moderation")
    return " ".join([words_of(body), *(str(code) for code in codes if code)]).lower()


def _about_key(status: int, *, has_key: bool) -> str:
    if has_key:
        return f"The endpoint does not accept the key (HTTP {status}). Check the key and its rights."
    set_one = "Set ATTUNE_MODEL_KEY_FILE, or key_file in the list of servers."
    return f"The endpoint asks for a key (HTTP {status}), and none is set. {set_one}"


def cut_to_line(text: str) -> str:
    """A text as one line of limited length."""
    line = " ".join(text.split())
    return line if len(line) <= MAX_WORDS else f"{line[:MAX_WORDS]}…"
