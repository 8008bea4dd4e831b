"""Request bodies are read before a request takes a connection or a turn, with limits on size and time.

FastAPI reads a form for the handler that needs it, which is after its transaction has begun: twenty clients that send
their bodies very slowly would block every turn.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable
from zlib import compress

from python_multipart.multipart import parse_options_header
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.base.rendering.assets import accepts_gzip
from app.base.web.error_responses import NOT_POSSIBLE, TIMED_OUT, TOO_SLOW, answer
from app.base.web.errors import WORDS

READ_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
BODY_S, CHUNK_S, UPLOAD_S = 20.0, 20.0, 900.0
BAD_REQUEST, REQUEST_TIMEOUT, TOO_LARGE = 400, 408, 413


class Bodies:
    """Pure ASGI: passes on a body only when it has arrived completely. Uploads are streamed, with time limits."""

    def __init__(self, app: ASGIApp, *, max_bytes: int, uploads: re.Pattern[str], seconds: float = BODY_S) -> None:
        """Read bodies for `app`; `uploads` matches the beginning of paths whose handlers read the body themselves."""
        self.app, self.max_bytes, self.uploads, self.seconds = app, max_bytes, uploads, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Read the body, then pass the request on or reject it."""
        if scope["type"] != "http" or scope["method"] in READ_METHODS:
            await self.app(scope, receive, send)
        elif self.uploads.match(scope["path"]):
            await self.app(scope, _bounded(receive), send)
        else:
            await self._buffer(scope, receive, send)

    async def _buffer(self, scope: Scope, receive: Receive, send: Send) -> None:
        body: bytes | int | None
        try:
            async with asyncio.timeout(self.seconds):
                body = await self._read(scope, receive)
        except TimeoutError:
            body = REQUEST_TIMEOUT
        if isinstance(body, bytes) and _is_cut_short(scope, body):
            body = BAD_REQUEST
        if isinstance(body, int):
            await _refuse(scope, receive, send, body)
        elif body is not None:
            await self.app(scope, _replay(body, receive), send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes | int | None:
        """The body, None if the client disconnected, or the status code of a rejection."""
        announced = Headers(scope=scope).get("content-length", "0")
        if not announced.isdecimal():
            return BAD_REQUEST
        if int(announced) > self.max_bytes:
            return TOO_LARGE
        parts, n_bytes, has_more = list[bytes](), 0, True
        while has_more:
            message = await receive()
            if message["type"] == "http.disconnect":
                return None
            parts.append(message.get("body", b""))
            n_bytes += len(parts[-1])
            if n_bytes > self.max_bytes:
                return TOO_LARGE
            has_more = message.get("more_body", False)
        return b"".join(parts)


def _is_cut_short(scope: Scope, body: bytes) -> bool:
    """Whether a multipart form lacks its end: parsing it would leave the file of the last part open."""
    kind, options = parse_options_header(Headers(scope=scope).get("content-type", ""))
    if kind != b"multipart/form-data":
        return False
    return b"--" + options.get(b"boundary", b"") + b"--" not in body


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int) -> None:
    words = {REQUEST_TIMEOUT: (TIMED_OUT, TOO_SLOW)}.get(status, (NOT_POSSIBLE, WORDS.get(status, WORDS[BAD_REQUEST])))
    # The rest of the body has not arrived yet, so the connection cannot be reused.
    page = answer(Request(scope), status, *words, headers={"Connection": "close"})
    await page(scope, receive, send)


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return the body in one piece, then pass on later messages, such as a disconnect."""
    is_read = False

    async def replay() -> Message:
        nonlocal is_read
        if is_read:
            return await receive()
        is_read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _bounded(receive: Receive) -> Callable[[], Awaitable[Message]]:
    """A stream that ends as if the client had disconnected, once a chunk or the whole body takes too long."""
    deadline: float | None = None

    async def bounded() -> Message:
        nonlocal deadline
        now = asyncio.get_running_loop().time()
        deadline = deadline or now + UPLOAD_S
        try:
            async with asyncio.timeout(min(CHUNK_S, max(deadline - now, 0.0))):
                return await receive()
        except TimeoutError:
            return {"type": "http.disconnect"}

    return bounded


# A page for requests that are too large.
#
# If the length was announced, FastAPI's own limit responds with a few words of plain text, bypassing all error
# handlers.

PAYLOAD_TOO_LARGE = 413


class TooLarge:
    """Pure ASGI: replaces the plain-text response with a page."""

    def __init__(self, app: ASGIApp) -> None:
        """Wrap `app`, whose plain-text response about a body that is too large is replaced."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass everything on except the plain-text response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        is_replaced = False

        async def send_in_words(message: Message) -> None:
            nonlocal is_replaced
            if is_replaced:
                return
            is_replaced = _is_plain_refusal(message)
            if is_replaced:
                page = answer(Request(scope), PAYLOAD_TOO_LARGE, NOT_POSSIBLE, WORDS[PAYLOAD_TOO_LARGE])
                await page(scope, receive, send)
            else:
                await send(message)

        await self.app(scope, receive, send_in_words)


def _is_plain_refusal(message: Message) -> bool:
    if message["type"] != "http.response.start" or message["status"] != PAYLOAD_TOO_LARGE:
        return False
    return Headers(raw=message["headers"]).get("content-type", "").startswith("text/plain")


# Text responses are compressed: rating pages shrink to a fifth.


# Below this size, the additional headers outweigh the savings.
MIN_BYTES = 800
# Pages are compressed for each request: level 6 takes three times as long for a tenth fewer bytes.
LEVEL, GZIP = 1, 31
TEXT = ("text/html", "text/plain", "text/css", "text/csv", "text/javascript", "application/json")


class Compression:
    """Pure ASGI: compresses responses that are sent in one piece. Streamed downloads are not changed."""

    def __init__(self, app: ASGIApp) -> None:
        """Compress the responses of `app`."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Delay the start of a response until its first piece shows whether it is the only one."""
        if scope["type"] != "http" or not accepts_gzip(Headers(scope=scope)):
            await self.app(scope, receive, send)
            return
        start: Message | None = None

        async def send_compressed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and _is_text(message):
                start = message
                return
            if start is not None:
                message = _compressed(start, message)
                await send(start)
                start = None
            await send(message)

        await self.app(scope, receive, send_compressed)


def _is_text(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return headers.get("content-type", "").startswith(TEXT) and "content-encoding" not in headers


def _compressed(start: Message, body: Message) -> Message:
    """The body, compressed if it is worth it, with the headers set accordingly."""
    headers = MutableHeaders(raw=start["headers"])
    headers.add_vary_header("Accept-Encoding")
    content = body.get("body", b"")
    if body.get("more_body") or len(content) < MIN_BYTES:
        return body
    small = compress(content, LEVEL, GZIP)
    headers["Content-Encoding"] = "gzip"
    headers["Content-Length"] = str(len(small))
    return {**body, "body": small}
