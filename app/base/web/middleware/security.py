"""Security headers on every response, and a same-origin check for every request that changes data."""

from __future__ import annotations

import logging
from collections.abc import Callable
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.base.logs import HEADER, new_request_id
from app.base.web.middleware.hosts import AllowedHosts

log = logging.getLogger("attune.security")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=(), interest-cohort=()",
    "Cache-Control": "no-store",
}
HSTS = "max-age=31536000; includeSubDomains"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
SERVER_ERROR = 500
WRONG_HOST = (
    "This server does not answer to this host name. Set ATTUNE_PUBLIC_URL to the address that browsers use, "
    "or list the name in ATTUNE_ALLOWED_HOSTS."
)
FOREIGN = "This request came from another site and was refused."


class Guard:
    """Pure ASGI, so that it takes almost no time on rating pages."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: AllowedHosts,
        public_url: str | None = None,
        loggable: Callable[[str], str] = str,
    ) -> None:
        """Guard `app`; `public_url` is the address that browsers use, needed if a proxy hides it."""
        self.app, self.hosts, self.loggable = app, hosts, loggable
        self.own_origin = _origin(public_url) if public_url else None
        self.is_https = bool(public_url and public_url.startswith("https:"))
        headers = HEADERS | ({"Strict-Transport-Security": HSTS} if self.is_https else {})
        self._headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reject cross-site requests; add the headers to every response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if self.is_https:
            # With a public https address, requests come through a proxy, which may use plain http to reach us.
            scope["scheme"] = "https"
        answer = self._answer(send, new_request_id(), is_head=scope["method"] == "HEAD")
        if refusal := self._refusal(scope):
            await refusal(scope, receive, answer)
            return
        if "\0" in scope["path"]:
            # PostgreSQL does not accept NUL; with a replacement character, the address is simply not found.
            scope["path"] = scope["path"].replace("\0", "\ufffd")
        if scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self.app(scope, receive, answer)

    def _answer(self, send: Send, request_id: str, *, is_head: bool) -> Send:
        """`send`, with our headers added, and without a body for HEAD requests."""
        own = (HEADER.lower().encode(), request_id.encode())

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                there = {name.lower() for name, _ in message.get("headers", ())}
                missing = (header for header in self._headers if header[0] not in there)
                # A handler that failed may have left the connection in the middle of a body.
                end = [(b"connection", b"close")] if message["status"] == SERVER_ERROR else []
                message = {**message, "headers": [*message.get("headers", ()), *missing, own, *end]}
            elif is_head and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        return answer

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        headers = Headers(scope=scope)
        # A second host name could be the one that a proxy or a cache goes by.
        if len(headers.getlist("host")) != 1 or not self.hosts.allows(headers["host"]):
            log.warning("refused %s %s: the host name is not allowed", scope["method"], self.loggable(scope["path"]))
            return PlainTextResponse(WRONG_HOST, status_code=400)
        if scope["method"] in SAFE_METHODS or self._is_with_token(scope["path"], headers):
            return None
        if not self.is_same_origin(scope["scheme"], headers):
            log.warning("refused %s %s: it came from another site", scope["method"], self.loggable(scope["path"]))
            return PlainTextResponse(FOREIGN, status_code=403)
        return None

    @staticmethod
    def _is_with_token(path: str, headers: Headers) -> bool:
        """Whether a program sent this: the API reads no cookies, and no site can make a browser send a token."""
        return path.startswith("/api/") and "authorization" in headers

    def is_same_origin(self, scheme: str, headers: Headers) -> bool:
        """Whether Fetch metadata and the Origin header both agree, as far as sent; False if neither is sent.

        Because of our referrer policy, browsers send `Origin: null` when a form is submitted, so null alone proves
        nothing.
        """
        site, origin = headers.get("sec-fetch-site"), headers.get("origin")
        is_ours = origin is not None and origin in {self.own_origin, f"{scheme}://{headers.get('host', '')}"}
        if origin not in {None, "null"} and not is_ours:
            return False
        return site in {"same-origin", "none"} if site is not None else is_ours


def _origin(url: str) -> str:
    """Scheme and host of a URL.

    >>> _origin("https://rate.example.org/x")
    'https://rate.example.org'
    """
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
