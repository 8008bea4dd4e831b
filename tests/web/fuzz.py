"""Requests drawn from a seed: our own addresses with all kinds of nonsense in paths, parameters, headers and bodies."""

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlencode

from fastapi import FastAPI

ORIGIN = "http://testserver"
# As in an address: percent signs are sent unchanged.
PATH_NONSENSE = (
    "%00",
    "%ED%A0%80",
    "%FF%FE",
    "..",
    "%2e%2e%2f",
    "a" * 3000,
    "%F0%9F%99%82",
    "-1",
    "9" * 40,
    "null",
    "%5B",
    "%0D%0A",
    "%25",
    "%",
    "%zz",
    "'",
    "%3Cscript%3E",
    "",
    "{slug}",
    "00000000-0000-0000-0000-000000000000",
    "new",
    "demo",
    "%E2%80%AE",
)
TEXT_NONSENSE = (
    "",
    "\0",
    "a\0b",
    "x" * 5000,
    "-1",
    "0",
    "1",
    "4",
    "9" * 400,
    "1e400",
    "nan",
    "left",
    "right",
    "tie",
    "https://[",
    "{{7*7}}",
    "' OR 1=1 --",
    "\r\nX: y",
    "\u202eabc",
    "🙂" * 50,
    "a@b",
    "a@b\0c",
    "null",
    "[]",
    "on",
    "true",
    "ｆｕｌｌ",
    "１",
    "agree",
    "refuse",
    "delete",
    "stop",
    "open",
    "closed",
    "//evil.example",
    "/studies",
    "https://www.mturk.com",
)
JSON_NONSENSE = (
    b"",
    b"{",
    b"[]",
    b"null",
    b"1",
    b'"x"',
    b"{}",
    b'{"q0": "\\ud800"}',
    b'{"\\udfff": 1}',
    b'{"q0": "\\u0000"}',
    b'{"q0": null}',
    b'{"q0": {"a": [1, 2]}}',
    b'{"q0": [["left"]]}',
    b"[" * 5000,
    b'{"q0": 1e400}',
    b"NaN",
    b"\xff\xfe{",
    b'{"slot": "q0", "q0": "left", "idempotency_key": 7}',
    b'{"email": 1, "password": {}}',
    b"9" * 5000,
)
PARAMETERS = (
    "participant",
    "PROLIFIC_PID",
    "workerId",
    "assignmentId",
    "turkSubmitTo",
    "survey_code",
    "invite",
    "next",
    "of",
    "key",
    "theme",
    "spreadsheet",
    "again",
    "site",
    "STUDY_ID",
    "SESSION_ID",
)
FIELDS = (
    "q0",
    "q1r0",
    "q1r1",
    "q2",
    "slot",
    "idempotency_key",
    "turn",
    "hidden_ms",
    "reason",
    "withdraw",
    "consent",
    "keys",
    "check",
    "email",
    "password",
    "next",
    "status",
    "name",
    "title",
    "slug",
    "text",
    "source",
    "kind",
    "column",
    "file",
)
TYPES = (
    "application/x-www-form-urlencoded",
    "application/x-www-form-urlencoded; charset=utf-16",
    "application/json",
    "application/json; charset=nonsense",
    "multipart/form-data",
    "multipart/form-data; boundary=b",
    "text/plain",
    "",
    "\xff",
    "multipart/form-data; boundary=" + "b" * 500,
)
HEADERS: Mapping[str, Sequence[str]] = {
    "hx-request": ("true", "false", "\xff"),
    "hx-history-restore-request": ("true",),
    "hx-target": ("coverage", "#'"),
    "accept": ("application/json", "text/html", "*/*;q=x", ""),
    "accept-language": ("de, en;q=0.5", ",,;;", "x" * 3000, "\xff", "tlh-" + "a-" * 50),
    "cookie": ("attune-lead=\xff; attune-rater-small=\0", "a" * 4000, ";;;=", "attune-rater-small=ä"),
    "range": ("bytes=0-1", "bytes=-", "bytes=9-1"),
    "if-none-match": ("*",),
    "sec-fetch-dest": ("iframe",),
    "x-forwarded-for": ("1.2.3.4, \xff",),
    "content-length": ("-1", "x"),
    "expect": ("100-continue",),
}
METHODS = ("GET",) * 9 + ("POST",) * 9 + ("HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "QUERY")


class Draw(NamedTuple):
    """One request."""

    method: str
    path: str
    query: str
    headers: list[tuple[str, str]]
    body: bytes


def draw(rng: Random, templates: Sequence[str], words: Mapping[str, str]) -> Draw:
    """Draw a request to one of the addresses, or to an unknown one.

    Args:
        rng: random number generator.
        templates: paths of the application, such as `/s/{slug}/rate/{token}`.
        words: valid values for the parameters in braces.
    """
    method = rng.choice(METHODS)
    parts = (_segment(rng, part, words) for part in rng.choice(templates).split("/"))
    headers = [(name, rng.choice(values)) for name, values in HEADERS.items() if rng.random() < 0.12]
    kind, body = _body(rng)
    if kind:
        headers.append(("content-type", kind))
    return Draw(method, "/".join(parts), _query(rng), headers, body)


def _segment(rng: Random, part: str, words: Mapping[str, str]) -> str:
    for name, word in words.items():
        part = part.replace("{" + name + "}", rng.choice(PATH_NONSENSE) if rng.random() < 0.3 else word)
    return part


def _query(rng: Random) -> str:
    names = [rng.choice(PARAMETERS) for _ in range(rng.choice((0, 0, 1, 1, 2, 5)))]
    raw = "&".join(f"{name}={rng.choice(PATH_NONSENSE)}" for name in names)
    return raw if rng.random() < 0.4 else urlencode([(name, rng.choice(TEXT_NONSENSE)) for name in names])


def _body(rng: Random) -> tuple[str, bytes]:
    kind = rng.choice(TYPES)
    shape = rng.random()
    if shape < 0.4:
        fields = [(rng.choice(FIELDS), rng.choice(TEXT_NONSENSE)) for _ in range(rng.choice((0, 1, 3, 8)))]
        return rng.choice((TYPES[0], kind)), urlencode(fields).encode()
    if shape < 0.7:
        return rng.choice(("application/json", kind)), rng.choice(JSON_NONSENSE)
    if shape < 0.8:
        part = f'--b\r\nContent-Disposition: form-data; name="{rng.choice(FIELDS)}"'
        part += rng.choice(("", '; filename="study.yaml"', '; filename="\0.csv"')) + "\r\n\r\n"
        return TYPES[5], part.encode() + rng.choice(JSON_NONSENSE) + rng.choice((b"\r\n--b--\r\n", b"", b"\r\n--b"))
    return kind, rng.randbytes(rng.choice((0, 1, 50, 3000)))


async def ask(app: FastAPI, request: Draw, cookies: str) -> int:
    """Send the request as uvicorn would pass it to the application; returns the status code."""
    headers = {"host": "testserver", "origin": ORIGIN, "content-length": str(len(request.body)), "cookie": cookies}
    headers |= dict(request.headers)
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": "http",
        "path": unquote(request.path),
        "raw_path": quote(request.path, safe="/%").encode(),
        "root_path": "",
        "query_string": request.query.encode(),
        "client": ("127.0.0.1", 1),
        "server": ("testserver", 80),
        "headers": [(name.encode(), value.encode("latin-1", "replace")) for name, value in headers.items()],
    }
    pieces = [{"type": "http.request", "body": request.body, "more_body": False}]
    statuses = list[int]()

    async def receive() -> dict[str, Any]:
        return pieces.pop() if pieces else {"type": "http.disconnect"}

    async def send(message: Any) -> None:  # noqa: ANN401 - an ASGI message
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    await app(scope, receive, send)
    return statuses[0] if statuses else 0


def in_words(request: Draw) -> str:
    """The request as text, to reproduce it."""
    return json.dumps([*request[:4], request.body.decode("latin-1")])[:600]
