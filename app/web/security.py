"""What every answer carries and every request must show: headers, and same-origin proof for whatever changes data."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

log = logging.getLogger("attune.security")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), interest-cohort=()",
}
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class Guard:
    """Pure ASGI, so that it costs next to nothing on the rating path."""

    def __init__(self, app: ASGIApp, public_url: str | None = None) -> None:
        """Guard `app`; `public_url` is the address that browsers see, where a proxy hides it."""
        self.app = app
        self.own_origin = _origin(public_url) if public_url else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse a change that comes from elsewhere; put the headers on every answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        if scope["method"] not in SAFE_METHODS and not self.is_same_origin(scope):
            log.warning("refused %s %s: it came from another site", scope["method"], scope["path"])
            refusal = PlainTextResponse("This request came from another site and was refused.", status_code=403)
            await refusal(scope, receive, send_with_headers)
            return
        await self.app(scope, receive, send_with_headers)

    def is_same_origin(self, scope: Scope) -> bool:
        """Fetch metadata where the browser sends it, else the Origin header; neither is a refusal."""
        headers = Headers(scope=scope)
        site = headers.get("sec-fetch-site")
        if site is not None:
            return site in {"same-origin", "none"}
        own = self.own_origin or f"{scope['scheme']}://{headers.get('host', '')}"
        return headers.get("origin") == own


def _origin(url: str) -> str:
    """Scheme and host of an address.

    >>> _origin("https://rate.example.org/x")
    'https://rate.example.org'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
