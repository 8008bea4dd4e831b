"""What a proxy says about the visitor: their address and the scheme, from proxies of the settings only."""

import logging
from ipaddress import ip_address

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from app.base.logs import ThrottledLog

log = logging.getLogger("attune.web")
FORWARDED = frozenset({b"x-forwarded-for", b"x-forwarded-proto"})
EVERY_S = 600


class TrustedProxies:
    """Believes the `X-Forwarded-*` headers of proxies, and says in the log that it ignores those of others."""

    def __init__(self, app: ASGIApp, proxies: str) -> None:
        """`proxies`: addresses or networks, separated by commas; `*` for every address."""
        self.app = app
        self._trusting = ProxyHeadersMiddleware(app, proxies)  # type: ignore[arg-type]
        self._log = ThrottledLog(log, every_s=EVERY_S)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with the visitor's address if a trusted proxy reports it."""
        if scope["type"] == "http" and any(name in FORWARDED for name, _ in scope["headers"]):
            peer = scope["client"][0] if scope.get("client") else ""
            if peer in self._trusting.trusted_hosts:
                await self._trusting(scope, receive, send)  # type: ignore[arg-type]
                return
            self._log.error(
                "ignored X-Forwarded-For and X-Forwarded-Proto from %s, which is not in ATTUNE_TRUSTED_PROXIES: if it "
                "is your proxy, name its address there; until then limits count all its visitors as one",
                _loggable(peer),
            )
        await self.app(scope, receive, send)


def _loggable(peer: str) -> str:
    """The address of a proxy on this machine or in its network; that of anybody else is not logged.

    >>> _loggable("172.30.83.1"), _loggable("93.184.215.14")
    ('172.30.83.1', 'a public address')
    """
    try:
        address = ip_address(peer)
    except ValueError:
        return "a peer without an address"
    return peer if address.is_loopback or address.is_private else "a public address"
