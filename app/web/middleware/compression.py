"""Text goes out compressed: a rating page is five times as large without."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders

from app.web.encoding import accepts_gzip

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Below this the headers weigh more than what is saved.
MIN_BYTES = 800
# A page is compressed for every request: the first levels give most of the gain for a fraction of the time.
LEVEL = 3
TEXT = ("text/html", "text/plain", "text/css", "text/csv", "text/javascript", "application/json")


class Compression:
    """Pure ASGI: compresses answers that come in one piece. Downloads that stream stay as they are."""

    def __init__(self, app: ASGIApp) -> None:
        """Compress the answers of `app`."""
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hold the head of an answer until its first piece shows whether it is the only one."""
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
    """The body, small where it is worth it; the head says which."""
    headers = MutableHeaders(raw=start["headers"])
    headers.add_vary_header("Accept-Encoding")
    content = body.get("body", b"")
    if body.get("more_body") or len(content) < MIN_BYTES:
        return body
    small = gzip.compress(content, LEVEL, mtime=0)
    headers["Content-Encoding"] = "gzip"
    headers["Content-Length"] = str(len(small))
    return {**body, "body": small}
