"""Numbers for responses from a program or an endpoint: one JSON object per line goes in, one per line comes back."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import dataclass, field
from math import isfinite
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from app.design.numbers import number_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

# A line of scores is short; more than this is no scores.
MAX_OUTPUT = 50_000_000
_BATCH = 100
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_MAX_SHOWN = 200


class ScoringError(RuntimeError):
    """There are no scores; the message says why."""


@dataclass(slots=True)
class Scored:
    """The scores by response and name, the versions of their maker, and what went wrong, by response."""

    scores: dict[str, dict[str, str]] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)


def score_by_command(command: Sequence[str], lines: Sequence[Mapping[str, Any]], *, timeout_s: float) -> Scored:
    """Run a program once; it reads the lines from standard input and writes its own to standard output.

    Raises:
        ScoringError: it cannot be started, takes too long, writes too much, or ends with an error.
    """
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as said:
        given.write(_packed(lines))
        given.seek(0)
        try:
            done = subprocess.run(command, stdin=given, stdout=out, stderr=said, timeout=timeout_s, check=False)
        except subprocess.TimeoutExpired:
            raise ScoringError(f"The command did not end within {timeout_s:g} s.") from None
        except OSError as error:
            raise ScoringError(f"The command cannot be started: {error.strerror}.") from None
        if done.returncode:
            said.seek(0)
            words = " ".join(said.read(10_000).decode(errors="replace").split())[-_MAX_SHOWN:]
            raise ScoringError(f"The command ended with exit code {done.returncode}: {words or 'no message'}.")
        out.seek(0)
        return read_scores(_bounded(out), [str(line["response"]) for line in lines])


def score_by_endpoint(url: str, lines: Sequence[Mapping[str, Any]], *, timeout_s: float) -> Scored:
    """Post the lines to an address, a hundred at a time. Redirects are not followed.

    Raises:
        ScoringError: the address does not answer, or not with lines.
    """
    if urlsplit(url).scheme not in {"http", "https"}:
        raise ScoringError("Expected an address that begins with http:// or https://.")
    found = Scored()
    for first in range(0, len(lines), _BATCH):
        batch = lines[first : first + _BATCH]
        request = Request(url, _packed(batch), {"Content-Type": "application/x-ndjson"}, method="POST")  # noqa: S310 - checked above
        try:
            with build_opener(_NoRedirect).open(request, timeout=timeout_s) as answer:
                part = read_scores(_bounded(answer), [str(line["response"]) for line in batch])
        except HTTPError as error:
            raise ScoringError(f"The endpoint answered HTTP {error.code}.") from None
        except (URLError, TimeoutError, OSError) as error:
            raise ScoringError(f"The endpoint cannot be reached: {getattr(error, 'reason', error)}.") from None
        found.scores |= part.scores
        found.versions |= part.versions
        found.problems |= part.problems
    return found


class _NoRedirect(HTTPRedirectHandler):
    """Texts of a study go to the named address and nowhere else."""

    def redirect_request(self, *_: Any) -> None:  # noqa: ANN401 - as in the base class
        """Follow no redirect."""


def _packed(lines: Iterable[Mapping[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


def _bounded(file: IO[bytes]) -> Iterator[str]:
    """The lines of an answer of limited length."""
    content = file.read(MAX_OUTPUT + 1)
    if len(content) > MAX_OUTPUT:
        raise ScoringError(f"The answer has more than {MAX_OUTPUT:,} bytes.")
    yield from content.decode(errors="replace").splitlines()


def read_scores(lines: Iterable[str], asked: Sequence[str]) -> Scored:
    """The scores of the lines; a response without scores has a problem that says why.

    >>> read_scores(['{"response": "a", "scores": {"warmth": 0.5}}'], ["a", "b"]).problems
    {'b': 'There is no line for this response.'}
    """
    found, waiting = Scored(), set(asked)
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        one = _object(line, number)
        key = one.get("response")
        if not isinstance(key, str) or key not in waiting:
            raise ScoringError(
                f"Line {number} is about {_shown(key)}, which is not a response of the study or already has a line."
            )
        waiting.discard(key)
        try:
            found.scores[key] = _numbers(one)
            found.versions[key] = str(one.get("version") or "").replace("\0", "")[:_MAX_SHOWN]
        except ValueError as error:
            found.problems[key] = str(error)
    found.problems |= {key: "There is no line for this response." for key in asked if key in waiting}
    return found


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        one = json.loads(line)
    except (ValueError, RecursionError):
        raise ScoringError(f"Line {number} of the answer is not JSON: {line[:_MAX_SHOWN]}") from None
    if not isinstance(one, dict):
        raise ScoringError(f"Line {number} of the answer is not a JSON object: {line[:_MAX_SHOWN]}")
    return one


def _numbers(one: Mapping[str, Any]) -> dict[str, str]:
    if one.get("error"):
        raise ValueError(" ".join(str(one["error"]).split())[:_MAX_SHOWN])
    scores = one.get("scores")
    if not isinstance(scores, dict) or not scores:
        raise ValueError('The line has no "scores".')
    for name, value in scores.items():
        if not _NAME.fullmatch(name):
            raise ValueError(
                f"The score name {_shown(name)} can contain only letters, digits, hyphens, points and underscores."
            )
        if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
            raise ValueError(f"The score {name} is {_shown(value)}, which is not a number.")
    return {name: number_text(float(value)) for name, value in scores.items()}


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)[:_MAX_SHOWN]
