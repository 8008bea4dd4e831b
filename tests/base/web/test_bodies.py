"""Request bodies: complete before the application sees them, with limits on time and size."""

import asyncio
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.types import Message, Receive, Scope, Send

from app.base.web.middleware.bodies import Bodies
from app.routes import UPLOADS

Piece = bytes | None


class Recorder:
    """An application that records what it received, and a client that records the response."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.statuses: list[int] = []

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        self.bodies.append(message.get("body", b""))
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.statuses.append(message["status"])


def visitor_who_sends(pieces: Sequence[Piece]) -> Receive:
    """Send pieces of a body one by one; None waits forever, and after the last piece the client disconnects."""
    left: Iterator[Piece] = iter(pieces)

    async def receive() -> Message:
        piece = next(left, b"")
        if piece is None:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": piece, "more_body": bool(piece)}

    return receive


@pytest.fixture
def ask(app: FastAPI) -> Callable[..., Recorder]:
    """Send a body in pieces."""

    def go(pieces: Sequence[Piece], headers: dict[bytes, bytes] | None = None, path: str = "/s/x/start") -> Recorder:
        recorder = Recorder()
        bodies = Bodies(recorder, max_bytes=10, uploads=re.compile("/upload"), seconds=0.05)
        scope: dict[str, Any] = {
            "type": "http",
            "method": "POST",
            "path": path,
            "headers": list((headers or {}).items()),
            "app": app,
            "query_string": b"",
        }
        asyncio.run(bodies(scope, visitor_who_sends(pieces), recorder.send))
        return recorder

    return go


def test_body_in_chunks_is_delivered_whole(ask: Callable[..., Recorder]) -> None:
    found = ask([b"one", b"two"])
    assert (found.bodies, found.statuses) == ([b"onetwo"], [200])


def test_missing_body_returns_408_without_reaching_handler(ask: Callable[..., Recorder]) -> None:
    found = ask([b"o", None])
    assert (found.bodies, found.statuses) == ([], [408])


@pytest.mark.parametrize(("pieces", "headers"), [([b"x" * 6] * 2, {}), ([b"x"], {b"content-length": b"11"})])
def test_oversized_body_returns_413_with_or_without_length(
    ask: Callable[..., Recorder], pieces: list[bytes], headers: dict[bytes, bytes]
) -> None:
    found = ask(pieces, headers)
    assert (found.bodies, found.statuses) == ([], [413])


def test_invalid_content_length_returns_400(ask: Callable[..., Recorder]) -> None:
    assert ask([b"x"], {b"content-length": b"-1"}).statuses == [400]


def test_upload_streams_and_ends_when_stalled(ask: Callable[..., Recorder], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.base.web.middleware.bodies.CHUNK_S", 0.01)
    assert ask([b"x" * 20], path="/upload").bodies == [b"x" * 20]
    assert ask([None], path="/upload").bodies == [b""]


@pytest.mark.parametrize(("body", "status"), [(b"--b\r\n", 400), (b"--b--", 200)])
def test_unterminated_multipart_form_returns_400(ask: Callable[..., Recorder], body: bytes, status: int) -> None:
    assert ask([body], {b"content-type": b"multipart/form-data; boundary=b"}).statuses == [status]


def test_forms_of_a_study_called_like_the_uploads_are_read_before_their_turn() -> None:
    paths = ("/studies/new", "/studies/new/small/texts", "/api/v1/studies/small/items")
    assert all(UPLOADS.match(path) for path in paths)
    assert not UPLOADS.match("/studies/newsletter/people")
