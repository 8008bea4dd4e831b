"""Security headers on every response, a same-origin check for every request that changes data, and allowed hosts."""

import logging
import re
import socket
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.base.logs import HEADER, new_request_id

# The host names that this server accepts.
#
# A page of another site can point its own host name at this server's address (DNS rebinding) and then read what a
# browser behind a firewall can see. It cannot do so with an IP address or with a configured name.


LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})
# A name or address, and a port. Anything else could name another host once it is part of a link.
_HEADER = re.compile(r"(?:\[([0-9a-f:.]+)\]|([\w.-]+?)\.?)(?::\d{0,5})?", re.ASCII | re.IGNORECASE)


class AllowedHosts:
    """Accepts the names in `hosts` and that of `public_url`; if neither is given, all names of this machine."""

    def __init__(self, hosts: Iterable[str] = (), public_url: str | None = None) -> None:
        """`hosts` as in a Host header, without port; `*.example.org` means all its subdomains, `*` any name."""
        named = {host.strip().lower().strip("[]") for host in hosts} - {""}
        if public_url and (host := urlsplit(public_url).hostname):
            named.add(host)
        self._is_open = not named
        own = {socket.gethostname().lower()}
        self._names = named | LOCAL | (own | {f"{name}.local" for name in own} if self._is_open else set())
        self._endings = tuple(name[1:] for name in named if name.startswith("*."))
        self.allows = lru_cache(maxsize=256)(self._allows)

    def _allows(self, header: str) -> bool:
        """Whether a Host header names this server.

        >>> unset, public = AllowedHosts(), AllowedHosts(public_url="https://rate.example.org")
        >>> unset.allows("192.168.1.7:8000"), unset.allows("evil.example"), public.allows("rate.example.org")
        (True, False, True)
        """
        name = _name_of(header)
        if not name:
            return False
        if name in self._names or "*" in self._names or name.endswith(self._endings or ("\0",)):
            return True
        return self._is_open and (name.endswith(".localhost") or _is_address(name))


def _name_of(header: str) -> str:
    """The host without port; empty if the header is not valid.

    >>> _name_of("RATE.example.org.:443"), _name_of("[::1]:8000"), _name_of("127.0.0.1:80@evil.example")
    ('rate.example.org', '::1', '')
    """
    found = _HEADER.fullmatch(header)
    return (found[1] or found[2]).lower() if found else ""


def _is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


log = logging.getLogger("attune.security")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
# Of the pages that our own pages may show in a frame.
FRAMED_POLICY = POLICY.replace("frame-ancestors 'none'", "frame-ancestors 'self'")
# Of the pages that show one of them.
FRAMING_POLICY = f"{POLICY}; frame-src 'self'"
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


def _encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]


class Guard:
    """Pure ASGI, so that it takes almost no time on rating pages."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: AllowedHosts,
        public_url: str | None = None,
        loggable: Callable[[str], str] = str,
        may_frame: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """Guard `app`.

        Args:
            app: the application.
            hosts: the host names that are answered.
            public_url: the address that browsers use, needed if a proxy hides it.
            loggable: a path without its secrets.
            may_frame: whether our own pages may show the page at a path in a frame.
        """
        self.app, self.hosts, self.loggable = app, hosts, loggable
        self.own_origin = _origin(public_url) if public_url else None
        self.is_https = bool(public_url and public_url.startswith("https:"))
        headers = HEADERS | ({"Strict-Transport-Security": HSTS} if self.is_https else {})
        self._headers = _encoded(headers)
        self._framed_headers = _encoded(headers | {"Content-Security-Policy": FRAMED_POLICY})
        self.may_frame = may_frame

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reject cross-site requests; add the headers to every response."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if self.is_https:
            # With a public https address, requests come through a proxy, which may use plain http to reach us.
            scope["scheme"] = "https"
        headers = self._framed_headers if self.may_frame(scope["path"]) else self._headers
        answer = self._answer(send, headers, new_request_id(), is_head=scope["method"] == "HEAD")
        if refusal := self._refusal(scope):
            await refusal(scope, receive, answer)
            return
        if "\0" in scope["path"]:
            # PostgreSQL does not accept NUL; with a replacement character, the address is simply not found.
            scope["path"] = scope["path"].replace("\0", "\ufffd")
        if scope["method"] == "HEAD":
            scope = {**scope, "method": "GET"}
        await self.app(scope, receive, answer)

    def _answer(self, send: Send, headers: list[tuple[bytes, bytes]], request_id: str, *, is_head: bool) -> Send:
        """`send`, with these headers added where a handler set none, and without a body for HEAD requests."""
        own = (HEADER.lower().encode(), request_id.encode())

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                there = {name.lower() for name, _ in message.get("headers", ())}
                missing = (header for header in headers if header[0] not in there)
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
